// What must hold of a decode step whatever the case: sums, bounds, bytes conserved, and no better part that slows.
#include "support/by_hand.h"
#include "support/terms.h"
#include "support/variants.h"

#include "engine/estimate.h"
#include "engine/routing.h"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include <map>

using namespace spillway;
using test::same;
using test::seconds;

namespace {

constexpr double kRounding = 1.0 + 1e-9;

constexpr std::initializer_list<TermId> kReading = {TermId::storage_misses, TermId::page_cache, TermId::insertion,
                                                    TermId::lookup};

double decode(const Case& c) { return evaluate(c).decode.tokens_per_second.value(); }

// A drawn case and its estimate; discarded where decode has no speed.
struct Priced {
    Case c = variants::any_case();
    Estimate e = evaluate(c);
    const Decode& d = e.decode;

    Priced() { RC_PRE(d.tokens_per_second.has_value()); }
    double tokens() const { return c.scenario.accepted * c.scenario.sequences; }
    std::size_t pools() const { return e.placement.tiers.size; }
    double read_rate_of(std::size_t pool) const {
        return c.machine.memory[pool].bandwidth->value * *c.machine.memory[pool].sustained;
    }
    double bytes_read(TermId id, std::size_t pool) const {
        const bool kv = id == TermId::read_kv;
        const double rate =
            kv ? c.machine.memory[pool].bandwidth->value * c.scenario.runtime.kv_share : read_rate_of(pool);
        return seconds(d.terms, id, static_cast<int>(pool)) * rate;
    }
    double bytes_read(TermId id) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < pools(); ++i) sum += bytes_read(id, i);
        return sum;
    }
    double touched() const { return d.expert_bytes_per_token->value * tokens(); }
    double missed() const { return d.missed_bytes_per_token->value * tokens(); }
    double page_cached() const {
        const auto& rate = c.scenario.runtime.page_cache_rate;
        return rate ? seconds(d.terms, TermId::page_cache) * rate->value : 0.0;
    }
    // Layers whose experts may miss, from the residency of each block.
    double missing_layers() const {
        double layers = 0.0;
        for (const Block& block : c.model.blocks) {
            if (!block.experts || !by_hand::runs(block, c.scenario, false)) continue;
            if (states_misses(c.scenario)) {
                layers += missed() > 0.0 ? static_cast<double>(block.layers.numbers.size()) : 0.0;
                continue;
            }
            double kept = 0.0;
            for (const int layer : block.layers.numbers) {
                double residency = e.placement.unforced_residency;
                for (const ResidencyRange& range : c.scenario.residency_ranges) {
                    const auto& in = range.layers.numbers;
                    if (std::count(in.begin(), in.end(), layer) > 0) residency = range.residency;
                }
                kept += residency;
            }
            const auto all = static_cast<double>(block.layers.numbers.size());
            if (kept < all * (1.0 - 1e-15)) layers += all;
        }
        return layers;
    }
    double layers() const {
        double sum = 0.0;
        for (const Block& block : c.model.blocks) {
            if (by_hand::runs(block, c.scenario, false)) sum += static_cast<double>(block.layers.numbers.size());
        }
        return sum;
    }
};

} // namespace

TEST_CASE("the drawn cases reach every variant", "[property][variants]") {
    std::map<std::string, int> seen;
    CHECK(rc::check([&seen] {
        const Case c = variants::any_case();
        const Estimate e = evaluate(c);
        const Scenario& s = c.scenario;
        const auto count = [&](const char* what, bool is) { seen[what] += is ? 1 : 0; };
        const auto has = [&](TermId id) { return seconds(e.decode.terms, id) != 0.0; };
        count("decode has a speed", e.decode.tokens_per_second.has_value());
        count("prefill has a speed", e.prefill.tokens_per_second.has_value());
        count("pools hold experts", e.placement.tiers.size > 1 && e.placement.tiers.items[1].expert_bytes.value > 0.0);
        count("layers moved", e.placement.tiers.size > 1 && e.placement.tiers.items[1].layers > 0.0);
        count("in place", has(TermId::handoff));
        count("copied", has(TermId::link_experts));
        count("transfers start", has(TermId::link_latency));
        count("page cache", has(TermId::page_cache));
        count("insertion", has(TermId::insertion));
        count("lookup", has(TermId::lookup));
        count("drafter", has(TermId::read_drafter));
        count("ranges", !s.residency_ranges.empty() && e.placement.residency.has_value());
        count("forced pass", has(TermId::forced_pass));
        count("forced budget", s.expert_budget.has_value());
        count("prefetch", s.runtime.prefetch_lookahead > 0.0 && has(TermId::hidden));
        count("tail", seconds(e.prefill.terms, TermId::storage_tail) > 0.0);
        for (const Block& b : c.model.blocks) {
            if (b.attention) count(EnumNames<AttentionKind>::names[static_cast<int>(b.attention->kind)].data(), true);
            if (b.attention) count(EnumNames<LinearForm>::names[static_cast<int>(b.attention->form)].data(), true);
        }
    }));
    for (const auto& name : EnumNames<AttentionKind>::names) CHECK(seen[std::string(name)] > 0);
    for (const auto& name : EnumNames<LinearForm>::names) CHECK(seen[std::string(name)] > 0);
    for (const auto& [what, times] : seen) {
        INFO(what);
        CHECK(times > 0);
    }
}

TEST_CASE("terms sum to the step, and no more is hidden than the shorter side", "[property][variants]") {
    CHECK(rc::check([] {
        const Priced p;
        const double reading = seconds(p.d.terms, kReading), hidden = -seconds(p.d.terms, TermId::hidden);
        const double resident = test::sum(p.d.terms) - reading + hidden;
        RC_ASSERT(same(test::sum(p.d.terms), p.d.step->value));
        RC_ASSERT(same(resident, p.d.resident->value));
        RC_ASSERT(same(reading, p.d.storage->value));
        RC_ASSERT(hidden >= 0.0);
        RC_ASSERT(hidden <= std::min(resident, reading) * kRounding + 1e-15);
        RC_ASSERT(p.d.step->value * kRounding >= std::max(resident, reading));
        const Scenario& s = p.c.scenario;
        RC_ASSERT(same(*p.d.tokens_per_second, s.accepted / p.d.step->value));
        RC_ASSERT(same(*p.d.tokens_per_second_total, s.sequences * s.accepted / p.d.step->value));
        RC_ASSERT(same(*p.d.no_overlap, s.accepted / (resident + reading)));
        RC_ASSERT(same(*p.d.full_overlap, s.accepted / std::max(resident, reading)));
    }));
}

TEST_CASE("what is hidden is the larger of overlap and prefetch over the missing layers", "[property][variants]") {
    CHECK(rc::check([] {
        const Priced p;
        const Runtime& r = p.c.scenario.runtime;
        const double shorter = std::min(p.d.resident->value, p.d.storage->value);
        const double per_layer = p.d.resident->value / p.layers();
        const double ahead = r.prefetch_recall * r.prefetch_lookahead * p.missing_layers() * per_layer;
        const double hidden = std::min(shorter, std::max(r.overlap_decode * shorter, ahead));
        RC_ASSERT(same(-seconds(p.d.terms, TermId::hidden), hidden));
        RC_ASSERT(same(p.d.resident_per_layer->value, per_layer));
        if (p.missing_layers() == 0.0) return;
        const double reading = seconds(p.d.terms, kReading) - seconds(p.d.terms, TermId::lookup);
        RC_ASSERT(same(p.d.storage_per_layer->value, reading / p.missing_layers()));
        RC_ASSERT(same(p.d.missed_bytes_per_layer->value, p.missed() / p.missing_layers()));
    }));
}

TEST_CASE("no pool gives more than its bandwidth, unless a pass is forced", "[property][variants]") {
    CHECK(rc::check([] {
        const Priced p;
        if (p.c.scenario.resident_pass) return;
        double bound = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < p.pools(); ++i) {
            const double read = p.bytes_read(TermId::read_fixed, i) + p.bytes_read(TermId::read_experts, i) +
                                p.bytes_read(TermId::read_kv, i);
            const double bandwidth = p.c.machine.memory[i].bandwidth->value;
            if (read > 0.0) bound = std::min(bound, p.c.scenario.accepted * bandwidth / read);
        }
        RC_ASSERT(same(*p.d.bandwidth_bound, bound));
        RC_ASSERT(*p.d.tokens_per_second <= bound * kRounding);
    }));
}

TEST_CASE("every expert byte touched is computed on one pool, and comes from one place", "[property][variants]") {
    CHECK(rc::check([] {
        const Priced p;
        const Runtime& r = p.c.scenario.runtime;
        RC_ASSERT(same(*p.d.miss_fraction, p.touched() > 0.0 ? p.missed() / p.touched() : 0.0));
        RC_ASSERT(p.missed() <= p.touched() * kRounding);
        const double wasted = r.prefetch_lookahead > 0.0 ? 1.0 + r.prefetch_waste : 1.0;
        const double drive =
            p.d.storage_rate ? seconds(p.d.terms, TermId::storage_misses) * p.d.storage_rate->value : 0.0;
        RC_ASSERT(p.page_cached() >= 0.0);
        RC_ASSERT(same(drive / wasted + p.page_cached(), p.missed(), 1e-3));
        if (r.insertion_rate) {
            RC_ASSERT(same(seconds(p.d.terms, TermId::insertion) * r.insertion_rate->value, p.missed(), 1e-3));
        }
        if (p.c.scenario.resident_pass) return;
        RC_ASSERT(same(p.bytes_read(TermId::read_experts), p.touched(), 1e-3));
        const double copied = seconds(p.d.terms, TermId::link_experts) * p.c.machine.links[0].rate->value;
        const bool in_place = r.spill_access == Access::in_place;
        const double most = in_place ? 0.0 : p.touched();
        RC_ASSERT(copied <= most * kRounding);
        if (!in_place) RC_ASSERT(same(p.bytes_read(TermId::read_experts, 0), p.touched(), 1e-3));
    }));
}

TEST_CASE("a pool serves its share of bytes if placed at load, and the misses of those before it as a cache",
          "[property][variants]") {
    CHECK(rc::check([] {
        const Priced p;
        const Scenario& s = p.c.scenario;
        if (s.resident_pass || states_misses(s) || !s.residency_ranges.empty() || p.touched() == 0.0) return;
        double held = 0.0;
        std::vector<double> beyond(p.pools() + 1, 0.0);
        beyond[0] = p.touched();
        for (std::size_t i = 0; i < p.pools(); ++i) {
            held += p.e.placement.tiers.items[i].expert_share;
            const double share = i + 1 == p.pools() ? *p.e.placement.residency : held;
            if (share >= 1.0) continue;
            if (s.runtime.policy != Policy::cache) beyond[i + 1] = p.touched() * (1.0 - share);
            if (s.runtime.policy != Policy::cache) continue;
            for (const Block& b : p.c.model.blocks) {
                if (!b.experts || !by_hand::runs(b, s, false)) continue;
                const RoutedStep step{static_cast<double>(b.experts->count), by_hand::active(*b.experts, s),
                                      s.positions, s.sequences};
                beyond[i + 1] += static_cast<double>(b.layers.numbers.size()) *
                                 missed_experts(s.locality, step, share) *
                                 by_hand::expert_bytes(*b.experts, p.c.quantization);
            }
        }
        const bool in_place = s.runtime.spill_access == Access::in_place;
        const std::size_t landing = in_place && s.runtime.policy != Policy::cache ? p.pools() - 1 : 0;
        for (std::size_t i = 0; in_place && i < p.pools(); ++i) {
            const double lacking = i == landing ? beyond.back() : 0.0;
            RC_ASSERT(same(p.bytes_read(TermId::read_experts, i), beyond[i] - beyond[i + 1] + lacking, 1e-3));
        }
        for (std::size_t i = 1; !in_place && i < p.pools(); ++i) {
            const double copied = seconds(p.d.terms, TermId::link_experts, static_cast<int>(i));
            RC_ASSERT(same(copied * p.c.machine.links[0].rate->value, beyond[i] - beyond[i + 1], 1e-3));
        }
        RC_ASSERT(same(p.missed(), beyond.back(), 1e-3));
    }));
}

TEST_CASE("the page cache serves what it holds beyond the engine's own slots", "[property][variants]") {
    CHECK(rc::check([] {
        const Priced p;
        const Scenario& s = p.c.scenario;
        if (states_misses(s) || !s.residency_ranges.empty() || p.touched() == 0.0) return;
        const auto& cache = p.e.placement.page_cache;
        RC_ASSERT(cache.has_value() == (s.runtime.read_path == ReadPath::buffered));
        const double share = cache ? std::min(1.0, cache->value / p.e.placement.expert_pool->value) : 0.0;
        if (share <= *p.e.placement.residency) {
            RC_ASSERT(p.page_cached() == 0.0);
            return;
        }
        double left = 0.0;
        for (const Block& b : p.c.model.blocks) {
            if (!b.experts || !by_hand::runs(b, s, false)) continue;
            const RoutedStep step{static_cast<double>(b.experts->count), by_hand::active(*b.experts, s), s.positions,
                                  s.sequences};
            const double missed = s.runtime.policy == Policy::cache ? missed_experts(s.locality, step, share)
                                                                    : touched_experts(s.locality, step) * (1.0 - share);
            left += static_cast<double>(b.layers.numbers.size()) * missed *
                    by_hand::expert_bytes(*b.experts, p.c.quantization);
        }
        RC_ASSERT(same(p.page_cached(), p.missed() - left, 1.0));
    }));
}

TEST_CASE("stated misses are what is read, whatever the placement", "[property][variants]") {
    CHECK(rc::check([] {
        Priced p;
        if (p.touched() == 0.0) return;
        Case c = p.c;
        c.scenario.missed_bytes.reset();
        c.scenario.hit_rate = variants::real(0.0, 1.0);
        const Decode by_rate = evaluate(c).decode;
        RC_ASSERT(same(*by_rate.miss_fraction, 1.0 - *c.scenario.hit_rate));
        RC_ASSERT(seconds(by_rate.terms, TermId::page_cache) == 0.0);
        c.scenario.hit_rate.reset();
        c.scenario.missed_bytes = Bytes(variants::real(0.0, 1.2) * p.touched() / p.tokens());
        const Decode by_bytes = evaluate(c).decode;
        const double stated = std::min(c.scenario.missed_bytes->value, p.touched() / p.tokens());
        RC_ASSERT(same(by_bytes.missed_bytes_per_token->value, stated, 1e-3));
        RC_ASSERT(by_bytes.expert_bytes_per_token->value == p.d.expert_bytes_per_token->value);
        if (c.scenario.resident_pass) return;
        double computed = 0.0;
        for (std::size_t i = 0; i < p.pools(); ++i) {
            computed += seconds(by_bytes.terms, TermId::read_experts, static_cast<int>(i)) * p.read_rate_of(i);
        }
        RC_ASSERT(same(computed, p.touched(), 1e-3));
    }));
}

TEST_CASE("a step reads the weights of the layers that run, the extras, the head and the KV cache",
          "[property][variants]") {
    CHECK(rc::check([] {
        const Priced p;
        const Case& c = p.c;
        if (c.scenario.resident_pass) return;
        const double head = static_cast<double>(c.model.vocabulary) * static_cast<double>(c.model.hidden) *
                            *c.quantization.embedding / 8.0;
        const double outside = static_cast<double>(c.model.extra_params) * *c.quantization.rest / 8.0;
        RC_ASSERT(same(p.bytes_read(TermId::read_fixed), by_hand::layer_bytes(c, false) + outside + head, 1e-3));
        RC_ASSERT(same(p.bytes_read(TermId::read_kv), by_hand::kv_bytes(c, c.scenario.depth), 1e-3));
        for (std::size_t i = 0; i < p.pools(); ++i) {
            const Tier& tier = p.e.placement.tiers.items[i];
            RC_ASSERT(
                same(p.bytes_read(TermId::read_kv, i), tier.kv_share * by_hand::kv_bytes(c, c.scenario.depth), 1e-3));
            const double own = i == 0 ? outside + head : 0.0;
            RC_ASSERT(same(p.bytes_read(TermId::read_fixed, i),
                           tier.weight_share * by_hand::layer_bytes(c, false) + own, 1e-3));
        }
        double lookup = 0.0;
        for (const LookupTable& t : c.model.tables) {
            lookup += static_cast<double>(t.rows_per_token * t.row_params) * *c.quantization.tables / 8.0;
        }
        lookup *= c.scenario.positions * c.scenario.sequences;
        const double at_most = c.machine.storage[0].rate->value;
        RC_ASSERT(seconds(p.d.terms, TermId::lookup) * at_most * kRounding >= lookup);
        if (!c.machine.storage[0].curve.empty()) return;
        RC_ASSERT(same(seconds(p.d.terms, TermId::lookup) * at_most, lookup, 1e-3));
    }));
}

TEST_CASE("a drafter reads its weights, its experts and the head once per pass", "[property][variants]") {
    CHECK(rc::check([] {
        const Priced p;
        const Case& c = p.c;
        const Quantization& q = c.quantization;
        if (c.scenario.resident_pass) return;
        double pass = 0.0, layers = 0.0;
        if (c.model.drafter && c.scenario.positions > 1.0) {
            const Drafter& d = *c.model.drafter;
            const double rest = q.drafter_rest.value_or(*q.rest) / 8.0, bits = q.drafter_experts.value_or(*q.experts);
            pass = static_cast<double>(d.extra_params) * rest;
            pass += static_cast<double>(c.model.vocabulary * c.model.hidden) * *q.embedding / 8.0;
            for (const Block& b : d.blocks) {
                const auto n = static_cast<double>(b.layers.numbers.size());
                pass += n * by_hand::layer_params(b, c.model.hidden) * rest;
                layers += n;
                if (!b.experts) continue;
                pass += n * static_cast<double>(b.experts->active) * by_hand::expert_params(*b.experts) * bits / 8.0;
            }
            const double passes = d.drafts_block ? 1.0 : c.scenario.positions - 1.0;
            pass *= passes;
            layers *= passes;
        }
        RC_ASSERT(same(p.bytes_read(TermId::read_drafter), pass, 1e-3));
        // Fixed times: every layer of the model and of the drafter's passes.
        double fixed = layers * c.scenario.runtime.t_layer.values[0]->value;
        for (std::size_t i = 0; i < p.pools(); ++i) {
            const auto kind = static_cast<std::size_t>(c.machine.memory[i].processor);
            const double here = p.layers() * p.e.placement.tiers.items[i].layers / p.e.placement.sizes.layer_count;
            fixed += here * c.scenario.runtime.t_layer.values[kind]->value;
            if (i == 0)
                fixed += layers *
                         (c.scenario.runtime.t_layer.values[kind]->value - c.scenario.runtime.t_layer.values[0]->value);
        }
        RC_ASSERT(same(seconds(p.d.terms, TermId::layers), fixed));
        double moe = 0.0;
        for (const Block& b : c.model.blocks) {
            const bool routed = b.experts && by_hand::runs(b, c.scenario, false);
            if (routed) moe += static_cast<double>(b.layers.numbers.size());
        }
        const auto each = [](const std::optional<Seconds>& time) { return time ? time->value : 0.0; };
        const Runtime& r = c.scenario.runtime;
        RC_ASSERT(same(seconds(p.d.terms, TermId::moe_layers), moe * each(r.t_layer_moe)));
        RC_ASSERT(same(seconds(p.d.terms, TermId::sync), p.missing_layers() * each(r.t_sync)));
        RC_ASSERT(same(seconds(p.d.terms, TermId::pass), each(r.t_pass)));
    }));
}

TEST_CASE("doubling every rate and halving every time doubles the speed of any case", "[property][variants]") {
    CHECK(rc::check([] {
        const Priced p;
        Case c = p.c;
        const auto half = [](auto& time) {
            if (time) time = *time / 2.0;
        };
        const auto twice = [](auto& rate) {
            if (rate) rate = 2.0 * *rate;
        };
        for (MemoryPool& pool : c.machine.memory) twice(pool.bandwidth);
        for (RatePoint& point : c.machine.storage[0].curve) point.rate = 2.0 * point.rate;
        twice(c.machine.storage[0].rate);
        twice(c.machine.links[0].rate);
        half(c.machine.links[0].latency);
        twice(c.machine.compute.rate);
        twice(c.machine.compute.rated);
        Runtime& r = c.scenario.runtime;
        twice(r.insertion_rate);
        twice(r.page_cache_rate);
        for (auto& time : r.t_layer.values) half(time);
        for (auto* time : {&r.t_layer_moe, &r.t_sync, &r.t_pass, &r.handoff}) half(*time);
        half(c.scenario.resident_pass);
        half(c.scenario.prefill_compute);
        const Estimate e = evaluate(c);
        RC_ASSERT(same(*e.decode.tokens_per_second, 2.0 * *p.d.tokens_per_second));
        const auto& before = p.e.prefill.tokens_per_second;
        RC_ASSERT(e.prefill.tokens_per_second.has_value() == before.has_value());
        if (before) RC_ASSERT(same(*e.prefill.tokens_per_second, 2.0 * *before));
    }));
}

TEST_CASE("a faster part and a better guess never slow a step", "[property][variants]") {
    CHECK(rc::check([] {
        const Priced p;
        const double before = *p.d.tokens_per_second, more = variants::real(1.0, 5.0);
        const auto improved = [&](auto change) {
            Case c = p.c;
            change(c);
            return decode(c) * kRounding >= before;
        };
        RC_ASSERT(improved([&](Case& c) { c.machine.storage[0].rate = more * *c.machine.storage[0].rate; }));
        RC_ASSERT(improved([&](Case& c) { c.machine.links[0].rate = more * *c.machine.links[0].rate; }));
        RC_ASSERT(improved([&](Case& c) { c.machine.links[0].latency = Seconds(0.0); }));
        for (std::size_t i = 0; i < p.c.machine.memory.size(); ++i) {
            RC_ASSERT(
                improved([&](Case& c) { c.machine.memory[i].bandwidth = more * *c.machine.memory[i].bandwidth; }));
        }
        RC_ASSERT(improved([&](Case& c) {
            Runtime& r = c.scenario.runtime;
            r.prefetch_recall += (1.0 - r.prefetch_recall) * variants::real(0.0, 1.0);
        }));
        RC_ASSERT(improved([&](Case& c) { c.scenario.runtime.prefetch_waste *= 0.5; }));
        RC_ASSERT(improved([&](Case& c) { c.scenario.runtime.overlap_decode = 1.0; }));
        RC_ASSERT(improved([&](Case& c) {
            auto& rate = c.scenario.runtime.insertion_rate;
            if (rate) rate = more * *rate;
        }));
    }));
}
