// The sentences of a gate, and its JSON.
#include "report/gate.h"

#include "io/write_fields.h"
#include "report/figures.h"
#include "report/levers.h"
#include "report/names.h"
#include "report/notes.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

using Json = nlohmann::ordered_json;

Report report_of(const GateRow& row) { return Report{row.loaded, row.result.estimate, {}, {}, {}}; }

std::string target_text(double target) { return fmt::format("{:.6g}", target); }

// "4.40 tok/s, 5.60 short of 10".
std::string below(const GateReason& reason, double target) {
    return fmt::format("{} tok/s, {} short of {}", speed(reason.figure.value_or(0.0), target),
                       speed(reason.shortfall.value_or(0.0)), target_text(target));
}

std::string worse(std::string_view phase, const GateReason& reason) {
    const double now = reason.figure.value_or(0.0);
    if (!reason.stored) return fmt::format("{} was not limited by storage and is {} tok/s now", phase, speed(now));
    return fmt::format("{} fell from {} to {} tok/s, by {}", phase, speed(*reason.stored), speed(now),
                       percent(1.0 - now / *reason.stored));
}

std::string unknown(std::string_view phase, const GateReason& reason, const std::string& why) {
    if (reason.stored) return fmt::format("{} is unknown, was {} tok/s: {}", phase, speed(*reason.stored), why);
    return fmt::format("{} is unknown: {}", phase, why);
}

std::string reason_text(const GateRow& row, const GateReason& reason) {
    const Scenario& s = row.loaded.value.scenario;
    switch (reason.id) {
    case GateReasonId::does_not_fit: return "does not fit: short by " + gb(Bytes(reason.figure.value_or(0.0)));
    case GateReasonId::decode_below: return "decode is " + below(reason, s.target_decode);
    case GateReasonId::prefill_below: return "prefill is " + below(reason, s.target_prefill);
    case GateReasonId::decode_bound:
        return fmt::format("reading alone keeps decode below {} tok/s; the target is {}",
                           speed(reason.figure.value_or(0.0), s.target_decode), target_text(s.target_decode));
    case GateReasonId::prefill_bound:
        return fmt::format("reading alone keeps prefill below {} tok/s; the target is {}",
                           speed(reason.figure.value_or(0.0), s.target_prefill), target_text(s.target_prefill));
    case GateReasonId::decode_depends:
        return fmt::format("decode is {} with routing {}; a measured routing would hold, but that is no guarantee",
                           below(reason, s.target_decode), s.locality.name);
    case GateReasonId::decode_unknown: return unknown("decode", reason, why_no_decode(report_of(row)));
    case GateReasonId::prefill_unknown: return unknown("prefill", reason, why_no_prefill(report_of(row)));
    case GateReasonId::decode_worse: return worse("decode", reason);
    case GateReasonId::prefill_worse: return worse("prefill", reason);
    }
    return {};
}

Json value(const std::optional<double>& number) {
    return number && std::isfinite(*number) ? write_number(*number) : Json();
}
Json text(std::string_view words) { return std::string(words); }
Json limit(const std::optional<Limit>& which) { return which ? text(name_of(*which)) : Json(); }
template <class T>
Json flag(const std::optional<T>& known) {
    return known ? Json(*known) : Json();
}

bool unlimited(const Prefill& prefill) { return !prefill.tokens_per_second && prefill.total.has_value(); }

Json stored_json(const GateRow& row) {
    if (!row.stored) return nullptr;
    return {{"decode_tokens_per_second", value(row.stored->decode.speed)},
            {"prefill_tokens_per_second", value(row.stored->prefill.speed)},
            {"prefill_not_limited", row.stored->prefill.unlimited}};
}

void add_rejection(const GateRow& row, Json& json) {
    json["reasons"] = reason_texts(row);
    json["unknown"] = Json::array();
    for (const auto& [code, words] : unknown_texts(row)) json["unknown"].push_back({{"code", code}, {"text", words}});
    const Verdict& verdict = row.result.estimate.verdict;
    json["shortfall"] = {{"decode_tokens_per_second", value(verdict.decode_shortfall)},
                         {"prefill_tokens_per_second", value(verdict.prefill_shortfall)}};
    json["change"] = changes_json(row.loaded.value, row.changes);
}

Json row_json(const GateRow& row) {
    const LoadedCase& loaded = row.loaded;
    const Estimate& e = row.result.estimate;
    Json json;
    json["name"] = row.name.empty() ? Json() : Json(row.name);
    json["model"] = loaded.model_id;
    json["machine"] = loaded.machine_id;
    json["quant"] = loaded.quantization_id;
    json["scenario"] = loaded.scenario_id;
    json["settings"] = row.settings;
    json["data_digest"] = loaded.data_digest;
    json["targets"] = {{"decode", value(loaded.value.scenario.target_decode)},
                       {"prefill", value(loaded.value.scenario.target_prefill)}};
    json["placement"] = {{"residency", value(e.placement.residency)}, {"fits", flag(e.placement.fits)}};
    json["needs_storage"] = flag(row.result.needs_storage);
    json["decode"] = {{"tokens_per_second", value(e.decode.tokens_per_second)}, {"limit", limit(e.decode.limit)}};
    json["prefill"] = {{"tokens_per_second", value(e.prefill.tokens_per_second)},
                       {"not_limited", unlimited(e.prefill)},
                       {"limit", limit(e.prefill.limit)}};
    json["verdict"] = {{"decode", text(name_of(e.verdict.decode))},
                       {"prefill", text(name_of(e.verdict.prefill))},
                       {"overall", text(name_of(e.verdict.overall))}};
    json["rule"] = row.result.rule == GateRule::stored ? "baseline" : "targets";
    json["stored"] = stored_json(row);
    if (!row.result.accepted) add_rejection(row, json);
    return json;
}

} // namespace

GateCounts GateReport::counts() const {
    std::vector<GateResult> results;
    for (const GateRow& row : rows) results.push_back(row.result);
    return count_results(results);
}

std::string entry_label(const GateRow& row) {
    const LoadedCase& l = row.loaded;
    std::string label =
        fmt::format("{} ({}) on {}, scenario {}", l.model_id, l.quantization_id, l.machine_id, l.scenario_id);
    if (!row.settings.empty()) label += fmt::format(", {}", fmt::join(row.settings, ", "));
    return row.name.empty() ? label : row.name + ": " + label;
}

std::vector<std::string> reason_texts(const GateRow& row) {
    std::vector<std::string> texts;
    for (const GateReason& reason : row.result.reasons) texts.push_back(reason_text(row, reason));
    return texts;
}

std::vector<std::pair<std::string, std::string>> unknown_texts(const GateRow& row) {
    std::vector<std::pair<std::string, std::string>> texts;
    const Report report = report_of(row);
    for (const NoteId id : row.result.unknown)
        texts.emplace_back(std::string(name_of(id)), note_text(report, Note{id, 0.0}));
    return texts;
}

std::string change_text(const GateRow& row) { return changes_text(row.loaded.value, row.changes); }

std::optional<bool> holds_after_changes(const GateRow& row) { return holds_after(row.loaded.value, row.changes); }

std::string gate_verdict(const GateReport& report) {
    const GateCounts counts = report.counts();
    return fmt::format("{}: {} of {} {} accepted, {}", report.passed() ? "ACCEPTED" : "REJECTED", counts.accepted,
                       report.rows.size(), report.rows.size() == 1 ? "entry" : "entries",
                       report.require == Require::all ? "all have to be" : "one is enough");
}

std::string storage_sentence(const GateReport& report) {
    const GateCounts counts = report.counts();
    if (counts.need_storage == 0) return {};
    return fmt::format("of {} that {} experts from storage {} {}", counts.need_storage,
                       counts.need_storage == 1 ? "reads" : "read",
                       counts.need_storage_and_hold == 0 ? "none" : std::to_string(counts.need_storage_and_hold),
                       counts.need_storage_and_hold > 1 ? "hold" : "holds");
}

nlohmann::ordered_json gate_json(const GateReport& report) {
    const GateCounts counts = report.counts();
    Json json = {{"format", 1}, {"kind", "gate"}, {"version", report.version}};
    json["set"] = report.name.empty() ? Json() : Json(report.name);
    json["settings"] = report.settings;
    json["baseline"] = nullptr;
    if (report.has_baseline) json["baseline"] = {{"max_worse", value(report.max_worse)}, {"gone", report.gone}};
    json["accepted"] = Json::array();
    json["rejected"] = Json::array();
    for (const GateRow& row : report.rows) json[row.result.accepted ? "accepted" : "rejected"].push_back(row_json(row));
    json["counts"] = {{"accepted", counts.accepted},
                      {"rejected", counts.rejected},
                      {"need_storage", counts.need_storage},
                      {"need_storage_and_hold", counts.need_storage_and_hold}};
    json["require"] = report.require == Require::all ? "all" : "any";
    json["passed"] = report.passed();
    return json;
}

} // namespace spillway
