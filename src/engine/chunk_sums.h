// Times summed over the chunks of a prompt. In: the price of a chunk. Out: sums; a long prompt costs no loop over all
// of its chunks, because their time is linear in their place between a few kinks. See docs/physics.md 8.6.
#pragma once

#include "engine/chunk.h"

#include <cstdint>

namespace spillway {

struct PromptSums {
    std::optional<Seconds> total = Seconds(0.0), read = Seconds(0.0);
    Seconds compute, link, storage; // of the chunks where they are known

    void add(const ChunkTime& time, double times = 1.0);
};

// `count` chunks of `tokens` tokens one behind the other, behind `before` others. The first kChunksListed are
// added one by one; of the others whole runs whose time grows linearly (windows, top-k and the longer of two sides make
// the kinks) are added as count x mean of the ends, which is exact up to rounding.
inline constexpr std::int64_t kChunksListed = 64;
struct ChunkRow {
    double before = 0.0, tokens = 0.0;
    std::int64_t count = 0;
};
void add_chunks(const ChunkPrice& price, const ChunkRow& row, PromptSums& sums);

} // namespace spillway
