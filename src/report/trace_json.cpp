// The answers of `trace` as JSON, in base units, unrounded.
#include "report/trace_tables.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace spillway {

namespace {

using Json = nlohmann::ordered_json;

Json optional_number(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? Json(*value) : Json();
}

Json head(std::string_view kind, const std::string& version, bool synthetic) {
    return {{"format", 1}, {"kind", kind}, {"version", version}, {"synthetic", synthetic}};
}

Json trace_of(const TraceInfo& info) {
    return {{"name", info.name}, {"format", info.format}, {"model", info.model.empty() ? Json() : Json(info.model)}};
}

Json malformed_of(const Malformed& malformed) {
    Json first = Json::array();
    for (const Problem& p : malformed.first)
        first.push_back({{"place", p.pointer}, {"found", p.found}, {"message", p.message}});
    return {{"count", malformed.count}, {"first", std::move(first)}};
}

Json point_of(const CurvePoint& p) {
    return {{"residency", p.residency},
            {"slots_per_layer", p.slots},
            {"uniform", p.uniform},
            {"lru_cold", optional_number(p.cold)},
            {"lru_warm", optional_number(p.warm)},
            {"by_windows", optional_number(p.by_windows)},
            {"hot_set_known", optional_number(p.hot_inside)},
            {"hot_set_learned", optional_number(p.hot_outside)},
            {"global_lru_cold", optional_number(p.global_cold)},
            {"global_lru_warm", optional_number(p.global_warm)},
            {"belady", optional_number(p.belady)}};
}

Json layers_of(const TraceCurveAnswer& answer) {
    Json layers = Json::array();
    for (const LayerCurves& layer : answer.curves.layers) {
        Json points = Json::array();
        for (const CurvePoint& p : answer.points)
            points.push_back(point_of(curve_point(answer.curves, layer, p.residency)));
        layers.push_back({{"layer", layer.layer},
                          {"tokens", layer.tokens},
                          {"lookups", layer.cold.lookups},
                          {"distinct_experts", layer.distinct_experts},
                          {"points", std::move(points)}});
    }
    return layers;
}

// Every whole number of slots.
Json whole_curve(const TraceCurves& curves) {
    Json rows = Json::array();
    for (std::uint32_t slots = 0; slots <= curves.experts; ++slots) {
        const CurvePoint p = curve_point(curves, static_cast<double>(slots) / curves.experts);
        rows.push_back({{"slots_per_layer", slots},
                        {"residency", p.residency},
                        {"lru_cold", optional_number(p.cold)},
                        {"lru_warm", optional_number(p.warm)},
                        {"by_windows", optional_number(p.by_windows)}});
    }
    return rows;
}

// All short windows, and a twentieth more each time beyond.
Json windows_of(const TraceCurves& curves) {
    const std::vector<double> distinct = mean_distinct(curves);
    Json rows = Json::array();
    for (std::size_t t = 1; t <= distinct.size(); t += std::max<std::size_t>(1, t / 20)) {
        rows.push_back({{"tokens", t}, {"distinct_experts", distinct[t - 1]}});
    }
    return rows;
}

Json global_of(const TraceCurves& curves) {
    if (!curves.global) return {};
    return {{"cycle_slots", curves.global->cycle},
            {"first_hit_slots", curves.global->first_hit ? Json(*curves.global->first_hit) : Json()},
            {"distinct_experts", curves.global->distinct_experts}};
}

} // namespace

nlohmann::ordered_json trace_json(const TraceCurveAnswer& answer) {
    const TraceCurves& curves = answer.curves;
    Json json = head("trace_curve", answer.version, curves.info.synthetic);
    json["trace"] = trace_of(curves.info);
    json["layers_count"] = curves.layers.size();
    json["experts"] = curves.experts;
    json["experts_stated"] = curves.experts_stated;
    json["top_k"] = curves.top_k;
    json["phase"] = curves.phase == RoutePhase::decode ? "decode" : "prefill";
    json["tokens"] = curves.tokens;
    json["selections"] = curves.selections;
    json["step_tokens"] = curves.step;
    json["warm_after_tokens"] = curves.warm_after;
    json["points"] = Json::array();
    for (const CurvePoint& p : answer.points) json["points"].push_back(point_of(p));
    json["window_difference"] = optional_number(window_difference(answer.points));
    json["stationary_difference"] = kStationaryDifference;
    json["token_order"] = curves.token_order;
    json["global"] = global_of(curves);
    json["budgets"] = Json::array();
    for (const BudgetReplay& b : answer.budgets) {
        json["budgets"].push_back(
            {{"budget_bytes", b.budget_bytes},
             {"hits", b.hits},
             {"lookups", b.lookups},
             {"hit_rate", static_cast<double>(b.hits) / static_cast<double>(std::max<std::uint64_t>(1, b.lookups))},
             {"missed_bytes", b.missed_bytes}});
    }
    json["windows"] = windows_of(curves);
    json["curve"] = whole_curve(curves);
    json["layers"] = layers_of(answer);
    json["malformed"] = malformed_of(curves.malformed);
    return json;
}

nlohmann::ordered_json trace_json(const TraceInspection& answer) {
    const TraceShape& shape = answer.shape;
    Json json = head("trace_inspection", answer.version, shape.info.synthetic);
    json["trace"] = trace_of(shape.info);
    json["experts"] = shape.experts;
    json["experts_stated"] = shape.experts_stated;
    json["top_k"] = {{"least", shape.top_k_least}, {"most", shape.top_k_most}};
    json["turns"] = shape.turns;
    json["prefill_tokens"] = shape.prefill_tokens;
    json["decode_tokens"] = shape.decode_tokens;
    json["selections"] = shape.selections;
    json["layers"] = rows_json(trace_data(answer), 1);
    json["malformed"] = malformed_of(shape.malformed);
    return json;
}

nlohmann::ordered_json trace_json(const TraceFitAnswer& answer) {
    Json json = head("trace_fit", answer.version, answer.synthetic);
    json["name"] = answer.name;
    json["from_counters"] = answer.counters;
    json["warm"] = answer.counters ? Json() : Json(answer.measured.warm);
    json["levelled_points"] = answer.measured.levelled;
    json["fit"] = Json();
    if (answer.fit) {
        const ExponentFit& fit = *answer.fit;
        json["fit"] = {{"exponent", fit.exponent},
                       {"standard_error", optional_number(fit.standard_error)},
                       {"points", fit.points},
                       {"rms_residual", fit.rms_residual},
                       {"largest_residual", fit.largest_residual},
                       {"largest_at_residency", fit.largest_at},
                       {"at_limit", fit.at_limit},
                       {"good", fit.good()}};
    }
    json["good_fit"] = {{"rms_residual", kGoodRms}, {"largest_residual", kGoodLargest}};
    json["points"] = Json::array();
    for (const MissPoint& p : answer.measured.points) {
        json["points"].push_back({{"residency", p.residency}, {"miss_fraction", p.miss_fraction}});
    }
    json["profile"] = answer.profile_file.empty() ? Json() : Json(answer.profile_file);
    json["malformed"] = malformed_of(answer.malformed);
    return json;
}

} // namespace spillway
