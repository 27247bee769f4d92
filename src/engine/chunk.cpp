#include "engine/chunk.h"

#include "engine/attention.h"
#include "engine/reading.h"
#include "engine/traffic.h"
#include "engine/transfers.h"

#include <algorithm>

namespace spillway {

namespace {

StepShape shape_of(const Chunk& chunk) { return {chunk.tokens, 1.0, true, chunk.tail}; }

StepTraffic traffic_of(const PlacedCase& placed, const Chunk& chunk) {
    static const Locality uniform{};
    return traffic(placed, uniform, shape_of(chunk));
}

// Of the terms from `first` on; empty as soon as one of them is unknown.
std::optional<Seconds> total_from(const Terms& terms, std::size_t first, Limit limit) {
    Seconds sum;
    for (std::size_t i = first; i < terms.size; ++i) {
        const Term& term = terms.items[i];
        if (info_of(term.id).limit != limit) continue;
        if (!term.seconds) return std::nullopt;
        sum += *term.seconds;
    }
    return sum;
}

std::optional<FlopsPerSecond> compute_rate(const Case& c, const StepTraffic& t) {
    // Layers or experts that another processor computes in place have no known arithmetic rate.
    for (std::size_t i = 1; i < kMaxPools; ++i) {
        if (t.pools[i].fixed.value > 0.0 || t.pools[i].experts.value > 0.0) return std::nullopt;
    }
    const Compute& compute = c.machine.compute;
    if (compute.rate) return compute.rate;
    const auto kind = static_cast<std::size_t>(c.machine.memory.front().processor);
    const std::optional<double> share = c.scenario.runtime.compute_share.values[kind];
    if (compute.rated && share) return *compute.rated * *share;
    return std::nullopt;
}

void add_memory(const PlacedCase& placed, const StepTraffic& t, Terms& terms) {
    if (placed.c.scenario.prefill_compute) return;
    for (std::size_t i = 0; i < placed.placement.tiers.size; ++i) {
        const MemoryPool& pool = placed.c.machine.memory[i];
        const int index = static_cast<int>(i);
        add_transfer(terms, TermId::memory_fixed, index, {t.pools[i].fixed, pool.bandwidth, pool.sustained});
        add_transfer(terms, TermId::memory_experts, index, {t.pools[i].experts, pool.bandwidth, pool.sustained});
    }
}

void add_link(const PlacedCase& placed, const StepTraffic& t, Terms& terms) {
    const std::vector<Link>& links = placed.c.machine.links;
    for (std::size_t i = 1; i < placed.placement.tiers.size; ++i) {
        const int index = static_cast<int>(i);
        const auto rate = links.empty() ? std::nullopt : links.front().rate;
        add_transfer(terms, TermId::link_chunk, index, {t.pools[i].over_link, rate});
        if (links.empty() || !links.front().latency) continue;
        add(terms, repeated_time(TermId::link_latency, index, t.pools[i].transfers, links.front().latency));
    }
}

void add_reading(const PlacedCase& placed, const StepTraffic& t, bool tail, Terms& terms) {
    const auto rate = storage_read(placed.c, placed.placement, misses_of(t)).rate;
    add_transfer(terms, tail ? TermId::storage_tail : TermId::storage_chunk, kOnStorage, {t.missed, rate});
    if (t.page_cache.value <= 0.0) return;
    const auto cache_rate = placed.c.scenario.runtime.page_cache_rate;
    add_transfer(terms, TermId::page_cache, kOnStorage, {t.page_cache, cache_rate});
}

} // namespace

ChunkPrice::ChunkPrice(const PlacedCase& placed, const Chunk& chunk, Terms& terms) : placed_(placed), chunk_(chunk) {
    const StepTraffic t = traffic_of(placed, chunk);
    const std::size_t first = terms.size;
    params_ = t.params;
    rate_ = compute_rate(placed.c, t);
    read_bytes_ = t.missed + t.page_cache;
    add(terms, arithmetic(chunk.before));
    add_memory(placed, t, terms);
    add_link(placed, t, terms);
    add_reading(placed, t, chunk.tail, terms);
    memory_ = total_from(terms, first, Limit::memory);
    link_ = total_from(terms, first, Limit::link);
    read_ = total_from(terms, first, Limit::storage);
}

Term ChunkPrice::arithmetic(double before) const {
    const Scenario& s = placed_.c.scenario;
    if (s.prefill_compute) return given_time(TermId::forced_compute, 0, *s.prefill_compute);
    Flops attention;
    for (const Block& block : placed_.c.model.blocks) {
        if (!block.attention || !takes_part(block, s, shape_of(chunk_))) continue;
        attention += layer_count(block) * attention_flops(*block.attention, chunk_.tokens, before);
    }
    return work_time(TermId::compute, {params_, chunk_.tokens, attention, rate_});
}

ChunkTime ChunkPrice::time(double before) const {
    ChunkTime time{std::nullopt, link_, read_, std::nullopt};
    const std::optional<Seconds> arithmetic_time = arithmetic(before).seconds;
    if (arithmetic_time && memory_) time.compute = std::max(*arithmetic_time, *memory_);
    if (!time.compute || !link_ || !read_) return time;
    const Seconds moved = *link_ + *read_;
    const Seconds hidden = placed_.c.scenario.runtime.overlap_prefill * std::min(*time.compute, moved);
    time.total = *time.compute + moved - hidden;
    return time;
}

} // namespace spillway
