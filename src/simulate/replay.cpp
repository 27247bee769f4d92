#include "simulate/replay.h"

#include <algorithm>

namespace spillway {

void StoredSteps::add(const LayerStep& step) {
    entries_.push_back({step.first_token, experts_.size(), step.layer, step.phase});
    experts_.insert(experts_.end(), step.experts.begin(), step.experts.end());
    layers_ = std::max(layers_, step.layer + 1U);
    for (const std::uint32_t expert : step.experts) largest_expert_ = std::max(largest_expert_, expert);
}

std::span<const std::uint32_t> StoredSteps::experts(std::size_t i) const {
    const std::uint64_t end = i + 1 < entries_.size() ? entries_[i + 1].begin : experts_.size();
    return std::span(experts_).subspan(entries_[i].begin, end - entries_[i].begin);
}

std::vector<std::uint64_t> next_uses(const StoredSteps& steps) {
    const std::size_t experts = steps.largest_expert() + 1U;
    std::vector<std::uint64_t> later(steps.layers() * experts, kNotUsedAgain);
    std::vector<std::uint64_t> next(steps.all_experts().size());
    for (std::size_t i = steps.size(); i-- > 0;) {
        const auto in_step = steps.experts(i);
        for (std::size_t j = 0; j < in_step.size(); ++j) {
            std::uint64_t& known = later[steps[i].layer * experts + in_step[j]];
            next[steps[i].begin + j] = known;
            known = i;
        }
    }
    return next;
}

double belady_miss(const StoredSteps& steps, std::span<const std::uint64_t> futures, double slots, RoutePhase phase,
                   std::uint64_t warm_after) {
    CacheOptions options;
    options.policy = EvictionPolicy::belady;
    options.experts = steps.largest_expert() + 1U;
    options.expert_sizes.assign(steps.layers(), 1);
    // A slot more than a rounding error below a whole number is that number.
    options.budget.assign(steps.layers(), static_cast<std::uint64_t>(std::max(0.0, slots + 1e-9)));
    ExpertCache cache(options);
    const ReplayCounts counts = replay(steps, futures, cache, [&](const StoredSteps::Entry& entry) {
        return entry.phase == phase && entry.first_token >= warm_after;
    });
    return 1.0 - counts.hit_rate();
}

} // namespace spillway
