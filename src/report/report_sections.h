// The two large sections of a report's document: what lies where, and where the time goes.
#pragma once

#include "report/document.h"
#include "report/report.h"

#include <string>

namespace spillway {

// Pools, parts, budget, residency, limits of the machine and flags of the engine.
void add_memory(const Report& report, Document& document);

// Named terms of a decode step and of the first prefill chunk.
void add_times(const Report& report, Document& document);

// "190.7 of 256 experts per layer".
std::string slots_text(const Report& report);

} // namespace spillway
