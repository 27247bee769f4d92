// The oldest check of decode figures: rows that differ in their weights alone lie on a line, seconds per step = bytes /
// rate + constant. In: observations. Out: a line per machine, model and engine, unconstrained, so that a rate that is
// negative or above its rating shows up instead of being held by a limit.
#pragma once

#include "calibrate/observation.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace spillway {

enum class LineState {
    good,
    negative_rate,     // time falls with bytes: these rows cannot carry a rate
    above_rating,      // the rate is more than the memory is rated at
    negative_constant, // the constant is below zero by more than two standard errors
};
template <>
struct EnumNames<LineState> {
    static constexpr std::array<std::string_view, 4> names = {"good", "negative_rate", "above_rating",
                                                              "negative_constant"};
};

struct Line {
    std::string machine, model, engine, group;
    double depth = 0.0;
    std::vector<std::size_t> rows;                    // indices of the observations
    double rate = 0.0, constant = 0.0;                // bytes per second, seconds; least squares in seconds
    std::optional<double> rate_error, constant_error; // one sigma; empty without a degree of freedom
    double correlation = 0.0;                         // of slope and constant
    int degrees_of_freedom = 0;
    std::optional<double> rated; // bandwidth of the pool
    LineState state = LineState::good;
};

inline constexpr std::size_t kLineSizes = 3; // distinct sizes of weights that a line needs

// Decode rows of one pool whose every weight lies in memory, by what else they have in common.
std::vector<Line> lines(const std::vector<Observation>& rows);

// Rows that lie on a line with a negative rate.
std::vector<std::size_t> refused(const std::vector<Line>& lines);

} // namespace spillway
