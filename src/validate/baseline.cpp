#include "validate/baseline.h"

#include "io/json_file.h"
#include "io/read_fields.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

constexpr const char* kBaselineKind = "validation-baseline";

double six_digits(double value) { return std::stod(fmt::format("{:.6g}", value)); }

double error_of(double ratio) { return std::abs(ratio - 1.0); }

// Ratios of one kind, then and now, as pairs against a measurement of 1.
struct KindPairs {
    std::vector<SpeedPair> before, now;
    std::vector<MovedRow> rows;
};

bool grew(double before, double now, double max_worse) { return now > before * (1.0 + max_worse) + kSmallChange; }

std::size_t place(ReplayKind kind) { return static_cast<std::size_t>(kind); }

void judge_kind(std::string_view name, KindPairs& pairs, double max_worse, BaselineComparison& comparison) {
    const Spread before = spread_of(pairs.before), now = spread_of(pairs.now);
    const bool worse =
        grew(before.error_median, now.error_median, max_worse) || grew(before.error_p90, now.error_p90, max_worse);
    if (!worse) return;
    comparison.worse.push_back(
        {std::string(name), now.n, before.error_median, now.error_median, before.error_p90, now.error_p90});
    for (const MovedRow& row : pairs.rows) {
        if (grew(error_of(row.before), error_of(*row.now), 0.0)) comparison.moved.push_back(row);
    }
}

double growth(const MovedRow& row) {
    return row.now ? error_of(*row.now) - error_of(row.before) : std::numeric_limits<double>::infinity();
}

// Whether a stored prediction is gone although the row still asks for one.
bool is_lost(Standing standing) {
    return standing == Standing::does_not_fit || standing == Standing::spills || standing == Standing::no_figure;
}

} // namespace

nlohmann::ordered_json baseline_of(const Validation& validation) {
    nlohmann::ordered_json kinds = nlohmann::ordered_json::array(), ratios = nlohmann::ordered_json::object();
    for (const GroupScore& group : validation.groups) {
        if (group.by != GroupBy::kind) continue;
        const Spread& spread = group.product.spread;
        kinds.push_back({{"kind", group.name},
                         {"n", spread.n},
                         {"ratio_median", six_digits(spread.ratio_median)},
                         {"error_median", six_digits(spread.error_median)},
                         {"error_p90", six_digits(spread.error_p90)}});
    }
    StoredRatios sorted;
    for (const Replay& replay : validation.replays) {
        if (replay.standing == Standing::counted) sorted[replay_key(replay)] = six_digits(replay.ratio());
    }
    for (const auto& [key, ratio] : sorted) ratios[key] = ratio;
    return {{"format", 1}, {"kind", kBaselineKind}, {"kinds", std::move(kinds)}, {"ratios", std::move(ratios)}};
}

StoredRatios read_ratios(const std::string& path) {
    Problems problems;
    const auto file = read_json_file(path, path, problems);
    throw_if_any(problems);
    const nlohmann::json& document = *file->value;
    const std::string expected = "what \"spillway validate --write-baseline\" wrote";
    const bool is_one = document.is_object() && document.value("kind", nlohmann::json()) == kBaselineKind &&
                        document.value("format", nlohmann::json()) == 1 && document.contains("ratios") &&
                        document.at("ratios").is_object() && !document.at("ratios").empty();
    if (!is_one) throw InputError({{path, "", describe(document), expected, "is not a stored validation"}});
    StoredRatios ratios;
    for (const auto& [key, value] : document.at("ratios").items()) {
        if (value.is_number() && value.get<double>() > 0.0)
            ratios[key] = value.get<double>();
        else
            problems.push_back(
                {path, "/ratios" + pointer_step(key), describe(value), "a number above 0", "is not a ratio"});
    }
    throw_if_any(problems);
    return ratios;
}

BaselineComparison compare(const Validation& validation, const StoredRatios& stored, double max_worse) {
    BaselineComparison comparison;
    std::vector<KindPairs> kinds(EnumNames<ReplayKind>::names.size());
    for (const Replay& replay : validation.replays) {
        const auto before = stored.find(replay_key(replay));
        const bool counted = replay.standing == Standing::counted;
        if (before == stored.end()) {
            comparison.not_stored += counted ? 1 : 0;
            continue;
        }
        ++comparison.compared;
        if (is_lost(replay.standing)) comparison.moved.push_back({&replay, before->second, std::nullopt});
        if (!counted) continue;
        KindPairs& pairs = kinds[place(*replay.kind)];
        pairs.before.push_back({"", 1.0, before->second});
        pairs.now.push_back({"", 1.0, replay.ratio()});
        pairs.rows.push_back({&replay, before->second, replay.ratio()});
    }
    comparison.not_in_set = stored.size() - comparison.compared;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
        judge_kind(EnumNames<ReplayKind>::names[kind], kinds[kind], max_worse, comparison);
    std::stable_sort(comparison.moved.begin(), comparison.moved.end(),
                     [](const MovedRow& a, const MovedRow& b) { return growth(a) > growth(b); });
    return comparison;
}

} // namespace spillway
