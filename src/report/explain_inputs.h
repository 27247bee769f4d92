// The inputs behind each line of the arithmetic. In: a report and its lines. Out: the lines with their paths.
#pragma once

#include "report/explain.h"

#include <vector>

namespace spillway {

// Fills in `paths`: every numeric input of the case whose change moves the line's value, or an operand of it where the
// value is unknown, by trying each; the strongest first. Points of a curve count as the curve, shapes of the model as
// "model".
void find_inputs(const Report& report, std::vector<ExplainLine>& lines);

} // namespace spillway
