#include "support/variants.h"

#include "engine/estimate.h"
#include "support/synthetic.h"

#include <rapidcheck.h>

#include <algorithm>

namespace spillway::variants {

namespace {
// Over the whole range from the first draw on: rapidcheck would begin with small numbers.
int drawn(int low, int beyond) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, beyond)); }
} // namespace

double real(double low, double high) { return low + (high - low) * drawn(0, 1'000'001) / 1e6; }
int whole(int low, int high) { return drawn(low, high + 1); }
bool one_in(int n) { return drawn(0, n) == 0; }

namespace {

Count widths(int low, int high) { return 8 * whole(low, high); }

void draw_linear(Attention& a) {
    a.form = static_cast<LinearForm>(whole(1, 3));
    a.key_heads = whole(1, 4);
    a.value_heads = a.key_heads * whole(1, 2);
    a.conv_kernel = whole(1, 4);
    a.low_rank = widths(1, 4);
    a.state_dim = widths(1, 8);
    a.groups = whole(1, 4);
    if (a.form == LinearForm::kda) a.gate = std::array{Gate::none, Gate::full, Gate::low}[whole(0, 2)];
}

Indexer any_indexer() {
    Indexer i;
    i.heads = whole(1, 8);
    i.head_dim = widths(1, 8);
    i.query_width_in = widths(4, 16);
    i.head_weights = one_in(2);
    i.owns_query = one_in(2);
    i.owns_keys = one_in(2);
    i.topk = whole(1, 600);
    i.key_matrices = whole(1, 2);
    i.key_width = one_in(2) ? widths(1, 8) : 0;
    return i;
}

Experts any_experts() {
    Experts e;
    e.count = whole(4, 128);
    e.active = whole(1, std::min<int>(8, static_cast<int>(e.count)));
    e.matrices = whole(2, 3);
    e.width_in = widths(20, 120);
    e.width = widths(10, 120);
    return e;
}

// `first` is moved on by the layers of the block.
Block any_block(int& first, bool experts) {
    Block block;
    for (int n = whole(1, 5); n > 0; --n) block.layers.numbers.push_back(first++);
    if (!one_in(6)) block.attention = any_attention(static_cast<AttentionKind>(whole(0, 6)));
    if (experts) block.experts = any_experts();
    if (experts && one_in(3)) block.shared = SharedExperts{whole(1, 2), 3, widths(20, 120), widths(10, 60)};
    if (experts && one_in(4)) block.latent = LatentProjection{2, widths(10, 60)};
    if (!experts || one_in(4)) block.dense_width = widths(20, 200);
    if (one_in(3)) block.extra_params = whole(1, 1'000'000);
    return block;
}

void draw_model(Model& m) {
    m = Model{};
    m.name = "variant";
    m.hidden = widths(40, 160);
    m.vocabulary = whole(100, 5000);
    m.tied_embedding = one_in(2);
    if (one_in(3)) m.extra_params = whole(1, 3'000'000);
    int layer = 0;
    const int blocks = whole(1, 3), with_experts = one_in(8) ? -1 : whole(0, blocks - 1);
    for (int i = 0; i < blocks; ++i)
        m.blocks.push_back(any_block(layer, i == with_experts || (i > with_experts && one_in(2))));
    if (blocks > 1 && one_in(3)) m.blocks.back().phases = Phases::decode;
    if (blocks > 2 && one_in(4)) m.blocks[1].phases = Phases::prefill;
    if (one_in(2)) m.prefill_tail_tokens = whole(1, 300);
    if (one_in(2)) {
        m.drafter = Drafter{};
        int own = 0;
        m.drafter->blocks.push_back(any_block(own, one_in(2)));
        m.drafter->extra_params = one_in(2) ? whole(1, 500'000) : 0;
        m.drafter->embedding_copies = one_in(2);
        m.drafter->drafts_block = one_in(2);
    }
    for (int n = whole(0, 2); n > 0; --n) {
        m.tables.push_back(LookupTable{"rows", whole(1000, 100'000), whole(16, 4096), whole(1, 32), whole(1, 64)});
    }
    if (one_in(3)) m.other_parts = {OtherPart{"vision", whole(1, 5'000'000)}};
}

void draw_quantization(Quantization& q) {
    q = Quantization{};
    q.name = "variant";
    const auto bits = [] { return std::optional(real(1.5, 16.0)); };
    q.experts = bits();
    q.rest = bits();
    q.embedding = bits();
    q.other = bits();
    q.tables = bits();
    if (one_in(2)) q.experts_down = bits();
    if (one_in(2)) q.drafter_experts = bits();
    if (one_in(2)) q.drafter_rest = bits();
}

Drive any_drive() {
    Drive d;
    d.name = "drive";
    d.rate = BytesPerSecond(real(5e8, 2e10));
    if (one_in(2)) return d;
    const double slow = real(1e8, 1e9);
    d.curve = {{Bytes(1e3), 1, BytesPerSecond(slow / 8)}, {Bytes(1e3), 16, BytesPerSecond(slow / 2)},
               {Bytes(1e5), 1, BytesPerSecond(slow)},     {Bytes(1e5), 16, BytesPerSecond(slow * 4)},
               {Bytes(1e7), 1, BytesPerSecond(slow * 6)}, {Bytes(1e7), 16, BytesPerSecond(slow * 9)}};
    return d;
}

void draw_runtime(Runtime& r) {
    r = synthetic::runtime();
    for (auto& t : r.t_layer.values) t = Seconds(real(0.0, 1e-3));
    const auto time = [] { return one_in(3) ? std::nullopt : std::optional(Seconds(real(0.0, 1e-3))); };
    r.t_layer_moe = time();
    r.t_pass = time();
    r.t_sync = time();
    r.handoff = time();
    r.kv_share = real(0.1, 1.0);
    r.lanes = whole(1, 32);
    r.pieces = whole(1, 9);
    r.realised_share = real(0.1, 1.0);
    r.overlap_decode = one_in(2) ? 0.0 : real(0.0, 1.0);
    r.overlap_prefill = one_in(3) ? 0.0 : real(0.0, 1.0);
    if (one_in(2)) r.insertion_rate = BytesPerSecond(real(1e9, 1e11));
    if (one_in(2)) {
        r.prefetch_lookahead = whole(1, 4);
        r.prefetch_recall = real(0.0, 1.0);
        r.prefetch_waste = one_in(2) ? 0.0 : real(0.0, 1.0);
    }
    r.policy = static_cast<Policy>(whole(0, 2));
    r.spill_access = one_in(2) ? Access::copied : Access::in_place;
    r.prefill_spill_access = one_in(4) ? Access::in_place : Access::copied;
    r.micro_batch = whole(16, 600);
    r.kv_cell_multiple = one_in(2) ? 1.0 : 64.0;
    r.kv_window_holds_batch = one_in(2);
    if (one_in(3)) r.working_memory = Bytes(real(0.0, 5e6));
    if (one_in(3)) r.reserve = Bytes(real(0.0, 5e6));
}

void draw_scenario(Scenario& s, const Model& m) {
    s.context = whole(1, 6000);
    s.depth = whole(0, static_cast<int>(s.context));
    s.sequences = one_in(2) ? 1 : whole(2, 5);
    s.positions = one_in(2) ? 1 : whole(2, 6);
    s.accepted = real(1.0, s.positions);
    s.prompt = whole(1, 2500);
    if (one_in(2)) s.chunk = whole(1, 800);
    s.kv_format = static_cast<KvFormat>(whole(0, 4));
    s.use_other_parts = one_in(2);
    s.prefill_all_layers = one_in(3);
    s.locality = any_locality();
    if (one_in(4)) s.active_experts = whole(1, 8);
    if (one_in(10)) s.resident_pass = Seconds(real(1e-4, 0.1));
    if (one_in(10)) s.prefill_compute = Seconds(real(1e-4, 1.0));
    const int forced = whole(0, 9);
    if (forced == 0) s.residency = real(0.0, 1.0);
    if (forced == 1) s.expert_budget = Bytes(real(0.0, 2e9));
    if (forced == 3) s.first_pool_experts = real(0.0, 1.0);
    if (forced == 4) s.cpu_moe_layers = whole(0, 12);
    if (one_in(8)) {
        s.hit_rate = real(0.0, 1.0);
    } else if (one_in(8)) {
        s.missed_bytes = Bytes(real(0.0, 1e8));
    }
    if (forced == 2) {
        for (const Block& block : m.blocks) {
            const auto& numbers = block.layers.numbers;
            const auto kept = numbers.begin() + whole(0, static_cast<int>(numbers.size()));
            if (one_in(2)) s.residency_ranges.push_back({LayerSet{{numbers.begin(), kept}}, real(0.0, 1.0)});
        }
    }
}

// Sizes the pools by what the model needs, so that each draw has something to place and something to spill.
void draw_memory(Case& c) {
    Runtime& r = c.scenario.runtime;
    c.machine.memory = {synthetic::pool("first", Processor::nvidia_gpu, 1e9, 1.0)};
    r.spills = false;
    const Estimate everything = evaluate(c);
    const double fixed = everything.placement.tiers.items[0].fixed.value;
    const double experts = everything.placement.sizes.experts->value;
    const int pools = one_in(2) ? 1 : whole(2, 3);
    r.spills = pools > 1 && !one_in(6);
    constexpr std::array kinds = {Processor::nvidia_gpu, Processor::cpu_desktop, Processor::cpu_server};
    c.machine.memory.clear();
    for (int i = 0; i < pools; ++i) {
        MemoryPool p = synthetic::pool("pool", kinds[i], 0.0, real(10.0, 2000.0) / (1 + 4 * i));
        const double least = i > 0 ? 0.0 : r.spills && one_in(3) ? 0.7 * fixed : fixed;
        p.usable = Bytes((least + real(0.0, 1.1) * experts / pools) * 1.0000001 + 1.0);
        p.capacity = *p.usable * real(1.0, 1.6);
        p.sustained = real(0.3, 1.0);
        c.machine.memory.push_back(p);
    }
    // The last pool takes what moves off the first.
    if (r.spills) {
        MemoryPool& last = c.machine.memory.back();
        last.usable = *last.usable + Bytes(fixed);
        last.capacity = last.capacity + Bytes(fixed);
    }
    if (one_in(2)) return;
    r.read_path = ReadPath::buffered;
    r.page_cache_rate = BytesPerSecond(real(1e9, 5e10));
    r.page_cache_share = one_in(2) ? 0.0 : real(0.01, 0.5);
}

} // namespace

Locality any_locality() {
    Locality l;
    switch (whole(0, 2)) {
    case 0: return l;
    case 1:
        l.kind = LocalityKind::fitted;
        l.exponent = real(1.0, 4.0);
        return l;
    default:
        l.kind = LocalityKind::table;
        l.points = {{0.2, real(0.3, 1.0)}, {0.5, real(0.1, 0.3)}, {0.9, real(0.0, 0.1)}};
        return l;
    }
}

Attention any_attention(AttentionKind kind) {
    Attention a;
    a.kind = kind;
    a.heads = whole(1, 16);
    a.kv_heads = whole(1, 4);
    a.head_dim_k = widths(1, 16);
    a.head_dim_v = widths(1, 16);
    if (kind == AttentionKind::linear) {
        draw_linear(a);
        return a;
    }
    a.gate = static_cast<Gate>(whole(0, 3));
    a.low_rank = widths(1, 4);
    a.relative_bias_dim = one_in(4) ? 8 : 0;
    a.shares_kv = one_in(5);
    a.value_is_key = one_in(5);
    if (kind == AttentionKind::swa || kind == AttentionKind::chunked) a.window = whole(1, 1500);
    if (kind == AttentionKind::mla || kind == AttentionKind::dsa) {
        a.rope_dim = widths(1, 8);
        a.kv_lora_rank = widths(2, 32);
        a.q_lora_rank = one_in(2) ? widths(2, 32) : 0;
    }
    if (kind == AttentionKind::csa) {
        a.q_lora_rank = widths(2, 32);
        a.o_lora_rank = widths(2, 16);
        a.o_groups = whole(1, 4);
        a.window = one_in(4) ? 0 : whole(1, 1500);
        a.compress_ratio = one_in(4) ? 0 : whole(1, 16);
        a.compressor = Compressor{whole(1, 3), widths(2, 16)};
    }
    if (kind == AttentionKind::dsa || one_in(4)) a.index = any_indexer();
    return a;
}

Case any_case() {
    Case c;
    c.machine.name = "variant";
    draw_model(c.model);
    draw_quantization(c.quantization);
    draw_runtime(c.scenario.runtime);
    draw_scenario(c.scenario, c.model);
    c.machine.storage = {any_drive()};
    draw_memory(c);
    Link link;
    link.name = "link";
    link.rate = BytesPerSecond(real(1e9, 6e10));
    if (one_in(2)) link.latency = Seconds(real(0.0, 1e-4));
    c.machine.links = {link};
    if (one_in(2)) {
        c.machine.compute.rate = FlopsPerSecond(real(1e11, 1e14));
    } else {
        c.machine.compute.rated = FlopsPerSecond(real(1e11, 1e14));
        for (auto& share : c.scenario.runtime.compute_share.values) share = real(0.1, 1.0);
    }
    return c;
}

} // namespace spillway::variants
