// Time of one decode step: named terms whose sum is the step, and the speeds that follow.
// In: a placed case whose residency is known, a locality. Out: Decode; empty figures where an operand is unknown.
// See docs/physics.md 7.2 to 7.6.
#pragma once

#include "engine/placement.h"
#include "engine/terms.h"

#include <optional>

namespace spillway {

struct Decode {
    std::optional<double> tokens_per_second;        // per sequence
    std::optional<double> tokens_per_second_total;  // over all sequences
    std::optional<double> no_overlap, full_overlap; // bounds
    std::optional<Seconds> step, resident, storage; // storage before hiding
    std::optional<Bytes> expert_bytes_per_token;
    std::optional<Bytes> missed_bytes_per_token;
    std::optional<double> miss_fraction;
    std::optional<Bytes> missed_bytes_per_layer;
    std::optional<Seconds> storage_per_layer, resident_per_layer;
    std::optional<double> bandwidth_bound;      // tok/s that no pool's bandwidth lets a step exceed
    std::optional<BytesPerSecond> storage_rate; // realised, at the piece size and depth of this step
    double reads_in_flight = 1.0;
    std::optional<Limit> limit;
    Terms terms;
};

Decode decode_timing(const PlacedCase& placed, const Locality& locality);

} // namespace spillway
