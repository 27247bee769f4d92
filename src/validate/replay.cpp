#include "validate/replay.h"

#include "validate/rule_of_thumb.h"

#include <algorithm>

namespace spillway {

namespace {

bool is_moe(const Model& model) {
    return std::any_of(model.blocks.begin(), model.blocks.end(), [](const Block& b) { return b.experts.has_value(); });
}

ReplayKind decode_kind(const MeasuredRun& run, const Case& c) {
    if (c.scenario.positions > 1.0) return ReplayKind::draft;
    if (c.scenario.sequences > 1.0) return ReplayKind::batch;
    switch (run.kind) {
    case RunKind::split: return ReplayKind::split;
    case RunKind::cpu: return ReplayKind::cpu;
    case RunKind::cards: return ReplayKind::cards;
    case RunKind::machines: return ReplayKind::machines;
    case RunKind::streamed: return states_misses(c.scenario) ? ReplayKind::streamed_stated : ReplayKind::streamed_blind;
    case RunKind::resident: break;
    }
    return is_moe(c.model) ? ReplayKind::resident_moe : ReplayKind::resident_dense;
}

ReplayKind prefill_kind(const MeasuredRun& run, const Case& c) {
    if (run.kind == RunKind::split) return ReplayKind::prefill_split;
    if (run.kind == RunKind::cpu) return ReplayKind::prefill_cpu;
    if (run.kind == RunKind::streamed) return ReplayKind::prefill_streamed;
    if (c.scenario.depth > 0.0)
        return is_moe(c.model) ? ReplayKind::prefill_moe_depth : ReplayKind::prefill_dense_depth;
    return is_moe(c.model) ? ReplayKind::prefill_moe : ReplayKind::prefill_dense;
}

void find_dominant(const Terms& terms, Replay& replay) {
    double sum = 0.0, most = 0.0;
    for (const Term& term : terms) {
        if (term.id == TermId::hidden || !term.seconds) continue;
        sum += term.seconds->value;
        if (term.seconds->value <= most) continue;
        most = term.seconds->value;
        replay.dominant = term.id;
    }
    if (sum > 0.0) replay.dominant_share = most / sum;
}

Standing standing_of(const MeasuredRun& run, const Estimate& e, const std::optional<double>& predicted) {
    if (!run.excluded.empty()) return Standing::excluded;
    if (e.placement.fits && !*e.placement.fits) return Standing::does_not_fit;
    const bool reads = e.decode.missed_bytes_per_token && e.decode.missed_bytes_per_token->value > 0.0;
    if (reads && run.kind != RunKind::streamed) return Standing::spills;
    return predicted ? Standing::counted : Standing::no_figure;
}

Replay unstated(const MeasuredGroup& group, const MeasuredRun& run, SpeedPhase phase, PerSecond measured) {
    Replay replay;
    replay.group = &group;
    replay.run = &run;
    replay.phase = phase;
    replay.measured = measured.value;
    replay.standing = Standing::not_stated;
    return replay;
}

Replay stated_speed(const StatedRun& stated, const Estimate& e, SpeedPhase phase, PerSecond measured) {
    const Case& c = stated.loaded.value;
    const bool decode = phase == SpeedPhase::decode;
    Replay replay = unstated(stated.group, stated.run, phase, measured);
    replay.kind = decode ? decode_kind(stated.run, c) : prefill_kind(stated.run, c);
    replay.processor = c.machine.memory.front().processor;
    replay.predicted = decode ? e.decode.tokens_per_second : e.prefill.tokens_per_second;
    replay.rule_of_thumb = decode ? thumb_decode(c, e) : thumb_prefill(c, e);
    replay.standing = standing_of(stated.run, e, replay.predicted);
    find_dominant(decode ? e.decode.terms : e.prefill.terms, replay);
    return replay;
}

} // namespace

std::string replay_key(const Replay& replay) {
    return replay.run->id + '/' + std::string(EnumNames<SpeedPhase>::names[static_cast<std::size_t>(replay.phase)]);
}

std::vector<Replay> replay_run(const StatedRun& stated) {
    std::vector<Replay> replays;
    const Outcome& measured = stated.run.measured;
    if (!measured.decode && !measured.prefill) return replays;
    const Estimate e = evaluate(stated.loaded.value);
    if (measured.decode) replays.push_back(stated_speed(stated, e, SpeedPhase::decode, *measured.decode));
    if (measured.prefill) replays.push_back(stated_speed(stated, e, SpeedPhase::prefill, *measured.prefill));
    return replays;
}

std::vector<Replay> replay_set(const MeasuredSet& set, const Catalogue& catalogue, const Problems& problems_so_far) {
    Problems problems = problems_so_far;
    std::vector<Replay> replays;
    const auto add = [&](StatedRun&& stated) {
        for (const Replay& replay : replay_run(stated)) replays.push_back(replay);
    };
    state_runs(set, catalogue, add, problems);
    throw_if_any(problems);
    for (const MeasuredGroup& group : set) {
        for (const MeasuredRun& run : group.file.runs) {
            if (run.not_stated.empty()) continue;
            if (run.measured.decode) replays.push_back(unstated(group, run, SpeedPhase::decode, *run.measured.decode));
            if (run.measured.prefill)
                replays.push_back(unstated(group, run, SpeedPhase::prefill, *run.measured.prefill));
        }
    }
    return replays;
}

} // namespace spillway
