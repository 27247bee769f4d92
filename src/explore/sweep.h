// Many evaluations: every base case times every point of the axes, in a fixed order, on all cores, with results handed
// over in that order, so that memory stays flat however large the grid is.
#pragma once

#include "engine/estimate.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace spillway {

// A numeric input that takes these values in turn (base units).
struct Axis {
    std::string path;
    std::vector<double> values;
};

// The grid. Row n is base case n / points, and within it the last axis moves fastest. Every base case must have every
// axis' path.
struct Grid {
    std::vector<Case> bases;
    std::vector<Axis> axes;
    std::uint64_t shard = 0, shards = 1; // rows with n % shards == shard are evaluated

    std::uint64_t points() const; // per base case
    std::uint64_t rows() const;   // in all shards
};

// One evaluated row. References are valid during the call only.
struct GridRow {
    std::uint64_t number = 0;
    std::size_t base = 0;
    const std::vector<double>& axis_values;
    const Case& value;
    const Estimate& estimate;
};

// What becomes of a block of rows: `add` is called for each of its rows, in order, on any thread (one block is never
// on two threads); then `done` once, on the calling thread, blocks in order.
struct BlockSink {
    std::function<void(const GridRow&, std::string& out)> add;
    std::function<void(std::string&&)> done;
};

struct SweepResult {
    std::uint64_t evaluated = 0; // rows handed over; a complete prefix of the shard
    std::uint64_t wanted = 0;
};

// Runs the grid on `threads` threads (0: all cores). Ends early, after whole blocks, once `stop` is true.
SweepResult sweep(const Grid& grid, const BlockSink& sink, const std::atomic<bool>& stop, unsigned threads = 0);

} // namespace spillway
