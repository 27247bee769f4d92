#include "engine/expert_reads.h"

#include <algorithm>

namespace spillway {

ExpertReads::ExpertReads(const PlacedCase& placed, const Locality& locality, const StepShape& step)
    : placed_(placed), locality_(locality), step_(step), stated_(stated_miss_fraction()) {}

RoutedStep ExpertReads::routed_step(const Block& block) const {
    return {static_cast<double>(block.experts->count), active_experts(*block.experts, placed_.c.scenario),
            step_.positions, step_.sequences};
}

// Missed bytes are those of a token: a step misses them for each token that it yields.
std::optional<double> ExpertReads::stated_miss_fraction() const {
    const Scenario& s = placed_.c.scenario;
    if (step_.prefill || !states_misses(s)) return std::nullopt;
    if (s.hit_rate) return 1.0 - *s.hit_rate;
    Bytes touched;
    for (std::size_t i = 0; i < placed_.c.model.blocks.size(); ++i) {
        const Block& block = placed_.c.model.blocks[i];
        const LayerKind& kind = placed_.sizes.kinds[i];
        if (!block.experts || !kind.expert || !takes_part(block, s, step_)) continue;
        touched += kind.layers * touched_experts(locality_, routed_step(block)) * *kind.expert;
    }
    if (touched.value <= 0.0) return 0.0;
    return std::min(1.0, s.accepted * s.sequences * *s.missed_bytes / touched);
}

// What memory serves is spread over the pools as the placement has it; all is served by the first where it holds none.
void ExpertReads::serve_as_stated(double miss_fraction) {
    const std::size_t pools = placed_.placement.tiers.size;
    const double touched = reads_.touched, missed = miss_fraction * touched;
    const double served = touched - reads_.beyond[pools - 1];
    for (std::size_t i = 0; i < pools; ++i) {
        const double share = served > 0.0 ? (touched - reads_.beyond[i]) / served : 1.0;
        reads_.beyond[i] = touched - share * (touched - missed);
    }
    reads_.beyond[pools - 1] = missed;
    reads_.after_page_cache = missed;
}

const LayerReads& ExpertReads::of(const Block& block) {
    const RoutedStep routed = routed_step(block);
    const double residency = block_residency(block, placed_.c.scenario, placed_.placement.unforced_residency);
    if (routed.experts != last_.experts || routed.active != last_.active || residency != residency_) {
        last_ = routed;
        residency_ = residency;
        compute(residency);
        if (stated_) serve_as_stated(*stated_);
    }
    return reads_;
}

double ExpertReads::beyond(double share) const {
    if (share >= 1.0) return 0.0;
    const bool by_use = !step_.prefill && placed_.c.scenario.runtime.policy == Policy::cache;
    return by_use ? missed_experts(locality_, last_, share) : reads_.touched * (1.0 - share);
}

void ExpertReads::compute(double residency) {
    const Placement& p = placed_.placement;
    reads_.touched = touched_experts(locality_, last_);
    const double whole = p.residency.value_or(0.0);
    const double scale = whole > 0.0 ? residency / whole : 0.0;
    double held = 0.0;
    for (std::size_t i = 0; i < p.tiers.size; ++i) {
        held += p.tiers.items[i].expert_share * scale;
        const bool all = i + 1 == p.tiers.size;
        reads_.beyond[i] = beyond(all ? residency : held);
    }
    reads_.after_page_cache = reads_.beyond[p.tiers.size - 1];
    if (!p.page_cache || !p.expert_pool || p.expert_pool->value <= 0.0) return;
    // Inclusive caches: pages that the engine keeps in its own slots stay in the page cache too, so that it adds only
    // what it holds beyond them.
    const double cached = std::min(1.0, *p.page_cache / *p.expert_pool);
    if (cached > residency) reads_.after_page_cache = beyond(cached);
}

} // namespace spillway
