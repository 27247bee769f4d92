// What follows from the residency line and has no input of its own. In: the answer of the residency lever. Out: miss
// fraction, expert pool and how many times fewer misses than under uniform routing the line needs.
#pragma once

#include "explore/levers.h"

#include <vector>

namespace spillway {

// Adds the three behind the line's own answer; none in prefill.
void add_derived(const Case& c, const Estimate& own, const LeverAnswer& line, std::vector<LeverAnswer>& answers);

} // namespace spillway
