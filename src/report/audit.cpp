#include "report/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace spillway {

namespace {

std::string_view state_name(AuditState state) { return EnumNames<AuditState>::names[static_cast<std::size_t>(state)]; }

Tone tone_of(AuditState state) {
    if (state == AuditState::fails) return Tone::bad;
    return state == AuditState::excepted ? Tone::warning : Tone::plain;
}

std::string figure(const std::optional<double>& value, Unit unit) {
    if (!value) return "-";
    return cell_text(*value, unit == Unit::bytes ? Show::bytes : *value < 1e6 ? Show::count : Show::params);
}

// Columns that add up to a terminal's 80; a name that is longer has a line of its own.
Table empty_table() {
    Table table;
    table.columns = {{"check", "", Show::text, 31},
                     {"stated", "stated", Show::figure, 10, 1},
                     {"computed", "computed", Show::figure, 10, 1},
                     {"off", "off", Show::figure, 8, 1},
                     {"limit", "limit", Show::figure, 6, 1},
                     {"result", "result", Show::text, 0, 1},
                     {"reason", "reason", Show::text, 0, 1, In::pages}};
    table.heads = false;
    return table;
}

TableRow row_of(const Audit& a) {
    const auto off = a.difference();
    TableRow row{a.what,
                 a.stated ? figure(a.stated, a.unit) : "",
                 a.stated || a.computed ? figure(a.computed, a.unit) : "",
                 off        ? fmt::format("{:+.2f} %", 100.0 * *off)
                 : a.stated ? "-"
                            : "",
                 a.tolerance ? fmt::format("{:g} %", 100.0 * *a.tolerance) : "",
                 state_name(a.state),
                 a.reason};
    row.tone = tone_of(a.state);
    row.note = a.reason;
    if (!a.stated)
        row.line = fmt::format("  {}: {}", a.what, a.computed ? figure(a.computed, a.unit) : state_name(a.state));
    return row;
}

std::string summary(const FileAudit& file) {
    constexpr std::array<std::string_view, EnumNames<AuditState>::names.size()> words = {"hold", "fail", "excepted",
                                                                                         "derived", "shown"};
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::size_t number = file.count(static_cast<AuditState>(i));
        if (number > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number, words[i]);
    }
    return fmt::format("{}: {}", file.shown, text);
}

void add_file(const FileAudit& file, bool whole, DocumentSection& section) {
    section.line(summary(file), file.passes() ? Tone::plain : Tone::bad);
    Table table = empty_table();
    for (const Audit& audit : file.audits) {
        if (!whole && audit.state != AuditState::fails) continue;
        table.heads = table.heads || audit.stated;
        table.rows.push_back(row_of(audit));
    }
    if (!table.rows.empty()) section.add(std::move(table));
}

} // namespace

Table audit_table(const std::vector<FileAudit>& files) {
    Table table;
    for (const char* name :
         {"file", "kind", "check", "unit", "stated", "computed", "difference", "tolerance", "result", "reason"})
        table.columns.push_back({name, name});
    for (const FileAudit& file : files) {
        for (const Audit& a : file.audits) {
            const bool figures = a.stated || a.computed;
            table.rows.push_back({file.shown, kind_name(file.kind), a.what,
                                  figures ? Cell(a.unit == Unit::bytes ? "bytes" : "count") : Cell(), a.stated,
                                  a.computed, a.difference(), a.tolerance, state_name(a.state), a.reason});
        }
    }
    return table;
}

Document audit_document(const std::vector<FileAudit>& files, bool whole, const std::string& version) {
    Document document{.kind = "check",
                      .title = fmt::format("{} file{} of the catalogue", files.size(), files.size() == 1 ? "" : "s"),
                      .lead = "",
                      .sections = {},
                      .data = audit_table(files),
                      .version = version};
    DocumentSection& section = document.add("");
    for (const FileAudit& file : files) add_file(file, whole, section);
    const auto failed = std::count_if(files.begin(), files.end(), [](const FileAudit& file) { return !file.passes(); });
    if (failed == 0)
        section.add(Judgement{fmt::format("{} of {} files pass", files.size(), files.size()), Tone::good});
    else
        section.add(Judgement{fmt::format("{} of {} files fail", failed, files.size()), Tone::bad});
    return document;
}

} // namespace spillway
