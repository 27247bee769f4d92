// The two large sections of the text report: what lies where, and where the time goes.
#pragma once

#include "report/page.h"
#include "report/report.h"

namespace spillway {

// Pools, parts, budget, residency, limits of the machine and flags of the engine.
void add_memory(const Report& report, Page& page);

// Named terms of a decode step and of the first prefill chunk.
void add_times(const Report& report, Page& page);

} // namespace spillway
