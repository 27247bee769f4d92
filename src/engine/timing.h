// Seconds from traffic: (Machine, Runtime, Traffic) -> named terms whose sum is the step (physics.md sections 6, 7).
#pragma once

#include "engine/traffic.h"

#include <optional>

namespace spillway {

// Time of one decode step under a locality. Needs a placement that fits and a known residency.
Decode decode_timing(const Case& c, const Placement& placement, const Locality& locality);

// Time of the whole prompt, chunk by chunk; the terms are those of the first chunk (and the tail's read).
Prefill prefill_timing(const Case& c, const Placement& placement);

// Seconds that `bytes` of misses take from the drive of the machine: piece by piece, so many at once; empty if the
// drive is unknown or absent. `in_flight` returns the reads in flight: max(1, min(lanes, experts per layer x pieces)).
struct StorageRead {
    std::optional<BytesPerSecond> rate; // realised
    double in_flight = 1.0;
};
StorageRead storage_read(const Case& c, const Placement& placement, Bytes bytes, double experts, double layers);

} // namespace spillway
