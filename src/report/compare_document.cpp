// The document of a comparison.
#include "report/compare.h"

#include "inputs/quantity.h"
#include "report/figures.h"
#include "report/notes.h"
#include "report/views.h"
#include "text/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace spillway {

namespace {

// Shown also where both sides are equal.
constexpr std::array<std::string_view, 8> kLeading = {
    "decode.tokens_per_second",    "prefill.tokens_per_second",          "placement.residency",
    "placement.expert_pool_bytes", "placement.expert_budget_bytes",      "decode.missed_bytes_per_token",
    "decode.seconds_per_step",     "prefill.time_to_first_token_seconds"};

bool leads(const ComparedFigure& f) { return std::find(kLeading.begin(), kLeading.end(), f.name) != kLeading.end(); }

bool has(std::string_view name, std::string_view part) { return name.find(part) != std::string_view::npos; }

// How a number is shown follows from the unit that its name ends in.
std::string shown(std::string_view name, double value) {
    if (has(name, "tokens_per_second")) return speed(value);
    if (has(name, "bytes_per_second")) return significant(value / 1e9, 4) + " GB/s";
    const std::string_view last = name.substr(name.rfind('.') + 1);
    if (has(last, "bytes")) return std::abs(value) < 1e9 ? print_short(Bytes(value)) : gb(Bytes(value));
    if (has(last, "seconds")) return print_short(Seconds(value));
    if (last == "residency" || last == "miss_fraction" || has(last, "share")) return percent(value);
    return significant(value, 4);
}

struct Cells {
    std::string left, right, difference, relative;
};

Cells cells_of(const ComparedFigure& f) {
    const auto text = [&](const std::optional<double>& value) { return value ? shown(f.name, *value) : "-"; };
    Cells cells{text(f.left), text(f.right), "-", "-"};
    const std::optional<double> difference = f.difference();
    if (!difference) return cells;
    std::string size = shown(f.name, std::abs(*difference));
    // Shares differ by points; per cent of them stand in the next column.
    if (size.ends_with(" %")) size.replace(size.size() - 1, 1, "pt");
    cells.difference = *difference == 0.0 ? "=" : (*difference > 0.0 ? "+" : "-") + size;
    const std::optional<double> relative = f.relative();
    if (relative && *relative != 0.0) cells.relative = fmt::format("{:+.1f} %", 100.0 * *relative);
    return cells;
}

// Figures to show: the leading ones, then those that differ. What steers neither speed nor memory (the ranking of the
// inputs, values of notes) is in the JSON only.
struct Choice {
    std::vector<ComparedFigure> leading, others;
    std::size_t left_out = 0;
};

Choice choose(const Comparison& comparison) {
    Choice choice;
    for (const ComparedFigure& f : compared_figures(report_json(comparison.left), report_json(comparison.right))) {
        if (leads(f))
            choice.leading.push_back(f);
        else if (!f.same() && f.name.rfind("influences.", 0) != 0 && f.name.rfind("notes.", 0) != 0)
            choice.others.push_back(f);
        else
            ++choice.left_out;
    }
    // In the order of the list, not of the JSON.
    const auto place = [](const ComparedFigure& f) { return std::find(kLeading.begin(), kLeading.end(), f.name); };
    std::sort(choice.leading.begin(), choice.leading.end(),
              [&](const ComparedFigure& a, const ComparedFigure& b) { return place(a) < place(b); });
    return choice;
}

std::string case_text(const Report& report) {
    const LoadedCase& l = report.loaded;
    std::string text =
        fmt::format("{} ({}) on {}, scenario {}", l.model_id, l.quantization_id, l.machine_id, l.scenario_id);
    const nlohmann::ordered_json settings = report_json(report)["case"]["settings"];
    for (const auto& setting : settings)
        text += fmt::format(", {}={}", setting.at("path").get<std::string>(), setting.at("value").get<std::string>());
    return text;
}

Table empty_table(bool heads) {
    Table table;
    table.columns = {{"name", "", Show::text, 32},
                     {"left", "left", Show::figure, 10, 1},
                     {"right", "right", Show::figure, 10, 1},
                     {"difference", "difference", Show::figure, 11, 1},
                     {"change", "change", Show::figure, 10, 1}};
    table.heads = heads;
    return table;
}

void add_row(const std::string& name, const ComparedFigure& f, Table& table) {
    const Cells cells = cells_of(f);
    table.rows.push_back({name, cells.left, cells.right, cells.difference, cells.relative});
}

// Why a speed is missing, by side.
std::vector<std::string> missing_texts(const Comparison& comparison) {
    std::vector<std::string> texts;
    for (const Report* report : {&comparison.left, &comparison.right}) {
        const char* const side = report == &comparison.left ? "left" : "right";
        if (!report->estimate.decode.tokens_per_second)
            texts.push_back(fmt::format("{}: no decode speed: {}", side, why_no_decode(*report)));
        if (!report->estimate.prefill.tokens_per_second)
            texts.push_back(fmt::format("{}: no prefill speed: {}", side, why_no_prefill(*report)));
    }
    return texts;
}

std::string rest_text(std::size_t left_out) {
    return fmt::format("{} more figures are equal or belong to the ranking of inputs; --json has all", left_out);
}

// One section per group of the JSON.
void add_groups(const std::vector<ComparedFigure>& figures, Document& document) {
    std::string group;
    for (const ComparedFigure& f : figures) {
        const std::size_t dot = f.name.find('.');
        if (f.name.substr(0, dot) != group) {
            group = f.name.substr(0, dot);
            document.add(group).add(empty_table(false));
        }
        add_row(f.name.substr(dot + 1), f, std::get<Table>(document.sections.back().blocks.front()));
    }
}

Table data_of(const Comparison& comparison) {
    Table table;
    table.columns = {{"name", ""}, {"left", ""}, {"right", ""}, {"difference", ""}, {"relative", ""}};
    for (const ComparedFigure& f : compared_figures(report_json(comparison.left), report_json(comparison.right)))
        table.rows.push_back({f.name, f.left, f.right, f.difference(), f.relative()});
    return table;
}

void add_head(const Comparison& comparison, const Choice& choice, Document& document) {
    DocumentSection& head = document.add("");
    head.add(Facts{{{"left", case_text(comparison.left)}, {"right", case_text(comparison.right)}}, 0, 7});
    head.line("");
    head.add(Judgement{verdict_change_text(comparison), tone_of(comparison.right.estimate.verdict.overall)});
    head.line("");
    Table table = empty_table(true);
    for (const ComparedFigure& f : choice.leading) add_row(f.name, f, table);
    head.add(std::move(table));
    for (const std::string& why : missing_texts(comparison)) head.line(why, Tone::warning, 2);
}

} // namespace

Document compare_document(const Comparison& comparison) {
    Document document{.kind = "estimate",
                      .title = "two cases compared",
                      .lead = "spillway estimate   ",
                      .hang = 20,
                      .sections = {},
                      .data = data_of(comparison),
                      .version = comparison.left.version,
                      .data_digest = comparison.left.loaded.data_digest};
    const Choice choice = choose(comparison);
    add_head(comparison, choice, document);
    add_groups(choice.others, document);
    DocumentSection& end = document.sections.back();
    end.line("");
    end.line(rest_text(choice.left_out), Tone::soft);
    return document;
}

} // namespace spillway
