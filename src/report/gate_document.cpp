// The document of a gate: at a terminal an entry is a few lines, elsewhere a row of a table.
#include "report/figures.h"
#include "report/gate.h"
#include "report/notes.h"

#include <fmt/format.h>

namespace spillway {

namespace {

std::string target_text(double target) { return fmt::format("{:.6g}", target); }

std::string decode_text(const GateRow& row) {
    const auto& figure = row.result.estimate.decode.tokens_per_second;
    return figure ? speed(*figure, row.loaded.value.scenario.target_decode) : "-";
}

std::string prefill_text(const GateRow& row) {
    const Prefill& p = row.result.estimate.prefill;
    if (p.tokens_per_second) return speed(*p.tokens_per_second, row.loaded.value.scenario.target_prefill);
    return p.total ? "not limited" : "-";
}

// "decode 28.6 tok/s (10), prefill not limited (100)".
std::string figures(const GateRow& row) {
    const Scenario& s = row.loaded.value.scenario;
    const auto with_unit = [](const std::string& figure) { return figure + (figure == "not limited" ? "" : " tok/s"); };
    return fmt::format("decode {} (target {}), prefill {} (target {})", with_unit(decode_text(row)),
                       target_text(s.target_decode), with_unit(prefill_text(row)), target_text(s.target_prefill));
}

// What the entry was measured against, where that is not its targets.
std::string rule_text(const GateReport& report, const GateRow& row) {
    if (!report.has_baseline) return {};
    return row.stored ? fmt::format("compared with the stored result: at most {} worse", percent(report.max_worse))
                      : "not in the stored result: judged by its targets";
}

constexpr std::string_view kNotEvenSo = "even so the case would not hold";

// What there is to say of an entry beside its figures.
std::vector<std::string> remarks(const GateReport& report, const GateRow& row) {
    std::vector<std::string> list;
    if (const std::string rule = rule_text(report, row); !rule.empty()) list.push_back(rule);
    if (row.result.accepted) return list;
    for (const auto& unknown : unknown_texts(row)) list.push_back(unknown.second);
    if (const std::string change = change_text(row); !change.empty()) list.push_back("cheapest change: " + change);
    if (!holds_after_changes(row).value_or(true)) list.emplace_back(kNotEvenSo);
    return list;
}

void add_entry(const GateReport& report, const GateRow& row, DocumentSection& section) {
    constexpr int kIndent = 10;
    const bool accepted = row.result.accepted;
    const auto add = [&](const std::string& text) { section.line(text, Tone::plain, kIndent, kIndent + 2); };
    section.line((accepted ? "accepted  " : "REJECTED  ") + entry_label(row), accepted ? Tone::good : Tone::bad, 0,
                 kIndent);
    for (const std::string& reason : reason_texts(row)) add(reason);
    if (accepted) add(figures(row));
    for (const std::string& remark : remarks(report, row)) add(remark);
}

Table entry_table(const GateReport& report) {
    Table table;
    table.in = In::pages;
    table.columns = {{"accepted", ""},
                     {"entry", "entry"},
                     {"decode", "decode tok/s", Show::figure},
                     {"target_decode", "target", Show::figure},
                     {"prefill", "prefill tok/s", Show::figure},
                     {"target_prefill", "target", Show::figure},
                     {"why", "why, and the cheapest change"}};
    for (const GateRow& row : report.rows) {
        const Scenario& s = row.loaded.value.scenario;
        std::vector<std::string> why = reason_texts(row);
        for (std::string& remark : remarks(report, row)) why.push_back(std::move(remark));
        TableRow cells{row.result.accepted ? "accepted" : "REJECTED",
                       entry_label(row),
                       decode_text(row),
                       target_text(s.target_decode),
                       prefill_text(row),
                       target_text(s.target_prefill),
                       fmt::format("{}", fmt::join(why, "; "))};
        cells.tone = row.result.accepted ? Tone::good : Tone::bad;
        table.rows.push_back(std::move(cells));
    }
    return table;
}

Table data_of(const GateReport& report) {
    Table table;
    for (const char* name :
         {"accepted", "name", "model", "machine", "quant", "scenario", "settings", "decode_tokens_per_second",
          "target_decode", "prefill_tokens_per_second", "target_prefill", "residency", "reasons", "change"})
        table.columns.push_back({name, name});
    for (const GateRow& row : report.rows) {
        const LoadedCase& l = row.loaded;
        const Scenario& s = l.value.scenario;
        const Estimate& e = row.result.estimate;
        table.rows.push_back({row.result.accepted, row.name, l.model_id, l.machine_id, l.quantization_id, l.scenario_id,
                              fmt::format("{}", fmt::join(row.settings, "; ")), e.decode.tokens_per_second,
                              s.target_decode, e.prefill.tokens_per_second, s.target_prefill, e.placement.residency,
                              fmt::format("{}", fmt::join(reason_texts(row), "; ")), change_text(row)});
    }
    return table;
}

void add_head(const GateReport& report, Tone tone, Document& document) {
    DocumentSection& head = document.add("");
    head.add(Judgement{.text = gate_verdict(report), .tone = tone, .in = In::pages});
    for (const std::string& setting : report.settings) head.line("every entry with " + setting);
    head.line("");
    DocumentSection& entries = document.add("");
    entries.in = In::text;
    for (const GateRow& row : report.rows) add_entry(report, row, entries);
    entries.line("");
}

} // namespace

Document gate_document(const GateReport& report) {
    const Tone tone = report.passed() ? Tone::good : Tone::bad;
    Document document{.kind = "estimate",
                      .title = "gate: " + (report.name.empty() ? "one case" : report.name),
                      .lead = "spillway estimate   ",
                      .hang = 20,
                      .sections = {},
                      .data = data_of(report),
                      .version = report.version};
    add_head(report, tone, document);
    DocumentSection& end = document.add("");
    end.add(entry_table(report));
    for (const std::string& label : report.gone)
        end.line("stored, but not in the set any more: " + label, Tone::warning);
    if (const std::string storage = storage_sentence(report); !storage.empty()) end.line(storage);
    end.add(Judgement{.text = gate_verdict(report), .tone = tone, .in = In::text});
    return document;
}

} // namespace spillway
