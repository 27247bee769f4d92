// Reading missing experts from the drive that holds the model. In: a placed case, the reads of a step. Out: the
// realised rate and the reads in flight; the rate is empty if the drive is unknown or absent.
// See docs/physics.md 4.2 and 4.3.
#pragma once

#include "engine/placement.h"
#include "engine/traffic.h"

#include <optional>

namespace spillway {

// Experts that a step reads: so many bytes of so many experts in so many layers.
struct ReadDemand {
    Bytes bytes;
    double experts = 0.0;
    double layers = 0.0;
};
ReadDemand misses_of(const StepTraffic& traffic);

// Reads in flight: max(1, min(lanes, experts per layer x pieces)).
struct StorageRead {
    std::optional<BytesPerSecond> rate; // realised
    double in_flight = 1.0;
};
StorageRead storage_read(const Case& c, const Placement& placement, const ReadDemand& demand);

// Rate at which a step's lookup rows are read; empty if the drive is unknown.
std::optional<BytesPerSecond> lookup_rate(const Case& c, const StepTraffic& traffic);

} // namespace spillway
