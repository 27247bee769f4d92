// Two figures of a machine's drive beside its memory. In: Case, Placement. Out: empty if a rate is unknown.
// See docs/physics.md 5.5.
#pragma once

#include "engine/placement.h"

namespace spillway {

// Bytes that the first pool streams while the drive reads one byte.
std::optional<double> storage_cost_ratio(const Machine& machine);

// Time to read everything resident from the drive once, at its ceiling.
std::optional<Seconds> load_time(const Case& c, const Placement& placement);

} // namespace spillway
