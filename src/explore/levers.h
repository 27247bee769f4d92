// Break-even for every lever: the value of one input at which decode or prefill meets its target with all else held
// fixed, by bracketed search over evaluate() (docs/physics.md 10.3).
#pragma once

#include "engine/estimate.h"
#include "explore/break_even.h"

#include <optional>
#include <string>
#include <vector>

namespace spillway {

enum class Phase { decode, prefill };

// How a lever's value is shown; the numbers are in base units.
enum class LeverUnit { ratio, bytes, bytes_per_second, seconds, flops_per_second, bits, count, factor };

// What can be turned. Derived levers (miss fraction, expert pool, locality) follow from the residency line and have no
// input of their own.
enum class LeverId {
    residency,
    miss_fraction,
    expert_pool,
    expert_bits,
    expert_budget,
    memory,
    storage_rate,
    memory_bandwidth,
    resident_pass,
    top_k,
    locality,
    compute_rate,
    link_rate,
    chunk,
    drop_drafter
};

struct LeverAnswer {
    LeverId id = LeverId::residency;
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

// Things that exist, by lever: a name and its value in base units.
struct RealStep {
    std::string name;
    double value = 0.0;
};
struct RealSteps {
    std::vector<RealStep> formats;      // bits per expert weight
    std::vector<RealStep> drives;       // read rates
    std::vector<RealStep> memory_sizes; // usable memory of the first pool in the machine's family
};

// All levers of a phase in a fixed order. Without routed experts those that turn experts answer no_effect.
std::vector<LeverAnswer> levers(const Case& c, Phase phase, const RealSteps& steps = {});

// The found lever of the smallest relative change, real steps first considered at their own value; null if none.
// For each phase that misses its target the smallest change of one lever that turns it: at most two. A phase whose
// figure is unknown gets none, for naming the input is the change.
std::vector<LeverAnswer> turning_changes(const Case& c, const Verdict& verdict, const RealSteps& steps = {});

// Whether everything holds after the changes, each at the next thing that exists where there is one; empty without
// changes.
std::optional<bool> holds_after(const Case& c, const std::vector<LeverAnswer>& changes);

// Levers that were found, by relative change, smallest first.
std::vector<const LeverAnswer*> ranked(const std::vector<LeverAnswer>& answers);

// Null where the case meets the target as it is.
const LeverAnswer* cheapest(const std::vector<LeverAnswer>& answers);

// The case with a lever at a value; residency, budget and ranges replace each other.
Case with_lever(const Case& c, LeverId id, double value);

// Closed form of the residency line where it applies (uniform routing, one pool, flat drive, no overlap, prefetch,
// page cache or per-miss fixed time, one position, one sequence): r* = 1 - (1/target - t_resident - t_lookup) x rate /
// bytes per token. Empty where it does not, or where the line lies outside [0, 1].
std::optional<double> closed_form_residency(const Case& c);

} // namespace spillway
