// The break-even line: the residency at which decode meets its target, found over evaluate() itself, so that it can
// never disagree with it (docs/physics.md 10.1).
//
// The room src/explore: callers of evaluate() and nothing else; no formula lives here but closed_form.cpp, which checks
// one. In: a Case. Out: what to change, and by how much.
// Read first: this file and lever_search.h (the one search), then levers.h (the same for every input). Each alone:
// sensitivity.h (what moves the answer), residency_curve.h (the chart), sweep.h with figures_of.h (columns) and
// where.h (conditions), gate.h (verdicts of a list against thresholds).
#pragma once

#include "engine/estimate.h"

#include <optional>

namespace spillway {

// What a search for a lever's value can answer.
enum class Answer { found, holds_everywhere, nowhere, no_effect, unknown };

struct ResidencyLine {
    double target = 0.0; // tok/s
    Answer answer = Answer::unknown;
    std::optional<double> residency;     // smallest that meets the target
    std::optional<double> miss_fraction; // there
    std::optional<Bytes> expert_pool; // largest pool that the case's budget holds to that share (bytes per token fixed)
    std::optional<double> best;       // tok/s with everything resident
};

// Holds all else fixed. no_effect: the model has no routed experts.
ResidencyLine residency_line(const Case& c);

} // namespace spillway
