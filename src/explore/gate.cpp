#include "explore/gate.h"

#include <algorithm>

namespace spillway {

namespace {

bool is_unknown_input(NoteId id) {
    switch (id) {
    case NoteId::unknown_usable:
    case NoteId::unknown_bandwidth:
    case NoteId::unknown_sustained:
    case NoteId::unknown_storage_rate:
    case NoteId::unknown_compute:
    case NoteId::unknown_bits:
    case NoteId::unknown_link_rate:
    case NoteId::unknown_layer_time:
    case NoteId::unknown_page_cache_rate:
    case NoteId::no_storage: return true;
    default: return false;
    }
}

std::vector<NoteId> unknown_inputs(const Estimate& e) {
    std::vector<NoteId> ids;
    for (const Note& note : e.notes) {
        if (is_unknown_input(note.id) && std::find(ids.begin(), ids.end(), note.id) == ids.end())
            ids.push_back(note.id);
    }
    return ids;
}

bool does_not_fit(const Estimate& e) { return e.placement.fits && !*e.placement.fits; }

// What the engine says about one phase, in the words of a gate.
struct PhaseView {
    std::optional<double> speed, shortfall, bound;
    State state = State::unknown;
    bool unlimited = false;
    GateReasonId below, bound_below, unknown, worse;
};

PhaseView decode_view(const Estimate& e) {
    return {e.decode.tokens_per_second,
            e.verdict.decode_shortfall,
            e.decode.full_overlap,
            e.verdict.decode,
            false,
            GateReasonId::decode_below,
            GateReasonId::decode_bound,
            GateReasonId::decode_unknown,
            GateReasonId::decode_worse};
}

PhaseView prefill_view(const Estimate& e) {
    const bool unlimited = !e.prefill.tokens_per_second && e.prefill.total.has_value();
    return {e.prefill.tokens_per_second,
            e.verdict.prefill_shortfall,
            e.prefill.storage_limit,
            e.verdict.prefill,
            unlimited,
            GateReasonId::prefill_below,
            GateReasonId::prefill_bound,
            GateReasonId::prefill_unknown,
            GateReasonId::prefill_worse};
}

void judge_by_target(const PhaseView& phase, std::vector<GateReason>& reasons) {
    if (phase.state == State::holds) return;
    if (phase.state == State::depends)
        reasons.push_back({GateReasonId::decode_depends, phase.speed, phase.shortfall, {}});
    else if (phase.state == State::unknown)
        reasons.push_back({phase.unknown, {}, {}, {}});
    else if (phase.speed)
        reasons.push_back({phase.below, phase.speed, phase.shortfall, {}});
    else
        reasons.push_back({phase.bound_below, phase.bound, {}, {}});
}

// A phase without a limit is faster than any figure; one without a speed that fits is unknown.
void judge_by_stored(const PhaseView& now, const StoredPhase& then, double max_worse,
                     std::vector<GateReason>& reasons) {
    if (!then.any() || now.unlimited) return;
    if (!now.speed) {
        reasons.push_back({now.unknown, {}, {}, then.speed});
        return;
    }
    // A hair of room, so that a figure which went through text and back is not worse than itself.
    constexpr double kRounding = 1e-9;
    const bool slower = then.speed && *now.speed < *then.speed * (1.0 - max_worse) * (1.0 - kRounding);
    if (then.unlimited || slower) reasons.push_back({now.worse, now.speed, {}, then.speed});
}

} // namespace

GateResult judge_entry(const Case& c, const StoredResult* stored, double max_worse) {
    GateResult result;
    result.estimate = evaluate(c);
    const Estimate& e = result.estimate;
    if (e.placement.residency) result.needs_storage = *e.placement.residency < 1.0;
    result.rule = stored ? GateRule::stored : GateRule::targets;
    if (does_not_fit(e)) {
        // With a stored result that had no speed either, nothing got worse.
        if (!stored || stored->decode.any() || stored->prefill.any())
            result.reasons.push_back({GateReasonId::does_not_fit, e.placement.short_by.value, {}, {}});
    } else {
        for (const bool decode : {true, false}) {
            const PhaseView view = decode ? decode_view(e) : prefill_view(e);
            if (stored)
                judge_by_stored(view, decode ? stored->decode : stored->prefill, max_worse, result.reasons);
            else
                judge_by_target(view, result.reasons);
        }
    }
    result.accepted = result.reasons.empty();
    // A phase may be known without the inputs that only the other one needs.
    const bool lacks = e.verdict.decode == State::unknown || e.verdict.prefill == State::unknown ||
                       (!does_not_fit(e) && !e.decode.tokens_per_second);
    if (lacks) result.unknown = unknown_inputs(e);
    return result;
}

GateCounts count_results(const std::vector<GateResult>& results) {
    GateCounts counts;
    for (const GateResult& result : results) {
        ++(result.accepted ? counts.accepted : counts.rejected);
        if (!result.needs_storage.value_or(false)) continue;
        ++counts.need_storage;
        if (result.estimate.verdict.overall == State::holds) ++counts.need_storage_and_hold;
    }
    return counts;
}

bool passes(const GateCounts& counts, Require require) {
    if (counts.accepted == 0) return false;
    return require == Require::any || counts.rejected == 0;
}

} // namespace spillway
