// Which inputs matter, found by trying: each numeric input of a case is moved a little and the case evaluated again, so
// that no list beside the formulas can fall behind them. In: Case. Out: one call per input and direction.
#pragma once

#include "engine/estimate.h"
#include "text/paths.h"

#include <functional>
#include <optional>
#include <string>

namespace spillway {

// The share by which an input is moved.
inline constexpr double kNudge = 0.01;

// `value` moved by a hundredth, up or down (at least one where only whole numbers make sense; a share or number of 0 by
// a hundredth); empty where the field's range has no room, or where 0 has no natural step.
std::optional<double> nudged(const NumberField& field, double value, bool up);

// A case with one input moved, and its estimate. References are valid during the call only.
struct Tried {
    const std::string& path; // canonical
    const Case& value;
    const Estimate& estimate;
    double change = 1.0; // of the input, as a share of it; 1 where it was 0, unknown, or is no number
};

// Calls `see` for each numeric input that has a value, moved up and moved down, without the measured alternatives; each
// input that is unknown, set to some value; and, under uniform routing, another curve as "scenario.locality".
void try_inputs(const Case& c, const std::function<void(const Tried&)>& see);

} // namespace spillway
