// Read rate of a drive at a piece size and a number of reads in flight (docs/physics.md 3.2).
#pragma once

#include "inputs/machine.h"

#include <optional>

namespace spillway {

// The highest rate the drive is known to reach: its stated rate, else the top of its curve; empty if neither is known.
std::optional<BytesPerSecond> ceiling_rate(const Drive& drive);

// Rate at `piece` bytes with `in_flight` reads: a power law between measured points (linear in log size, log depth
// and log rate, which is exact where latency bounds), monotone in both, flat outside the measured range, never above
// the ceiling. A drive without a curve is flat. The curve must be sorted by piece, then in_flight. Empty if unknown.
std::optional<BytesPerSecond> read_rate(const Drive& drive, Bytes piece, double in_flight);

} // namespace spillway
