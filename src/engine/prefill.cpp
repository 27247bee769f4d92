// Prefill: chunks of a prompt, each touching nearly every expert of its layers (physics.md section 7).
#include "engine/timing.h"

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

// Tokens that a query at mean position `seen` attends to.
double attended(const Attention& a, double seen) {
    switch (a.kind) {
    case AttentionKind::gqa:
    case AttentionKind::mla: return a.index ? std::min(static_cast<double>(a.index->topk), seen) : seen;
    case AttentionKind::swa:
    case AttentionKind::chunked: return std::min(static_cast<double>(a.window), seen);
    case AttentionKind::dsa: return a.index ? std::min(static_cast<double>(a.index->topk), seen) : seen;
    case AttentionKind::csa: {
        const double window = std::min(static_cast<double>(a.window), seen);
        if (a.compress_ratio == 0) return window;
        const double entries = seen / static_cast<double>(a.compress_ratio);
        return window + (a.index ? std::min(static_cast<double>(a.index->topk), entries) : entries);
    }
    case AttentionKind::linear: return 0.0;
    }
    return seen;
}

// Scores and weighted sums of C queries: 2 x heads x (key width + value width) x C x attended, which is the
// 4 x heads x head dim of physics.md section 7 where both widths are equal.
double attention_flops(const Attention& a, double tokens, double before) {
    const double key = static_cast<double>(
        a.head_dim_k + (a.kind == AttentionKind::mla || a.kind == AttentionKind::dsa ? a.rope_dim : 0));
    const double width = static_cast<double>(a.heads) * (key + static_cast<double>(a.head_dim_v));
    return 2.0 * width * tokens * attended(a, before + tokens / 2.0);
}

// One chunk, or the prompt's tail through the decode-only layers.
struct Chunk {
    double tokens = 0.0;
    double before = 0.0;
    bool tail = false;
};

struct ChunkTime {
    std::optional<Seconds> compute; // max(arithmetic, memory)
    std::optional<Seconds> link;
    std::optional<Seconds> read;
    Bytes read_bytes;
    std::optional<Seconds> total;
};

bool takes_part(const Block& block, const Scenario& s, bool tail) {
    if (tail) return block.phases == Phases::decode;
    return runs_in_prefill(block) || s.prefill_all_layers;
}

double chunk_attention_flops(const Case& c, const Chunk& chunk) {
    double flops = 0.0;
    for (const Block& block : c.model.blocks) {
        if (!block.attention || !takes_part(block, c.scenario, chunk.tail)) continue;
        flops += layer_count(block) * attention_flops(*block.attention, chunk.tokens, chunk.before);
    }
    return flops;
}

std::optional<double> compute_rate(const Case& c, const StepTraffic& t) {
    // Layers or experts that another processor computes in place have no known arithmetic rate.
    for (std::size_t i = 1; i < kMaxPools; ++i) {
        if (t.pools[i].fixed.value > 0.0 || t.pools[i].experts.value > 0.0) return std::nullopt;
    }
    const Compute& compute = c.machine.compute;
    if (compute.rate) return compute.rate->value;
    const auto kind = static_cast<std::size_t>(c.machine.memory.front().processor);
    const std::optional<double> share = c.scenario.runtime.compute_share.values[kind];
    if (compute.rated && share) return compute.rated->value * *share;
    return std::nullopt;
}

void push(Terms* terms, TermId id, Form form, int pool, std::optional<double> a, std::optional<double> b,
          std::optional<double> c, std::optional<double> d, std::optional<Seconds>& sum) {
    if (a && *a == 0.0 && form != Form::given && form != Form::work) return;
    Term term{id, form, a.value_or(0.0), b.value_or(0.0), c.value_or(0.0), d.value_or(0.0), pool, std::nullopt};
    if (a && b && c && d) term.seconds = seconds_of(form, *a, *b, *c, *d);
    sum = sum && term.seconds ? std::optional(*sum + *term.seconds) : std::nullopt;
    if (terms) terms->add(term);
}

std::optional<double> number(std::optional<BytesPerSecond> rate) {
    return rate ? std::optional(rate->value) : std::nullopt;
}

// Time for arithmetic or memory, whichever is longer.
std::optional<Seconds> busy_time(const Case& c, const Placement& p, const StepTraffic& t, const Chunk& chunk,
                                 Terms* terms) {
    std::optional<Seconds> compute = Seconds(0.0), memory = Seconds(0.0);
    if (c.scenario.prefill_compute) {
        push(terms, TermId::forced_compute, Form::given, 0, c.scenario.prefill_compute->value, 1.0, 1.0, 1.0, compute);
        return compute;
    }
    push(terms, TermId::compute, Form::work, 0, t.params, chunk.tokens, chunk_attention_flops(c, chunk),
         compute_rate(c, t), compute);
    for (std::size_t i = 0; i < p.tiers.size; ++i) {
        const MemoryPool& pool = c.machine.memory[i];
        const int index = static_cast<int>(i);
        push(terms, TermId::memory_fixed, Form::ratio, index, t.pools[i].fixed.value, number(pool.bandwidth),
             pool.sustained, 1.0, memory);
        push(terms, TermId::memory_experts, Form::ratio, index, t.pools[i].experts.value, number(pool.bandwidth),
             pool.sustained, 1.0, memory);
    }
    return compute && memory ? std::optional(std::max(*compute, *memory)) : std::nullopt;
}

ChunkTime chunk_time(const Case& c, const Placement& p, const Chunk& chunk, Terms* terms) {
    // Prefill uses uniform routing: a decode curve is never stretched to chunks (physics.md section 7).
    static const Locality uniform{};
    const StepShape step{chunk.tokens, 1.0, true, chunk.tail};
    const StepTraffic t = traffic(c, p, uniform, step);
    ChunkTime time;
    time.compute = busy_time(c, p, t, chunk, terms);
    time.link = Seconds(0.0);
    time.read = Seconds(0.0);
    for (std::size_t i = 1; i < p.tiers.size; ++i) {
        const auto rate = c.machine.links.empty() ? std::nullopt : number(c.machine.links.front().rate);
        push(terms, TermId::link_chunk, Form::ratio, static_cast<int>(i), t.pools[i].over_link.value, rate, 1.0, 1.0,
             time.link);
    }
    time.read_bytes = t.missed + t.page_cache;
    const auto rate = number(storage_read(c, p, t.missed, t.missed_experts, t.missing_layers).rate);
    const TermId id = chunk.tail ? TermId::storage_tail : TermId::storage_chunk;
    push(terms, id, Form::ratio, kOnStorage, t.missed.value, rate, 1.0, 1.0, time.read);
    if (t.page_cache.value > 0.0) {
        push(terms, TermId::page_cache, Form::ratio, kOnStorage, t.page_cache.value,
             number(c.scenario.runtime.page_cache_rate), 1.0, 1.0, time.read);
    }
    if (time.compute && time.link && time.read) {
        const Seconds moved = *time.link + *time.read;
        time.total = *time.compute + moved - c.scenario.runtime.overlap_prefill * std::min(*time.compute, moved);
    }
    return time;
}

// Running sums over chunks.
struct Sums {
    std::optional<Seconds> total = Seconds(0.0), read = Seconds(0.0);
    double compute = 0.0, link = 0.0, storage = 0.0;

    void add(const ChunkTime& time) {
        total = total && time.total ? std::optional(*total + *time.total) : std::nullopt;
        read = read && time.read ? std::optional(*read + *time.read) : std::nullopt;
        compute += time.compute ? time.compute->value : 0.0;
        link += time.link ? time.link->value : 0.0;
        storage += time.read ? time.read->value : 0.0;
    }
};

Limit limit_of(const Sums& sums, const Terms& terms) {
    if (sums.storage >= sums.compute && sums.storage >= sums.link) return Limit::storage;
    if (sums.link >= sums.compute) return Limit::link;
    double arithmetic = 0.0, memory = 0.0;
    for (const Term& term : terms) {
        if (!term.seconds) continue;
        if (term.id == TermId::compute || term.id == TermId::forced_compute) arithmetic += term.seconds->value;
        if (term.id == TermId::memory_fixed || term.id == TermId::memory_experts) memory += term.seconds->value;
    }
    return arithmetic >= memory ? Limit::compute : Limit::memory;
}

bool has_decode_only_layers(const Model& model) {
    return std::any_of(model.blocks.begin(), model.blocks.end(),
                       [](const Block& b) { return b.phases == Phases::decode; });
}

} // namespace

Prefill prefill_timing(const Case& c, const Placement& p) {
    Prefill prefill;
    const Scenario& s = c.scenario;
    const double size = std::min(chunk_tokens(s), s.prompt);
    prefill.chunk_tokens = size;
    prefill.chunks = std::ceil(s.prompt / size);
    Sums sums;
    for (double before = 0.0; before < s.prompt; before += size) {
        const bool first = before == 0.0;
        const Chunk chunk{std::min(size, s.prompt - before), before, false};
        const ChunkTime time = chunk_time(c, p, chunk, first ? &prefill.terms : nullptr);
        sums.add(time);
        if (!first) continue;
        prefill.compute_per_chunk = time.compute;
        prefill.storage_per_chunk = time.read;
        prefill.read_bytes_per_chunk = time.read_bytes;
    }
    if (c.model.prefill_tail_tokens > 0 && !s.prefill_all_layers && has_decode_only_layers(c.model)) {
        const double tail = std::min(static_cast<double>(c.model.prefill_tail_tokens), s.prompt);
        sums.add(chunk_time(c, p, Chunk{tail, s.prompt - tail, true}, &prefill.terms));
    }
    prefill.total = sums.total;
    if (sums.read && sums.read->value > 0.0) prefill.storage_limit = s.prompt / sums.read->value;
    if (sums.total && sums.total->value > 0.0) {
        prefill.tokens_per_second = s.prompt / sums.total->value;
        prefill.limit = limit_of(sums, prefill.terms);
    }
    return prefill;
}

} // namespace spillway
