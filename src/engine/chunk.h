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

// Chunks of `tokens` tokens; the tail of a prompt runs only the layers that ordinary chunks skip. Routing is uniform: a
// decode curve is never stretched to chunks.
class ChunkPrice {
public:
    ChunkPrice(const PlacedCase& placed, double tokens, bool tail = false);

    // The chunk behind `before` tokens; the placed case must still be there.
    Terms terms(double before) const;
    ChunkTime time(double before) const;
    Bytes read_bytes() const { return read_bytes_; }

private:
    Term arithmetic(double before) const;

    PlacedCase placed_;
    double tokens_;
    bool tail_;
    double params_ = 0.0;
    std::optional<FlopsPerSecond> rate_;
    Bytes read_bytes_;
    Terms terms_; // the first one is the arithmetic
    std::optional<Seconds> memory_, link_, read_;
};

} // namespace spillway
