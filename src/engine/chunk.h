// One chunk of a prompt: what reading, copying and computing it takes. In: a placed case, the chunk's size. Out: terms
// and times at any place in the prompt; what a chunk moves is counted once for all chunks of the same size.
// See docs/physics.md 8.1 to 8.4.
#pragma once

#include "engine/placement.h"
#include "engine/terms.h"

#include <optional>

namespace spillway {

struct ChunkTime {
    std::optional<Seconds> compute; // max(arithmetic, memory)
    std::optional<Seconds> link;
    std::optional<Seconds> read;
    std::optional<Seconds> total; // less what overlaps
};

// A chunk of so many tokens behind `before` others. The tail of a prompt runs only the layers that ordinary chunks
// skip.
struct Chunk {
    double tokens = 0.0;
    double before = 0.0;
    bool tail = false;
};

// Chunks of one size. Routing is uniform: a decode curve is never stretched to chunks.
class ChunkPrice {
public:
    // Adds the terms of this chunk to `terms`; the placed case must outlive the price.
    ChunkPrice(const PlacedCase& placed, const Chunk& chunk, Terms& terms);

    // The same chunk at another place.
    ChunkTime time(double before) const;
    Bytes read_bytes() const { return read_bytes_; }

private:
    Term arithmetic(double before) const;

    PlacedCase placed_;
    Chunk chunk_;
    double params_ = 0.0;
    std::optional<FlopsPerSecond> rate_;
    Bytes read_bytes_;
    std::optional<Seconds> memory_, link_, read_;
};

} // namespace spillway
