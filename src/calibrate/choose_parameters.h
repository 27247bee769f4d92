// Inputs to fit, from their paths. In: "PATH" or "PATH=START" texts and the rows. Out: start values, limits and widths
// of belief from the files that the rows' cases came from; the rows are left with the start values.
#pragma once

#include "calibrate/fit.h"
#include "io/provenance.h"

#include <optional>
#include <string>
#include <vector>

namespace spillway {

// `prior`: width for all terms as a factor; 0: none; empty: by the basis of the value that a file gives.
// Throws InputError with all problems: no such path, no row that has it, a start that is unknown or zero.
std::vector<Parameter> choose_parameters(const std::vector<std::string>& texts, const std::optional<double>& prior,
                                         const Sources& sources, std::vector<Observation>& rows);

} // namespace spillway
