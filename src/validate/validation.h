// Statistics of a replayed set, by kind, engine, class of machine and model, with the rule of thumb beside. In:
// replays. Out: what `validate` shows in every format.
#pragma once

#include "validate/replay.h"
#include "validate/statistics.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace spillway {

// The targets whose verdicts are compared, tok/s: those of the default scenario.
inline constexpr double kDecodeTarget = 10.0, kPrefillTarget = 100.0;

enum class GroupBy { all, kind, engine, machine_class, model };
template <>
struct EnumNames<GroupBy> {
    static constexpr std::array<std::string_view, 5> names = {"all", "kind", "engine", "machine_class", "model"};
};

// How one way to predict did on the replays of a group.
struct Score {
    Spread spread;
    PairOrder order;
    Agreement verdict;
};

struct GroupScore {
    GroupBy by = GroupBy::all;
    SpeedPhase phase = SpeedPhase::decode;
    std::string name; // "all", "resident MoE", "mlx", "apple-gpu", "gpt-oss-120b"
    Score product, rule_of_thumb;
    std::optional<double> in_band; // share of the measured speeds inside the band; empty without bands
};

struct Validation {
    std::vector<Replay> replays;    // in the order of the set
    std::vector<GroupScore> groups; // by kind in the kinds' order, others by name; those without replays left out
    std::size_t runs = 0;           // rows of the set behind the replays
    std::array<std::size_t, EnumNames<Standing>::names.size()> standings{}; // replays

    std::size_t count(Standing standing) const { return standings[static_cast<std::size_t>(standing)]; }
};

Validation validation_of(std::vector<Replay> replays);

// The counted replays with the largest |ln ratio|, worst first, at most `most`.
std::vector<const Replay*> worst(const Validation& validation, std::size_t most);

} // namespace spillway
