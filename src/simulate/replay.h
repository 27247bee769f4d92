// A trace through one cache: the steps as they were, kept in memory where a policy has to know the future.
#pragma once

#include "simulate/cache.h"
#include "simulate/layer_steps.h"

#include <cstdint>
#include <span>
#include <vector>

namespace spillway {

// Steps kept: 4 bytes per lookup (8 more while belady looks ahead) and 24 per step and layer.
class StoredSteps {
public:
    struct Entry {
        std::uint64_t first_token = 0;
        std::uint64_t begin = 0; // of its experts
        std::uint32_t layer = 0;
        RoutePhase phase = RoutePhase::decode;
    };

    void add(const LayerStep& step);
    std::size_t size() const { return entries_.size(); }
    const Entry& operator[](std::size_t i) const { return entries_[i]; }
    std::span<const std::uint32_t> experts(std::size_t i) const;
    std::span<const std::uint32_t> all_experts() const { return experts_; }
    std::uint32_t layers() const { return layers_; }
    std::uint32_t largest_expert() const { return largest_expert_; }

private:
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> experts_;
    std::uint32_t layers_ = 0; // largest layer + 1
    std::uint32_t largest_expert_ = 0;
};

// Per lookup of the stored steps the index of the step that uses the same expert of the same layer next.
std::vector<std::uint64_t> next_uses(const StoredSteps& steps);

struct ReplayCounts {
    std::uint64_t hits = 0;
    std::uint64_t lookups = 0;
    std::uint64_t missed_size = 0;

    double hit_rate() const { return lookups == 0 ? 0.0 : static_cast<double>(hits) / static_cast<double>(lookups); }
};

// Runs the steps through a cache from cold; counts those that `counted(entry)` accepts.
template <class Counted>
ReplayCounts replay(const StoredSteps& steps, std::span<const std::uint64_t> futures, ExpertCache& cache,
                    Counted counted) {
    ReplayCounts counts;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto experts = steps.experts(i);
        const auto future = futures.empty() ? futures : futures.subspan(steps[i].begin, experts.size());
        const CacheStep step = cache.access(steps[i].layer, experts, future);
        if (!counted(steps[i])) continue;
        counts.hits += step.hits;
        counts.lookups += experts.size();
        counts.missed_size += step.missed_size;
    }
    return counts;
}

// Belady's miss fraction with per-layer caches of equally many slots: the optimum no policy can beat. `slots` is
// rounded down; lookups of the phase are counted from the token `warm_after` on.
double belady_miss(const StoredSteps& steps, std::span<const std::uint64_t> futures, double slots, RoutePhase phase,
                   std::uint64_t warm_after);

} // namespace spillway
