// A comparison for people: text for a terminal, markdown to paste.
#include "report/compare.h"

#include "inputs/quantity.h"
#include "report/figures.h"
#include "report/notes.h"
#include "report/page.h"
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

void add_line(const std::string& name, const Cells& cells, Page& page) {
    constexpr int name_width = 34;
    const std::string values = fmt::format(" {} {} {} {}", right(cells.left, 10), right(cells.right, 10),
                                           right(cells.difference, 11), right(cells.relative, 10));
    const std::string line = "  " + name;
    if (columns(line) <= name_width) {
        page.line(left(line, name_width) + values);
    } else {
        page.line(line);
        page.line(std::string(name_width, ' ') + values);
    }
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

// A vertical bar would end a cell.
std::string cell(std::string_view text) {
    std::string safe;
    for (const char c : printable(text)) safe += c == '|' ? std::string("\\|") : std::string(1, c);
    return safe;
}

} // namespace

std::string compare_text(const Comparison& comparison, const TextOptions& options) {
    Page page(options.width, options.color);
    page.line("spillway estimate   two cases compared", 20, Paint::heading);
    page.line("left   " + case_text(comparison.left), 7);
    page.line("right  " + case_text(comparison.right), 7);
    page.line("");
    page.line(verdict_change_text(comparison));
    page.line("");
    add_line("", {"left", "right", "difference", "change"}, page);
    const Choice choice = choose(comparison);
    for (const ComparedFigure& f : choice.leading) add_line(f.name, cells_of(f), page);
    for (const std::string& why : missing_texts(comparison)) page.line("  " + why);
    std::string group;
    for (const ComparedFigure& f : choice.others) {
        const std::size_t dot = f.name.find('.');
        if (f.name.substr(0, dot) != group) {
            group = f.name.substr(0, dot);
            page.heading(group);
        }
        add_line(f.name.substr(dot + 1), cells_of(f), page);
    }
    page.line("");
    page.line(rest_text(choice.left_out));
    return page.text();
}

std::string compare_markdown(const Comparison& comparison) {
    std::string text = fmt::format("### {}\n\n", cell(verdict_change_text(comparison)));
    text +=
        fmt::format("- left: {}\n- right: {}\n\n", cell(case_text(comparison.left)), cell(case_text(comparison.right)));
    text += "| figure | left | right | difference | change |\n|---|---:|---:|---:|---:|\n";
    const Choice choice = choose(comparison);
    for (const auto* list : {&choice.leading, &choice.others}) {
        for (const ComparedFigure& f : *list) {
            const Cells cells = cells_of(f);
            text += fmt::format("| {} | {} | {} | {} | {} |\n", cell(f.name), cells.left, cells.right, cells.difference,
                                cells.relative);
        }
    }
    for (const std::string& why : missing_texts(comparison)) text += fmt::format("\n{}.\n", cell(why));
    return text + fmt::format("\nEstimates. {}.\n", rest_text(choice.left_out));
}

} // namespace spillway
