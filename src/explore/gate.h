// The gate: may this list of configurations ship? A comparison of evaluate()'s verdicts with thresholds, or with what
// an earlier gate stored. Pure: no files, no text.
#pragma once

#include "engine/estimate.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace spillway {

// Speed of one phase that an earlier gate stored, in tok/s. Empty: there was none, or nothing took time in prefill
// (`unlimited`). What was unknown or did not fit cannot get worse.
struct StoredPhase {
    std::optional<double> speed;
    bool unlimited = false;
    bool any() const { return speed || unlimited; }
};
struct StoredResult {
    StoredPhase decode, prefill;
};

// Why an entry is rejected.
enum class GateReasonId {
    does_not_fit,  // figure: bytes short
    decode_below,  // figure: tok/s; shortfall: to the target
    prefill_below, // the same
    decode_bound,  // unknown, but reading alone keeps it below; figure: tok/s of that bound
    prefill_bound,
    decode_depends, // holds only under a measured locality; figure, shortfall as in decode_below
    decode_unknown,
    prefill_unknown,
    decode_worse, // figure: tok/s now, if any; stored: tok/s then, if any
    prefill_worse
};

struct GateReason {
    GateReasonId id = GateReasonId::decode_unknown;
    std::optional<double> figure, shortfall, stored;
};

// What an entry was measured against: its targets, or what was stored.
enum class GateRule { targets, stored };

struct GateResult {
    Estimate estimate;
    GateRule rule = GateRule::targets;
    bool accepted = false;
    std::optional<bool> needs_storage; // whether experts are read from the drive; empty: unknown
    std::vector<GateReason> reasons;   // none if accepted
    std::vector<NoteId> unknown;       // inputs that are missing for a figure that is; each once
};

// Judges a case by its own targets (scenario.target_decode, target_prefill): accepted if both phases hold; `depends`
// and `unknown` are rejected. With a stored result only what got worse than stored by more than the share `max_worse`,
// lost its speed or became unknown is rejected, whatever the targets.
GateResult judge_entry(const Case& c, const StoredResult* stored = nullptr, double max_worse = 0.0);

// all: every entry has to be accepted; any: one is enough.
enum class Require { all, any };

struct GateCounts {
    std::size_t accepted = 0, rejected = 0;
    std::size_t need_storage = 0;          // entries that read experts from the drive
    std::size_t need_storage_and_hold = 0; // of these, whose verdict is `holds`
};
GateCounts count_results(const std::vector<GateResult>& results);

// An empty list never passes.
bool passes(const GateCounts& counts, Require require);

} // namespace spillway
