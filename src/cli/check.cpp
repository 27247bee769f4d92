// spillway check: what a contributor runs on a file of the catalogue before offering it.
#include "cli/app.h"
#include "cli/commands.h"
#include "io/audit.h"
#include "io/json_text.h"
#include "io/output_file.h"
#include "report/figures.h"
#include "report/page.h"
#include "report/table.h"
#include "text/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <memory>

namespace spillway {

namespace {

constexpr int kFailedExit = 1;

struct Options {
    OutputFlags output;
    std::vector<std::string> files;
};

// In JSON and csv: one row per check.
Table data_table(const std::vector<FileAudit>& files) {
    Table table;
    for (const char* name :
         {"file", "kind", "check", "unit", "stated", "computed", "difference", "tolerance", "result", "reason"})
        table.columns.push_back({name, name, Show::text});
    const auto cell = [](const std::optional<double>& value) {
        return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
    };
    for (const FileAudit& file : files) {
        for (const Audit& a : file.audits) {
            const bool figures = a.stated || a.computed;
            table.rows.push_back(
                {file.shown, std::string(kind_name(file.kind)), a.what,
                 figures ? nlohmann::ordered_json(a.unit == Unit::bytes ? "bytes" : "count") : nlohmann::ordered_json(),
                 cell(a.stated), cell(a.computed), cell(a.difference()), cell(a.tolerance),
                 std::string(EnumNames<AuditState>::names[static_cast<std::size_t>(a.state)]), a.reason});
        }
    }
    return table;
}

std::string figure(const std::optional<double>& value, Unit unit) {
    if (!value) return "-";
    return cell_text(*value, unit == Unit::bytes ? Show::bytes : *value < 1e6 ? Show::count : Show::params);
}

std::string_view state_name(AuditState state) { return EnumNames<AuditState>::names[static_cast<std::size_t>(state)]; }

Paint paint_of(AuditState state) {
    if (state == AuditState::fails) return Paint::bad;
    return state == AuditState::excepted ? Paint::warning : Paint::none;
}

// Columns that add up to a terminal's 80; a name that is longer has a line of its own.
constexpr int kWidth = 80, kNameWidth = 31, kFigureWidth = 10, kOffWidth = 8, kAllowedWidth = 6;

std::string figures_line(std::string_view name, std::string_view stated, std::string_view computed,
                         std::string_view off, std::string_view allowed, std::string_view result) {
    return "  " + left(name, kNameWidth) + " " + right(stated, kFigureWidth) + " " + right(computed, kFigureWidth) +
           " " + right(off, kOffWidth) + " " + right(allowed, kAllowedWidth) + " " + std::string(result);
}

void add_audit(const Audit& a, Page& page) {
    const std::string what = printable(a.what);
    if (!a.stated) {
        const std::string number = a.computed ? " " + figure(a.computed, a.unit) : "";
        page.line(fmt::format("  {}:{}{}", what, number, a.computed ? "" : fmt::format(" {}", state_name(a.state))), 4,
                  paint_of(a.state));
    } else {
        const bool fits = columns(what) <= kNameWidth;
        if (!fits) page.line("  " + what);
        const auto off = a.difference();
        const std::string allowed = a.tolerance ? fmt::format("{:g} %", 100.0 * *a.tolerance) : "";
        page.line(figures_line(fits ? what : "", figure(a.stated, a.unit), figure(a.computed, a.unit),
                               off ? fmt::format("{:+.2f} %", 100.0 * *off) : "-", allowed, state_name(a.state)),
                  4, paint_of(a.state));
    }
    if (!a.reason.empty()) page.line("      " + printable(a.reason), 6);
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

// With `whole`, every check; otherwise those that fail.
void add_file(const FileAudit& file, bool whole, Page& page) {
    page.line(printable(summary(file)), 4, file.passes() ? Paint::none : Paint::bad);
    const bool figures = std::any_of(file.audits.begin(), file.audits.end(), [&](const Audit& a) {
        return a.stated && (whole || a.state == AuditState::fails);
    });
    if (figures) page.line(figures_line("", "stated", "computed", "off", "limit", "result"));
    for (const Audit& audit : file.audits) {
        if (whole || audit.state == AuditState::fails) add_audit(audit, page);
    }
}

std::string text_of(const std::vector<FileAudit>& files, const Options& o) {
    Page page(kWidth, colour(o.output));
    std::size_t failed = 0;
    for (const FileAudit& file : files) {
        add_file(file, !o.files.empty(), page);
        failed += file.passes() ? 0 : 1;
    }
    if (failed == 0)
        page.line(fmt::format("{} of {} files pass", files.size(), files.size()), 4, Paint::good);
    else
        page.line(fmt::format("{} of {} files fail", failed, files.size()), 4, Paint::bad);
    return page.text();
}

std::vector<std::pair<FileKind, std::string>> wanted(LoadContext& context, const Options& o) {
    std::vector<std::pair<FileKind, std::string>> files;
    for (const std::string& name : o.files) {
        if (const auto kind = kind_of_file(context, name)) files.emplace_back(*kind, name);
    }
    if (!o.files.empty()) return files;
    for (std::size_t i = 0; i < EnumNames<FileKind>::names.size(); ++i) {
        const auto kind = static_cast<FileKind>(i);
        for (const std::string& name : context.catalogue.names(kind)) files.emplace_back(kind, name);
    }
    return files;
}

int run(const Options& o) {
    const Catalogue catalogue(data_root(o.output.data));
    LoadContext context{catalogue, {}};
    std::vector<FileAudit> files;
    for (const auto& [kind, name] : wanted(context, o)) {
        if (auto audited = audit_file(context, kind, name)) files.push_back(std::move(*audited));
    }
    throw_if_any(context.problems);
    if (files.empty())
        throw InputError({{"--data", "", "nothing", "a directory with models/, hardware/ and scenarios/",
                           "there is no catalogue to check"}});
    std::string text;
    if (o.output.wants_json())
        text = json_text(table_json(data_table(files)));
    else
        text = o.output.format == "csv" ? table_csv(data_table(files)) : text_of(files, o);
    write_output(o.output.file, text);
    const bool pass = std::all_of(files.begin(), files.end(), [](const FileAudit& file) { return file.passes(); });
    return pass ? 0 : kFailedExit;
}

} // namespace

Command check_command() {
    const auto o = std::make_shared<Options>();
    return {.name = "check",
            .help = "audits files of the catalogue: exit 0 pass, 1 fail, 3 unreadable",
            .flags = joined({{{"files", &o->files, "files or names to audit; none: the whole catalogue", "FILE"}},
                             output_flags(o->output, {"text", "json", "csv"})}),
            .run = [o] { return run(*o); }};
}

} // namespace spillway
