// A validation as JSON: groups with both scores, counts, the rows furthest off, all rows if asked for.
#include "report/names.h"
#include "report/validation.h"

#include <nlohmann/json.hpp>

namespace spillway {

namespace {

using Json = nlohmann::ordered_json;

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json score_json(const Score& score) {
    const Spread& s = score.spread;
    const bool any = s.n > 0;
    const auto known = [any](double value) { return any ? Json(value) : Json(); };
    return {{"n", s.n},
            {"ratio", {{"p10", known(s.ratio_p10)}, {"median", known(s.ratio_median)}, {"p90", known(s.ratio_p90)}}},
            {"error", {{"median", known(s.error_median)}, {"p90", known(s.error_p90)}}},
            {"pairs", {{"n", score.order.n}, {"in_order", optional_json(score.order.share())}}},
            {"verdicts",
             {{"agree", optional_json(score.verdict.share())},
              {"false_holds", score.verdict.false_holds},
              {"false_fails", score.verdict.false_fails}}}};
}

Json group_json(const GroupScore& group) {
    Json json = {{"by", EnumNames<GroupBy>::names[static_cast<std::size_t>(group.by)]},
                 {"phase", EnumNames<SpeedPhase>::names[static_cast<std::size_t>(group.phase)]},
                 {"name", group.name}};
    json.update(score_json(group.product));
    json["in_band"] = optional_json(group.in_band);
    json["rule_of_thumb"] = score_json(group.rule_of_thumb);
    return json;
}

Json comparison_json(const ValidationReport& report) {
    const BaselineComparison& c = *report.comparison;
    Json worse = Json::array(), moved = Json::array();
    for (const WorseKind& kind : c.worse) {
        worse.push_back({{"kind", kind.kind},
                         {"n", kind.n},
                         {"error_median", {{"stored", kind.median_before}, {"now", kind.median_now}}},
                         {"error_p90", {{"stored", kind.p90_before}, {"now", kind.p90_now}}}});
    }
    for (const MovedRow& row : c.moved)
        moved.push_back(
            {{"row", replay_key(*row.replay)}, {"stored_ratio", row.before}, {"ratio", optional_json(row.now)}});
    return {{"worse", c.is_worse()},      {"max_worse", report.max_worse}, {"compared", c.compared},
            {"not_in_set", c.not_in_set}, {"not_stored", c.not_stored},    {"kinds", std::move(worse)},
            {"moved", std::move(moved)}};
}

} // namespace

Json validation_json(const ValidationReport& report) {
    const Validation& v = report.validation;
    Json standings = Json::object(), groups = Json::array();
    for (std::size_t i = 0; i < v.standings.size(); ++i)
        standings[std::string(EnumNames<Standing>::names[i])] = v.standings[i];
    for (const GroupScore& group : v.groups) groups.push_back(group_json(group));
    Json json = {{"format", 1},
                 {"kind", "validation"},
                 {"version", report.version},
                 {"runs", v.runs},
                 {"speeds", v.replays.size()},
                 {"standings", std::move(standings)},
                 {"targets", {{"decode", kDecodeTarget}, {"prefill", kPrefillTarget}}},
                 {"groups", std::move(groups)},
                 {"worst", rows_json(replay_table(worst(v, report.worst)))}};
    if (report.rows) json["rows"] = rows_json(replay_table(all_replays(v)));
    if (report.comparison) json["baseline"] = comparison_json(report);
    return json;
}

} // namespace spillway
