// A gate for people: text for a terminal, markdown for a job summary.
#include "report/figures.h"
#include "report/gate.h"
#include "report/notes.h"
#include "report/page.h"

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

void add_row(const GateReport& report, const GateRow& row, Page& page) {
    constexpr int hang = 10;
    const std::string indent(hang, ' ');
    const bool accepted = row.result.accepted;
    page.line((accepted ? "accepted  " : "REJECTED  ") + entry_label(row), hang, accepted ? Paint::good : Paint::bad);
    for (const std::string& reason : reason_texts(row)) page.line(indent + reason, hang + 2);
    if (accepted) page.line(indent + figures(row), hang + 2);
    const std::string rule = rule_text(report, row);
    if (!rule.empty()) page.line(indent + rule, hang + 2);
    if (accepted) return;
    for (const auto& unknown : unknown_texts(row)) page.line(indent + unknown.second, hang + 2);
    const std::string change = change_text(row);
    if (!change.empty()) page.line(indent + "cheapest change: " + change, hang + 2);
    if (!holds_after_changes(row).value_or(true)) page.line(indent + "even so the case would not hold", hang + 2);
}

// Safe inside a table cell.
std::string cell(const std::string& text) {
    std::string safe;
    for (const char c : printable(text)) {
        if (c == '|' || c == '<' || c == '`' || c == '*' || c == '_' || c == '[' || c == '\\') safe += '\\';
        safe += c;
    }
    return safe;
}

} // namespace

std::string gate_text(const GateReport& report, const TextOptions& options) {
    Page page(options.width, options.color);
    const std::string what = report.name.empty() ? "one case" : report.name;
    page.line("spillway estimate   gate: " + what, 20, Paint::heading);
    for (const std::string& setting : report.settings) page.line("every entry with " + setting);
    page.line("");
    for (const GateRow& row : report.rows) add_row(report, row, page);
    page.line("");
    for (const std::string& label : report.gone) page.line("stored, but not in the set any more: " + label);
    const std::string storage = storage_sentence(report);
    if (!storage.empty()) page.line(storage);
    page.line(gate_verdict(report), 4, report.passed() ? Paint::good : Paint::bad);
    return page.text();
}

std::string gate_markdown(const GateReport& report) {
    const std::string what = report.name.empty() ? "" : cell(report.name) + ": ";
    std::string text = fmt::format("### spillway gate: {}{}\n\n", what, gate_verdict(report));
    text += "| | entry | decode tok/s | target | prefill tok/s | target | why, and the cheapest change |\n";
    text += "|---|---|---:|---:|---:|---:|---|\n";
    for (const GateRow& row : report.rows) {
        const Scenario& s = row.loaded.value.scenario;
        std::vector<std::string> why = reason_texts(row);
        for (const auto& unknown : unknown_texts(row)) {
            if (!row.result.accepted) why.push_back(unknown.second);
        }
        if (!row.changes.empty()) why.push_back(change_text(row));
        if (!holds_after_changes(row).value_or(true)) why.push_back("even so the case would not hold");
        const std::string rule = rule_text(report, row);
        if (!rule.empty()) why.push_back(rule);
        text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", row.result.accepted ? "accepted" : "**rejected**",
                            cell(entry_label(row)), decode_text(row), target_text(s.target_decode), prefill_text(row),
                            target_text(s.target_prefill), cell(fmt::format("{}", fmt::join(why, "; "))));
    }
    for (const std::string& setting : report.settings) text += fmt::format("\nEvery entry with {}.\n", cell(setting));
    for (const std::string& label : report.gone)
        text += fmt::format("\nStored, but not in the set any more: {}.\n", cell(label));
    const std::string storage = storage_sentence(report);
    if (!storage.empty()) text += fmt::format("\nEstimates; {}.\n", storage);
    return text;
}

} // namespace spillway
