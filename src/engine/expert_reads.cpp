#include "engine/expert_reads.h"

#include <algorithm>

namespace spillway {

const LayerReads& ExpertReads::of(const Block& block) {
    const Scenario& s = placed_.c.scenario;
    const RoutedStep routed{static_cast<double>(block.experts->count), active_experts(*block.experts, s),
                            step_.positions, step_.sequences};
    const double residency = block_residency(block, s, placed_.placement.unforced_residency);
    if (routed.experts != last_.experts || routed.active != last_.active || residency != residency_) {
        last_ = routed;
        residency_ = residency;
        compute(residency);
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
