// Figures of an estimate by the names that the JSON of `report` has, joined by dots: columns of sweeps, operands of
// --where and --sort.
#pragma once

#include "engine/estimate.h"

#include <optional>
#include <string_view>
#include <vector>

namespace spillway {

// A figure: a number (empty: unknown), or one of a few words.
struct Figure {
    std::string_view name;
    std::optional<double> (*number)(const Estimate&) = nullptr;
    std::string_view (*word)(const Estimate&) = nullptr;
};

// Null if there is none of this name.
const Figure* find_figure(std::string_view name);
const std::vector<Figure>& all_figures();

} // namespace spillway
