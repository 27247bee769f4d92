#include "validate/validation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace spillway {

namespace {

using Members = std::vector<const Replay*>;
// Orders groups: by what, phase, then the kind's number or nothing, then the name.
using GroupKey = std::tuple<GroupBy, SpeedPhase, std::size_t, std::string>;

Score score_of(const std::vector<SpeedPair>& pairs, SpeedPhase phase) {
    const double target = phase == SpeedPhase::decode ? kDecodeTarget : kPrefillTarget;
    return {spread_of(pairs), order_of(pairs), agreement_of(pairs, target)};
}

GroupScore group_score(const GroupKey& key, const Members& members) {
    GroupScore group;
    group.by = std::get<GroupBy>(key);
    group.phase = std::get<SpeedPhase>(key);
    group.name = std::get<std::string>(key);
    std::vector<SpeedPair> own, thumb;
    std::size_t banded = 0, inside = 0;
    for (const Replay* replay : members) {
        own.push_back({replay->run->machine, replay->measured, *replay->predicted});
        if (replay->rule_of_thumb) thumb.push_back({replay->run->machine, replay->measured, *replay->rule_of_thumb});
        if (!replay->in_band) continue;
        ++banded;
        inside += *replay->in_band ? 1 : 0;
    }
    group.product = score_of(own, group.phase);
    group.rule_of_thumb = score_of(thumb, group.phase);
    if (banded > 0) group.in_band = static_cast<double>(inside) / static_cast<double>(banded);
    return group;
}

std::vector<GroupKey> keys_of(const Replay& replay) {
    const auto kind = static_cast<std::size_t>(*replay.kind), processor = static_cast<std::size_t>(*replay.processor);
    return {{GroupBy::all, replay.phase, 0, "all"},
            {GroupBy::kind, replay.phase, kind, std::string(EnumNames<ReplayKind>::names[kind])},
            {GroupBy::engine, replay.phase, 0, replay.run->engine},
            {GroupBy::machine_class, replay.phase, processor, std::string(EnumNames<Processor>::names[processor])},
            {GroupBy::model, replay.phase, 0, replay.run->model}};
}

} // namespace

Validation validation_of(std::vector<Replay> replays) {
    Validation validation;
    validation.replays = std::move(replays);
    std::map<GroupKey, Members> groups;
    std::set<const MeasuredRun*> runs;
    for (const Replay& replay : validation.replays) {
        runs.insert(replay.run);
        ++validation.standings[static_cast<std::size_t>(replay.standing)];
        if (replay.standing != Standing::counted) continue;
        for (const GroupKey& key : keys_of(replay)) groups[key].push_back(&replay);
    }
    validation.runs = runs.size();
    for (const auto& [key, members] : groups) validation.groups.push_back(group_score(key, members));
    return validation;
}

std::vector<const Replay*> worst(const Validation& validation, std::size_t most) {
    Members members;
    for (const Replay& replay : validation.replays) {
        if (replay.standing == Standing::counted) members.push_back(&replay);
    }
    const auto off = [](const Replay* replay) { return std::abs(std::log(replay->ratio())); };
    std::stable_sort(members.begin(), members.end(), [&](const Replay* a, const Replay* b) { return off(a) > off(b); });
    if (members.size() > most) members.resize(most);
    return members;
}

} // namespace spillway
