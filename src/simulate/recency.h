// Exact LRU stack distances, the quantity behind the whole miss curve: how many distinct others were used since an
// expert was used last. Two structures: one for the few hundred experts of a layer, one for tens of thousands.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace spillway {

// Position of something that was never used before.
inline constexpr std::uint32_t kNeverUsed = std::numeric_limits<std::uint32_t>::max();

// The recency order of one layer's experts, kept as the position of each: a lookup is one load, and moving an expert
// from position p to the front adds one to every position below p, a pass over E small integers that the compiler
// vectorises. Linear in E, but for E <= 384 that is 8 to 48 instructions of 16 bytes. Rejected: a list that is searched
// and moved (memchr, memmove), which is slower when locality is poor, and trees, which are slower at this size.
class LayerRecency {
public:
    // Positions of all experts of a step before the step, into `positions` (one per expert; kNeverUsed: first use);
    // then the step's experts move to the front in their order. The experts have to be distinct.
    void step(std::span<const std::uint32_t> experts, std::span<std::uint32_t> positions);

    // Experts that were used so far.
    std::uint32_t used() const { return used_; }

private:
    void grow(std::uint32_t experts);

    // Up to 256 experts one byte each, beyond that two: half the bytes, twice the speed. Experts not used yet lie
    // behind all others, in any order.
    std::vector<std::uint8_t> narrow_;
    std::vector<std::int16_t> wide_;
    std::vector<std::uint8_t> seen_;
    std::uint32_t used_ = 0;
};

// The same for any number of ids: a bit per point in time, set where an id was used last. The position of an id is the
// number of bits behind its own; a Fenwick tree over words of 64 bits counts them. When the points in time run out,
// the ids in use are renumbered. Logarithmic in the number of distinct ids, whatever the length.
class WideRecency {
public:
    WideRecency();

    // Position of `id` now; then touch() moves it to the front. Ids are small and dense.
    std::uint32_t position(std::uint32_t id) const;
    void touch(std::uint32_t id);

    std::uint32_t used() const { return live_; }

private:
    void compact();
    void finish_word(std::uint32_t word);

    std::vector<std::uint64_t> words_;
    std::vector<std::uint32_t> tree_;  // Fenwick, from 1, over the words before the current one
    std::vector<std::uint32_t> id_at_; // by point in time
    std::vector<std::uint32_t> last_;  // by id: point in time, kNeverUsed
    std::uint32_t now_ = 0;
    std::uint32_t live_ = 0;
};

} // namespace spillway
