// Break-even for every lever: the value of one input at which decode or prefill meets its target with all else held
// fixed, by bracketed search over evaluate(). In: Case, phase, what can be had. Out: answers, ranking, the smallest
// changes. Read lever_table.h first.
#pragma once

#include "explore/break_even.h"
#include "explore/lever_table.h"

#include <optional>
#include <string>
#include <vector>

namespace spillway {

struct LeverAnswer {
    LeverId id = LeverId::residency;
    std::string path; // of LeverId::input: the input's own
    Phase phase = Phase::decode;
    LeverUnit unit = LeverUnit::ratio;
    bool rising = true;            // more of it is faster
    bool derived = false;          // follows from the residency line
    double low = 0.0, high = 0.0;  // range searched
    std::optional<double> current; // value in the case
    Answer answer = Answer::unknown;
    bool holds_now = false;          // the case meets the target as it is
    bool forced = false;             // no_effect because the scenario forces what it would change
    std::optional<double> value;     // meets the target
    std::optional<double> whole;     // nearest whole value that meets it, for counts
    std::optional<double> best;      // tok/s at the better end, where nothing meets the target
    std::optional<double> change;    // value / current - 1
    std::optional<std::string> step; // next thing that is sold or exists (a format, a drive, a memory size)
    std::optional<double> step_value;
};

// All levers of a phase in the order of their table. Without routed experts those that turn experts answer no_effect.
std::vector<LeverAnswer> levers(const Case& c, Phase phase, const Obtainables& obtainable = {});

// Any numeric input as a lever, by its path, searched from `low` to `high` (base units). Which side is faster is seen
// by evaluating. Needs a path of number_paths() and low < high inside the field's range.
struct InputRange {
    std::string path;
    double low = 0.0, high = 0.0;
};
LeverAnswer input_lever(const Case& c, Phase phase, const InputRange& range);

// The range of an input that nobody gave one for: a thousandth to a thousand times its value inside what its field
// allows; 0 to 1 for shares. Empty for an input without a value, or of value 0.
std::optional<InputRange> usual_range(const Case& c, const std::string& path);

// For each phase that misses its target the smallest change of one lever that turns it: at most two. A phase whose
// figure is unknown gets none, for naming the input is the change.
std::vector<LeverAnswer> turning_changes(const Case& c, const Verdict& verdict, const Obtainables& obtainable = {});

// Whether everything holds after the changes, each at the next thing that exists where there is one; empty without
// changes.
std::optional<bool> holds_after(const Case& c, const std::vector<LeverAnswer>& changes);

// Levers that were found, by relative change, smallest first.
std::vector<const LeverAnswer*> ranked(const std::vector<LeverAnswer>& answers);

// The found lever of the smallest relative change, what exists first considered at its own value; null if none, or
// where the case meets the target as it is.
const LeverAnswer* cheapest(const std::vector<LeverAnswer>& answers);

// The case with a lever at a value; residency, budget and ranges replace each other.
Case with_lever(const Case& c, LeverId id, double value);

// Closed form of the residency line where it applies (closed_form.h). Empty where it does not, or where the line lies
// outside [0, 1].
std::optional<double> closed_form_residency(const Case& c);

} // namespace spillway
