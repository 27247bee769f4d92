// The residents of one cache in the order in which they leave it, for every policy.
#pragma once

#include "inputs/fields.h"
#include "simulate/rng.h"

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace spillway {

// lru: the one not used for longest. lfu: the one with fewest uses so far, counted also while it was out, of equals the
// one not used for longest. fifo: the one inserted first. random: any, equally likely. static_hot: contents never
// change. belady: the one used again latest - the optimum where all sizes of a cache are equal (exchange of the two
// candidates never adds a miss); with unequal sizes in one cache it is a good heuristic, no bound.
enum class EvictionPolicy { lru, lfu, fifo, random, static_hot, belady };
template <>
struct EnumNames<EvictionPolicy> {
    static constexpr std::array<std::string_view, 6> names = {"lru", "lfu", "fifo", "random", "static_hot", "belady"};
};

inline constexpr std::uint64_t kNotUsedAgain = std::numeric_limits<std::uint64_t>::max();

class EvictionOrder {
public:
    EvictionOrder(EvictionPolicy policy, std::uint32_t ids, std::uint64_t seed);

    bool holds(std::uint32_t id) const { return place_[id] != kOut; }
    // A use of an id, which is inserted if it is not there. `next_use` is belady's.
    void use(std::uint32_t id, std::uint64_t next_use);
    // Takes out the next to leave; there has to be one.
    std::uint32_t evict();
    bool empty() const { return resident_ == 0; }

private:
    static constexpr std::uint32_t kOut = std::numeric_limits<std::uint32_t>::max();
    // Least key leaves first; the second part breaks ties.
    struct Key {
        std::uint64_t first = 0, second = 0;
        auto operator<=>(const Key&) const = default;
    };

    bool in_list() const { return policy_ == EvictionPolicy::lru || policy_ == EvictionPolicy::fifo; }
    void unlink(std::uint32_t id);
    void append(std::uint32_t id);
    void place_in_heap(std::uint32_t id, Key key);
    void sift_up(std::uint32_t at);
    void sift_down(std::uint32_t at);
    void put(std::uint32_t at, std::uint32_t id);

    EvictionPolicy policy_;
    Rng rng_;
    std::uint32_t resident_ = 0;
    std::uint64_t clock_ = 0;
    std::vector<std::uint32_t> place_;          // by id: heap or array index, or anything but kOut in a list
    std::vector<std::uint32_t> before_, after_; // lru, fifo: a ring through the extra id at the end
    std::vector<std::uint32_t> order_;          // lfu, belady: a heap; random, static_hot: an array
    std::vector<Key> keys_;                     // lfu, belady, by id
    std::vector<std::uint64_t> uses_;           // lfu, by id
};

} // namespace spillway
