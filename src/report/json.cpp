// The JSON of a report: docs/json.md has every name, which is a contract.
#include "report/explain.h"
#include "report/levers.h"
#include "report/names.h"
#include "report/nearby.h"
#include "report/notes.h"
#include "report/report.h"
#include "report/residency_chart.h"
#include "report/views.h"

#include "io/write_fields.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace spillway {

namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity and no NaN; the library would write them as null without saying so, here it is a decision.
Json value(double number) { return std::isfinite(number) ? write_number(number) : Json(); }
template <int B, int S, int F>
Json value(Quantity<B, S, F> quantity) {
    return value(quantity.value);
}
Json value(bool flag) { return flag; }
template <class T>
Json value(const std::optional<T>& known) {
    return known ? value(*known) : Json();
}
Json limit_json(const std::optional<Limit>& limit) { return limit ? Json(std::string(name_of(*limit))) : Json(); }
Json text(std::string_view words) { return std::string(words); }

Json case_json(const Report& report) {
    const LoadedCase& loaded = report.loaded;
    const Case& c = loaded.value;
    Json json;
    json["model"] = loaded.model_id;
    json["machine"] = loaded.machine_id;
    json["quant"] = loaded.quantization_id;
    json["scenario"] = loaded.scenario_id;
    json["names"] = {{"model", c.model.name},
                     {"machine", c.machine.name},
                     {"quant", c.quantization.name},
                     {"scenario", c.scenario.name},
                     {"runtime", c.scenario.runtime.name}};
    json["context"] = value(c.scenario.context);
    json["depth"] = value(c.scenario.depth);
    json["sequences"] = value(c.scenario.sequences);
    json["prompt"] = value(c.scenario.prompt);
    json["positions"] = value(c.scenario.positions);
    json["accepted"] = value(c.scenario.accepted);
    json["targets"] = {{"decode", value(c.scenario.target_decode)}, {"prefill", value(c.scenario.target_prefill)}};
    json["forced"] = forced_paths(c.scenario);
    Json settings = Json::array();
    for (const auto& [path, provenance] : loaded.sources) {
        if (provenance.basis == Basis::given) settings.push_back({{"path", path}, {"value", value_text(report, path)}});
    }
    json["settings"] = settings;
    return json;
}

Json pool_json(const MemoryPool& pool, const Tier& tier) {
    Json json;
    json["name"] = pool.name;
    json["access"] = text(EnumNames<Access>::names[static_cast<std::size_t>(tier.access)]);
    json["capacity_bytes"] = value(pool.capacity);
    json["usable_bytes"] = value(pool.usable);
    json["usable_default_bytes"] = value(pool.usable_default);
    json["limit_command"] = pool.limit_command.empty() ? Json() : Json(pool.limit_command);
    json["fixed_bytes"] = value(tier.fixed);
    json["expert_budget_bytes"] = value(tier.expert_budget);
    json["expert_bytes"] = value(tier.expert_bytes);
    json["expert_share"] = value(tier.expert_share);
    json["layers"] = value(tier.layers);
    return json;
}

Json pools_json(const Report& report) {
    const Placement& p = report.estimate.placement;
    const std::vector<MemoryPool>& memory = report.loaded.value.machine.memory;
    const auto in_use = std::min(memory.size(), static_cast<std::size_t>(p.pools_in_use));
    Json pools = Json::array();
    for (std::size_t i = 0; i < in_use; ++i) {
        if (i < p.tiers.size) {
            pools.push_back(pool_json(memory[i], p.tiers.items[i]));
            continue;
        }
        // Without bits per weight nothing was placed.
        Json json = pool_json(memory[i], Tier{});
        for (const char* name : {"fixed_bytes", "expert_bytes", "expert_share", "layers"}) json[name] = nullptr;
        pools.push_back(json);
    }
    return pools;
}

Json placement_json(const Report& report) {
    const Placement& p = report.estimate.placement;
    Json json;
    json["usable_bytes"] = value(p.usable);
    json["left_for_os_bytes"] = value(p.left_for_os);
    json["expert_budget_bytes"] = value(p.expert_budget);
    json["expert_pool_bytes"] = value(p.expert_pool ? p.expert_pool : p.sizes.experts);
    json["pool_over_budget"] = value(p.pool_over_budget);
    json["residency"] = value(p.residency);
    json["slots_per_layer"] = value(p.slots_per_layer);
    json["experts_per_layer"] = value(experts_per_layer(report.loaded.value.model));
    json["spilled_bytes"] = value(spilled_experts(p));
    json["fits"] = value(p.fits);
    json["short_by_bytes"] = p.fits ? value(p.short_by) : Json();
    json["load_seconds"] = value(p.load);
    json["kv_cache_bytes"] = value(p.kv_cache);
    json["scratch_bytes"] = value(p.scratch);
    json["page_cache_bytes"] = value(p.page_cache);
    json["components"] = Json::array();
    for (const PlacedPart& part : placed_parts(report)) {
        json["components"].push_back({{"name", text(name_of(part.part))},
                                      {"bytes", value(part.bytes)},
                                      {"pool", place_name(report.loaded.value.machine, part.pool)}});
    }
    json["pools"] = pools_json(report);
    const std::string flags = engine_flags(report);
    json["engine_flags"] = flags.empty() ? Json() : Json(flags);
    return json;
}

Json term_json(const Report& report, const Term& term) {
    Json json;
    json["name"] = text(name_of(term.id));
    json["seconds"] = value(term.seconds);
    json["pool"] = term.pool >= 0 ? Json(place_name(report.loaded.value.machine, term.pool)) : Json("storage");
    for (const Operand& operand : operands_of(term)) {
        if (operand.name != "seconds") json[std::string(operand.name)] = operand.known ? value(operand.value) : Json();
    }
    return json;
}

template <class Terms>
Json terms_json(const Report& report, const Terms& terms) {
    Json list = Json::array();
    for (const Term& term : terms) list.push_back(term_json(report, term));
    return list;
}

Json decode_json(const Report& report) {
    const Decode& d = report.estimate.decode;
    Json json;
    json["tokens_per_second"] = value(d.tokens_per_second);
    json["tokens_per_second_total"] = value(d.tokens_per_second_total);
    json["bounds"] = {{"no_overlap", value(d.no_overlap)},
                      {"full_overlap", value(d.full_overlap)},
                      {"memory_bandwidth", value(d.bandwidth_bound)}};
    json["band"] = nullptr;
    json["seconds_per_step"] = value(d.step);
    json["target_seconds_per_step"] = value(step_allowed(report.loaded.value.scenario));
    json["resident_seconds"] = value(d.resident);
    json["storage_seconds"] = value(d.storage);
    json["expert_bytes_per_token"] = value(d.expert_bytes_per_token);
    json["missed_bytes_per_token"] = value(d.missed_bytes_per_token);
    json["per_layer"] = {{"missed_bytes", value(d.missed_bytes_per_layer)},
                         {"storage_seconds", value(d.storage_per_layer)},
                         {"resident_seconds", value(d.resident_per_layer)}};
    json["limit"] = limit_json(d.limit);
    json["terms"] = terms_json(report, d.terms);
    return json;
}

Json prefill_json(const Report& report) {
    const Prefill& p = report.estimate.prefill;
    const bool priced = p.chunks > 0.0;
    const PrefillTerms terms = prefill_terms(p);
    Json json;
    json["tokens_per_second"] = value(p.tokens_per_second);
    json["storage_limit_tokens_per_second"] = value(p.storage_limit);
    json["chunk_tokens"] = priced ? value(p.chunk_tokens) : Json();
    json["chunks"] = priced ? value(p.chunks) : Json();
    json["compute_seconds_per_chunk"] = value(p.compute_per_chunk);
    json["storage_seconds_per_chunk"] = value(p.storage_per_chunk);
    json["read_bytes_per_chunk"] = value(p.read_bytes_per_chunk);
    json["total_seconds"] = value(p.total);
    json["time_to_first_token_seconds"] = value(p.time_to_first_token);
    json["limit"] = limit_json(p.limit);
    json["tail_tokens"] = terms.tail.empty()
                              ? Json(0)
                              : value(std::min(static_cast<double>(report.loaded.value.model.prefill_tail_tokens),
                                               report.loaded.value.scenario.prompt));
    json["terms"] = terms_json(report, terms.chunk);
    json["tail_terms"] = terms_json(report, terms.tail);
    return json;
}

Json alternatives_json(const Report& report) {
    const auto& results = report.estimate.alternatives;
    const auto& profiles = report.loaded.value.alternatives;
    Json list = Json::array();
    for (std::size_t i = 0; i < std::min(results.size, profiles.size()); ++i) {
        list.push_back({{"locality", profiles[i].name},
                        {"decode_tokens_per_second", value(results.items[i].tokens_per_second)},
                        {"miss_fraction", value(results.items[i].miss_fraction)},
                        {"workload", profiles[i].workload},
                        {"layers_covered", profiles[i].layers},
                        {"source", profiles[i].source}});
    }
    return list;
}

Json verdict_json(const Report& report) {
    const Verdict& v = report.estimate.verdict;
    Json json;
    json["decode"] = text(name_of(v.decode));
    json["prefill"] = text(name_of(v.prefill));
    json["overall"] = text(name_of(v.overall));
    json["decode_shortfall_tokens_per_second"] = value(v.decode_shortfall);
    json["prefill_shortfall_tokens_per_second"] = value(v.prefill_shortfall);
    json["change"] = changes_json(report.loaded.value, report.changes);
    return json;
}

Json influences_json(const Report& report) {
    Json list = Json::array();
    for (const Influence& influence : report.influences) {
        const std::string_view basis = basis_of(report, influence.path);
        list.push_back({{"path", influence.path},
                        {"value", value(influence.value)},
                        {"value_text", value_text(report, influence.path)},
                        {"decode", value(influence.decode)},
                        {"prefill", value(influence.prefill)},
                        {"basis", basis.empty() ? Json() : text(basis)},
                        {"source", source_text(report, influence.path)}});
    }
    return list;
}

Json explain_json(const Report& report) {
    Json list = Json::array();
    for (const ExplainLine& line : explain_lines(report)) {
        Json inputs = Json::array();
        for (const std::string& path : line.paths) {
            inputs.push_back({{"path", path},
                              {"value", value_text(report, path)},
                              {"basis", text(basis_of(report, path))},
                              {"source", source_text(report, path)}});
        }
        list.push_back({{"name", line.name},
                        {"expression", line.expression},
                        {"value", value(line.value)},
                        {"unit", line.unit},
                        {"inputs", inputs}});
    }
    return list;
}

Json notes_json(const Report& report) {
    Json list = Json::array();
    for (const Note& note : report.estimate.notes) {
        list.push_back(
            {{"code", text(name_of(note.id))}, {"text", note_text(report, note)}, {"value", value(note.value)}});
    }
    return list;
}

} // namespace

nlohmann::ordered_json report_json(const Report& report, bool explain) {
    const Estimate& e = report.estimate;
    const ResidencyLine& line = report.line;
    Json json;
    json["format"] = 1;
    json["kind"] = "estimate";
    json["version"] = report.version;
    json["data_digest"] = report.loaded.data_digest;
    json["case"] = case_json(report);
    json["placement"] = placement_json(report);
    json["routing"] = {{"locality", report.loaded.value.scenario.locality.name},
                       {"miss_fraction", value(e.decode.miss_fraction)}};
    json["decode"] = decode_json(report);
    json["prefill"] = prefill_json(report);
    json["alternatives"] = alternatives_json(report);
    json["break_even"] = {{"target_tokens_per_second", value(line.target)},
                          {"answer", text(name_of(line.answer))},
                          {"residency", value(line.residency)},
                          {"miss_fraction", value(line.miss_fraction)},
                          {"expert_pool_bytes", value(line.expert_pool)},
                          {"best_tokens_per_second", value(line.best)}};
    if (report.curve) json["break_even"]["curve"] = curve_json(*report.curve);
    json["storage"] = {{"cost_ratio", value(e.cost_ratio)},
                       {"bytes_per_second", value(e.decode.storage_rate)},
                       {"reads_in_flight", e.decode.storage_rate ? value(e.decode.reads_in_flight) : Json()}};
    json["verdict"] = verdict_json(report);
    json["influences"] = influences_json(report);
    json["guesses"] = Json::array();
    for (const Guess& guess : guesses(report))
        json["guesses"].push_back({{"path", guess.path}, {"source", guess.source}});
    json["notes"] = notes_json(report);
    if (report.nearby) json["measured_nearby"] = nearby_json(*report.nearby);
    if (explain) json["explain"] = explain_json(report);
    return json;
}

} // namespace spillway
