// Measured runs put through evaluate(): each with what its row states and nothing else. In: the set and the catalogue.
// Out: one replay per measured speed, with the prediction, what dominates it, and why it does not count if it does not.
#pragma once

#include "engine/estimate.h"
#include "io/measured.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

enum class SpeedPhase { decode, prefill };
template <>
struct EnumNames<SpeedPhase> {
    static constexpr std::array<std::string_view, 2> names = {"decode", "prefill"};
};

// What errors are compared within. Decode first; a prompt at a depth finds tokens in the cache before it. "stated":
// the source measured the hit rate or the missed bytes; "blind": it did not, and the locality has to be guessed.
enum class ReplayKind {
    resident_dense,
    resident_moe,
    split,
    cpu,
    cards,
    machines,
    batch,
    draft,
    streamed_stated,
    streamed_blind,
    prefill_dense,
    prefill_moe,
    prefill_dense_depth,
    prefill_moe_depth,
    prefill_split,
    prefill_cpu,
    prefill_streamed
};
template <>
struct EnumNames<ReplayKind> {
    static constexpr std::array<std::string_view, 17> names = {
        "resident dense",       "resident MoE",       "split",         "CPU",
        "several cards",        "several machines",   "batch",         "draft",
        "streamed, hit stated", "streamed, blind",    "prefill dense", "prefill MoE",
        "prefill dense, depth", "prefill MoE, depth", "prefill split", "prefill CPU",
        "prefill streamed"};
};

// Whether a measured speed counts in statistics. spills: the source ran it in memory, the estimate reads experts from
// the drive, so that the two are not the same run. no_figure: an input is unknown.
enum class Standing { counted, excluded, not_stated, does_not_fit, spills, no_figure };
template <>
struct EnumNames<Standing> {
    static constexpr std::array<std::string_view, 6> names = {"counted",      "excluded", "not_stated",
                                                              "does_not_fit", "spills",   "no_figure"};
};

// Speeds in tok/s of one sequence. `group` and `run` point into the set.
struct Replay {
    const MeasuredGroup* group = nullptr;
    const MeasuredRun* run = nullptr;
    SpeedPhase phase = SpeedPhase::decode;
    Standing standing = Standing::counted;
    std::optional<ReplayKind> kind;     // empty: the case cannot be stated
    std::optional<Processor> processor; // of the first pool: the machine's class
    double measured = 0.0;
    std::optional<double> predicted, rule_of_thumb;
    std::optional<TermId> dominant; // the term with the most time, what overlap hides left out
    double dominant_share = 0.0;    // of all terms' time
    std::optional<bool> in_band;    // empty as long as estimates have no band

    double ratio() const { return *predicted / measured; } // of counted ones
};

// "mr0013/decode": names a replay in the set and in stored results.
std::string replay_key(const Replay& replay);

// The replays of one row, none or one per measured speed.
std::vector<Replay> replay_run(const StatedRun& stated);

// The whole set. Throws InputError with all that is wrong with any row. The set has to outlive the result.
std::vector<Replay> replay_set(const MeasuredSet& set, const Catalogue& catalogue, const Problems& problems_so_far);

} // namespace spillway
