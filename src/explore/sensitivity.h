// Which inputs move the answer: relative change of decode and prefill speed per relative change of each input, by
// evaluating the altered case.
#pragma once

#include "estimate.h"

#include <optional>
#include <string>
#include <vector>

namespace spillway {

// One input. A value of -0.8 says: 1 % more of it costs 0.8 % of the speed.
struct Influence {
    std::string path;
    double value = 0.0; // base units
    std::optional<double> decode;
    std::optional<double> prefill;
};

// All numeric inputs of the case that change decode or prefill, sorted by the larger of the two effects. Inputs that
// are unknown or zero, and those that have no effect, are left out. Count fields that must be whole are moved by one.
std::vector<Influence> influences(const Case& c);

} // namespace spillway
