// The first value of a lever, from its slow end, at which a speed reaches a target: a grid brackets kinks and interior
// optima, bisection ends at neighbouring doubles on the side that meets the target.
#pragma once

#include "explore/break_even.h"

#include <functional>
#include <optional>

namespace spillway {

struct SearchRange {
    bool rising = true; // more is faster
    double low = 0.0, high = 0.0;
    bool logarithmic = false; // searched in the logarithm; low > 0 then
};

struct SearchResult {
    Answer answer = Answer::unknown; // found, holds_everywhere, nowhere, no_effect; unknown where no speed is known
    std::optional<double> value;     // meets the target
    std::optional<double> best;      // highest speed seen
};

// `speed` returns an empty optional where the figure is unknown or nothing fits; such values do not meet the target.
SearchResult search_lever(const SearchRange& range, double target,
                          const std::function<std::optional<double>(double)>& speed);

} // namespace spillway
