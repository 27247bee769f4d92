// What the numbers mean: verdict against the targets, notes on what is unknown or leans on a bound, and two small
// figures of the machine alone.
#pragma once

#include "engine/estimate.h"

namespace spillway {

// holds: known and at least the target; fails: below it, or a bound is; depends: fails here, holds under a measured
// alternative; unknown: an input is missing and no bound decides.
Verdict judge(const Case& c, const Estimate& e);

// Every reason why a figure is missing, or is less sure than it looks.
FixedList<Note, 24> notes(const Case& c, const Estimate& e);

// Bytes that the first pool streams while the drive reads one byte; empty if a rate is unknown.
std::optional<double> storage_cost_ratio(const Case& c);

// Time to read everything resident from the drive once, at its ceiling.
std::optional<Seconds> load_time(const Case& c, const Placement& placement);

} // namespace spillway
