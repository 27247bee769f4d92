// Levers that a user names: any numeric input, by its path of --set. In: words "PATH" or "PATH=FROM:TO". Out: paths
// with the range to search.
#pragma once

#include "explore/levers.h"

#include <string>
#include <vector>

namespace spillway {

// Throws InputError with all problems: no such path, not a number, a range that is none or that the field does not
// allow, and inputs without a value for which no range was given.
std::vector<InputRange> asked_levers(const std::vector<std::string>& words, const Case& c);

// The answers of a phase: of the levers asked for, or of all that there are.
std::vector<LeverAnswer> lever_answers(const Case& c, Phase phase, const std::vector<InputRange>& asked,
                                       const Obtainables& obtainable);

} // namespace spillway
