#include "simulate/cache.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace spillway {

ExpertCache::ExpertCache(const CacheOptions& options)
    : policy_(options.policy), scope_(options.scope), experts_(options.experts), sizes_(options.expert_sizes) {
    const auto layers = static_cast<std::uint32_t>(sizes_.size());
    const bool global = scope_ == CacheScope::global;
    assert(experts_ > 0 && layers > 0 && options.budget.size() == (global ? 1U : layers));
    for (std::uint32_t i = 0; i < options.budget.size(); ++i) {
        units_.push_back(
            {EvictionOrder(policy_, global ? layers * experts_ : experts_, options.seed + i), options.budget[i], 0});
    }
    if (policy_ == EvictionPolicy::static_hot) fill_hot_sets(options.popularity);
}

void ExpertCache::fill_hot_sets(const std::vector<std::uint64_t>& popularity) {
    assert(popularity.size() == sizes_.size() * experts_);
    std::vector<std::uint32_t> ranking(popularity.size());
    std::iota(ranking.begin(), ranking.end(), 0U);
    // Most uses per unit of size first; a division would round.
    std::stable_sort(ranking.begin(), ranking.end(), [&](std::uint32_t a, std::uint32_t b) {
        return static_cast<double>(popularity[a]) * static_cast<double>(sizes_[b / experts_]) >
               static_cast<double>(popularity[b]) * static_cast<double>(sizes_[a / experts_]);
    });
    for (const std::uint32_t slot : ranking) {
        const std::uint32_t layer = slot / experts_;
        Unit& cache = unit(layer);
        if (cache.size + sizes_[layer] > cache.budget) continue;
        cache.order.use(id(layer, slot % experts_), kNotUsedAgain);
        cache.size += sizes_[layer];
    }
}

CacheStep ExpertCache::access(std::uint32_t layer, std::span<const std::uint32_t> experts,
                              std::span<const std::uint64_t> next_uses) {
    assert(layer < sizes_.size() && (policy_ != EvictionPolicy::belady || next_uses.size() == experts.size()));
    Unit& cache = unit(layer);
    CacheStep step;
    missed_.clear();
    for (std::size_t i = 0; i < experts.size(); ++i) {
        const std::uint32_t key = id(layer, experts[i]);
        if (cache.order.holds(key)) {
            ++step.hits;
        } else {
            missed_.push_back(experts[i]);
            if (policy_ == EvictionPolicy::static_hot) continue;
            cache.size += sizes_[layer];
        }
        cache.order.use(key, next_uses.empty() ? kNotUsedAgain : next_uses[i]);
    }
    step.misses = static_cast<std::uint32_t>(missed_.size());
    step.missed_size = step.misses * sizes_[layer];
    while (cache.size > cache.budget && !cache.order.empty()) cache.size -= size_of(layer, cache.order.evict());
    return step;
}

bool ExpertCache::holds(std::uint32_t layer, std::uint32_t expert) const {
    return units_[scope_ == CacheScope::global ? 0 : layer].order.holds(id(layer, expert));
}

std::uint64_t ExpertCache::size() const {
    std::uint64_t sum = 0;
    for (const Unit& cache : units_) sum += cache.size;
    return sum;
}

} // namespace spillway
