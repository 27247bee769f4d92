// The JSON of a simulation.
#include "report/simulation.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace spillway {

namespace {

using Json = nlohmann::ordered_json;

std::string_view policy_of(const Simulation& s) {
    return EnumNames<EvictionPolicy>::names[static_cast<std::size_t>(s.options.policy)];
}
std::string_view scope_of(const Simulation& s) {
    return EnumNames<CacheScope>::names[static_cast<std::size_t>(s.options.scope)];
}
Json number(const std::optional<double>& value) { return value && std::isfinite(*value) ? Json(*value) : Json(); }

Json drive_json(const DriveFigures& d) {
    return {{"read_bytes", d.bytes},
            {"utilisation", d.utilisation},
            {"mean_queue_depth", d.queue_depth},
            {"mean_in_flight", d.in_flight}};
}

Json windows_json(const DecodeSimulation& d) {
    Json windows = Json::array();
    for (const SpeedWindow& w : d.windows) {
        windows.push_back({{"first_token", w.first_token},
                           {"tokens", w.tokens},
                           {"start_seconds", w.start},
                           {"tokens_per_second", w.tokens_per_second},
                           {"hit_rate", w.hit_rate}});
    }
    return windows;
}

Json decode_json(const Simulation& s) {
    const DecodeSimulation& d = s.decode;
    const bool any = d.steps > 0;
    const auto known = [any](double value) { return any ? Json(value) : Json(); };
    return {{"tokens", d.tokens},
            {"warm_after_tokens", d.warm_after},
            {"steps_counted", d.steps},
            {"seconds_counted", d.seconds},
            {"tokens_per_second", known(d.tokens_per_second)},
            {"closed_form",
             {{"routing", s.closed_locality},
              {"tokens_per_second", number(d.closed_tokens_per_second)},
              {"hit_rate", d.closed_miss_fraction ? Json(1.0 - *d.closed_miss_fraction) : Json()},
              {"deviation_percent", any && deviation(d.tokens_per_second, d.closed_tokens_per_second)
                                        ? Json(100.0 * *deviation(d.tokens_per_second, d.closed_tokens_per_second))
                                        : Json()}}},
            {"token_seconds",
             {{"mean", known(d.mean)}, {"p50", known(d.p50)}, {"p90", known(d.p90)}, {"p99", known(d.p99)}}},
            {"lookups", d.lookups},
            {"hits", d.hits},
            {"hit_rate", known(1.0 - d.miss_fraction())},
            {"missed_bytes", d.missed_bytes},
            {"drive", drive_json(d.drive)},
            {"step_seconds",
             {{"computing", known(d.split.resident)},
              {"router_sync", known(d.split.sync)},
              {"waiting_for_storage", known(d.split.waiting)},
              {"insertion", known(d.split.insertion)},
              {"hidden_by_overlap", known(-d.split.hidden)}}},
            {"windows", windows_json(d)}};
}

Json prefill_json(const PrefillSimulation& p) {
    const auto difference =
        p.warm_tokens_per_second ? deviation(*p.warm_tokens_per_second, p.closed_tokens_per_second) : std::nullopt;
    return {{"prompts", p.prompts},
            {"chunks", p.chunks},
            {"tokens", p.tokens},
            {"seconds", number(p.seconds)},
            {"tokens_per_second", number(p.tokens_per_second)},
            {"warm_tokens", p.warm_tokens},
            {"warm_tokens_per_second", number(p.warm_tokens_per_second)},
            {"closed_form",
             {{"routing", "uniform"},
              {"tokens_per_second", number(p.closed_tokens_per_second)},
              {"deviation_percent", difference ? Json(100.0 * *difference) : Json()}}},
            {"lookups", p.lookups},
            {"hits", p.hits},
            {"missed_bytes", p.missed_bytes},
            {"drive", drive_json(p.drive)}};
}

} // namespace

std::optional<double> deviation(double simulated, const std::optional<double>& closed) {
    if (!closed || *closed <= 0.0) return std::nullopt;
    return simulated / *closed - 1.0;
}

Json simulation_json(const SimulationAnswer& answer) {
    const Simulation& s = answer.simulation;
    const LoadedCase& l = answer.loaded;
    Json json = {{"format", 1},
                 {"kind", "simulation"},
                 {"version", answer.version},
                 {"data_digest", l.data_digest},
                 {"synthetic", s.info.synthetic}};
    json["case"] = {
        {"model", l.model_id}, {"machine", l.machine_id}, {"quant", l.quantization_id}, {"scenario", l.scenario_id}};
    json["routing"] = {{"name", s.info.name}, {"format", s.info.format}, {"malformed_lines", s.malformed.count}};
    json["cache"] = {{"policy", policy_of(s)},
                     {"scope", scope_of(s)},
                     {"layers", s.layers},
                     {"least_slots_per_layer", s.least_slots},
                     {"most_slots_per_layer", s.most_slots},
                     {"placed_slots_first_layer", s.placed_slots},
                     {"residency", s.residency},
                     {"page_cache_simulated", !s.page_cache_left_out}};
    json["seed"] = s.options.seed;
    json["positions"] = s.positions;
    json["accepted"] = s.accepted;
    json["prefill"] = s.prefill ? prefill_json(*s.prefill) : Json();
    json["decode"] = decode_json(s);
    return json;
}

} // namespace spillway
