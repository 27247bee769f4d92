// Caches of experts, step by step: which policy keeps what. One rule for all of them, the one that real engines follow
// and that published hit rates (Helldez/BigMoeOnEdge) rest on: all experts of a step are looked up, those that miss are
// inserted, and only then is evicted, one victim after the other, until the contents fit the budget.
#pragma once

#include "inputs/fields.h"
#include "simulate/eviction_order.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace spillway {

enum class CacheScope { per_layer, global };
template <>
struct EnumNames<CacheScope> {
    static constexpr std::array<std::string_view, 2> names = {"per_layer", "global"};
};

// Sizes are in any whole unit: bytes, or slots when every expert has size 1.
struct CacheOptions {
    EvictionPolicy policy = EvictionPolicy::lru;
    CacheScope scope = CacheScope::per_layer;
    std::uint32_t experts = 0;               // E: expert ids are below it
    std::vector<std::uint64_t> expert_sizes; // by layer; one entry per layer
    std::vector<std::uint64_t> budget;       // by layer, or one entry for the global cache
    std::uint64_t seed = 1;                  // random
    std::vector<std::uint64_t> popularity;   // static_hot: uses of layer x E + expert, most used kept
};

// What one step of one layer did.
struct CacheStep {
    std::uint32_t hits = 0;
    std::uint32_t misses = 0;
    std::uint64_t missed_size = 0; // what has to be read
};

class ExpertCache {
public:
    explicit ExpertCache(const CacheOptions& options);

    // Distinct experts of one layer. For belady, `next_uses` says per expert in which later step it is used again
    // (any rising number; kNotUsedAgain if never); the other policies do not look at it.
    CacheStep access(std::uint32_t layer, std::span<const std::uint32_t> experts,
                     std::span<const std::uint64_t> next_uses = {});

    // The experts that missed in the last access, in its order.
    std::span<const std::uint32_t> missed() const { return missed_; }
    bool holds(std::uint32_t layer, std::uint32_t expert) const;
    std::uint64_t size() const;

private:
    struct Unit { // a layer's cache, or the global one
        EvictionOrder order;
        std::uint64_t budget = 0;
        std::uint64_t size = 0;
    };
    Unit& unit(std::uint32_t layer) { return units_[scope_ == CacheScope::global ? 0 : layer]; }
    std::uint32_t id(std::uint32_t layer, std::uint32_t expert) const {
        return scope_ == CacheScope::global ? layer * experts_ + expert : expert;
    }
    std::uint64_t size_of(std::uint32_t layer, std::uint32_t id) const {
        return sizes_[scope_ == CacheScope::global ? id / experts_ : layer];
    }
    void fill_hot_sets(const std::vector<std::uint64_t>& popularity);

    EvictionPolicy policy_;
    CacheScope scope_;
    std::uint32_t experts_;
    std::vector<std::uint64_t> sizes_;
    std::vector<Unit> units_;
    std::vector<std::uint32_t> missed_;
};

} // namespace spillway
