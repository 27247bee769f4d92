// What the numbers mean: the verdict against the targets, notes on what is unknown or leans on a bound.
// In: Case and what was computed of it. Out: Verdict and notes. See docs/physics.md 9.
#pragma once

#include "engine/decode.h"
#include "engine/prefill.h"

namespace spillway {

// holds: known and at least the target; fails: below it, or a bound is; depends: fails here, holds under a measured
// alternative; unknown: an input is missing and no bound decides.
enum class State { holds, fails, depends, unknown };

struct Verdict {
    State decode = State::unknown;
    State prefill = State::unknown;
    State overall = State::unknown;
    std::optional<double> decode_shortfall; // tok/s
    std::optional<double> prefill_shortfall;
};

// What a measured locality would change.
struct Alternative {
    std::optional<double> tokens_per_second;
    std::optional<double> miss_fraction;
};
using Alternatives = FixedList<Alternative, 8>;
using Notes = FixedList<Note, 24>;

// What was computed of a case; it only refers to it.
struct Computed {
    const Placement& placement;
    const Decode& decode;
    const Prefill& prefill;
    const Alternatives& alternatives;
};

Verdict judge(const Scenario& scenario, const Computed& computed);

// Every reason why a figure is missing, or is less sure than it looks.
Notes notes(const Case& c, const Computed& computed);

} // namespace spillway
