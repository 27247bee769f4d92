#include "report/figures.h"
#include "report/sweep.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway {

namespace {

constexpr std::size_t kMostBars = 120; // a screen or two; the table has the rest
// Bars end at so many times the target: the question is which side of it a row is on.
constexpr double kMostOverTarget = 5.0;

std::optional<std::size_t> column_of(const Table& table, std::string_view name) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (table.columns[i].name == name) return i;
    }
    return std::nullopt;
}

bool is_same_in_all_rows(const Table& table, std::size_t column) {
    return std::all_of(table.rows.begin(), table.rows.end(),
                       [&](const auto& row) { return row.cells[column] == table.rows.front().cells[column]; });
}

// Columns that tell rows apart, and what all rows share.
struct Labels {
    std::vector<std::size_t> differing;
    std::vector<std::string> common; // "model deepseek-v4.1-flash"
};

Labels labels_of(const Table& table, const std::vector<std::string>& names) {
    Labels labels;
    for (const std::string& name : names) {
        const std::optional<std::size_t> column = column_of(table, name);
        if (!column || table.rows.empty()) continue;
        if (is_same_in_all_rows(table, *column)) {
            labels.common.push_back(
                fmt::format("{} {}", table.columns[*column].title,
                            cell_text(table.rows.front().cells[*column], table.columns[*column].show)));
        } else {
            labels.differing.push_back(*column);
        }
    }
    return labels;
}

std::string label_of_row(const Table& table, const Labels& labels, std::size_t row) {
    std::string text;
    for (const std::size_t column : labels.differing) {
        text += (text.empty() ? "" : ", ") + cell_text(table.rows[row].cells[column], table.columns[column].show);
    }
    return text.empty() ? fmt::format("case {}", row + 1) : text;
}

ChartBar bar_of(const Table& table, const Labels& labels, std::size_t row, std::size_t column,
                const std::optional<double>& target) {
    const Cell& cell = table.rows[row].cells[column];
    ChartBar bar;
    bar.label = label_of_row(table, labels, row);
    if (const std::optional<double> number = cell.number()) {
        const double value = std::max(0.0, *number);
        bar.value = value;
        bar.text = target ? speed(value, *target) : speed(value);
        if (target) bar.style = value >= *target ? "meets" : "misses";
    }
    bar.title = fmt::format("{}: {}", bar.label, bar.value ? bar.text + " tok/s" : "unknown");
    return bar;
}

struct Phase {
    std::string name, id;
    std::size_t column;
    std::optional<double> target;
};

BarChart chart_of(const Table& table, const Labels& labels, const Phase& phase) {
    BarChart chart;
    chart.id = phase.id;
    chart.title = phase.name + " tok/s of each case";
    chart.target = phase.target;
    if (phase.target) {
        chart.target_label = "target " + count(*phase.target) + " tok/s";
        chart.description = "Bars in the order of the table; the line is the target.";
        chart.cap = kMostOverTarget * *phase.target;
    }
    for (std::size_t row = 0; row < std::min(kMostBars, table.rows.size()); ++row)
        chart.bars.push_back(bar_of(table, labels, row, phase.column, phase.target));
    return chart;
}

// "7 of 12 cases hold 10 tok/s, 1 has no figure."
std::string tally(const Table& table, const Phase& phase) {
    std::size_t hold = 0, unknown = 0;
    for (const TableRow& row : table.rows) {
        const std::optional<double> rate = row.cells[phase.column].number();
        unknown += rate ? 0 : 1;
        hold += rate && *rate >= *phase.target ? 1 : 0;
    }
    std::string text = fmt::format("{} of {} cases hold {} tok/s", hold, table.rows.size(), count(*phase.target));
    if (unknown > 0) text += fmt::format(", {} {} no figure", unknown, unknown == 1 ? "has" : "have");
    return text + ".";
}

std::string caption_of(const Table& table, const BarChart& chart) {
    std::string caption;
    if (table.rows.size() > kMostBars)
        caption += fmt::format("The first {} of {} rows; the table has all. ", kMostBars, table.rows.size());
    const bool cut = chart.cap && std::any_of(chart.bars.begin(), chart.bars.end(), [&](const ChartBar& bar) {
                         return bar.value && *bar.value > *chart.cap;
                     });
    if (cut) caption += "Bars with a notch go on beyond the edge.";
    return caption;
}

void add_phase(const Table& table, const Labels& labels, const Phase& phase, Document& document) {
    DocumentSection& section = document.add(phase.name);
    section.in = In::pages;
    section.early = true;
    if (phase.target) section.line(tally(table, phase));
    Bars bars;
    bars.drawn_only = true;
    bars.chart = chart_of(table, labels, phase);
    bars.caption = caption_of(table, bars.chart);
    section.add(std::move(bars));
}

} // namespace

Document sweep_document(Table table, const SweepView& view) {
    Document document{.kind = "estimate",
                      .title = fmt::format("{} cases", table.rows.size()),
                      .lead = "",
                      .sections = {},
                      .data = std::nullopt,
                      .version = view.version};
    const Labels labels = labels_of(table, view.labels);
    DocumentSection& head = document.add("");
    head.in = In::pages;
    if (!labels.common.empty()) head.line(fmt::format("All with {}.", fmt::join(labels.common, ", ")), Tone::soft);
    const std::optional<std::size_t> decode = column_of(table, view.decode), prefill = column_of(table, view.prefill);
    const bool any = !table.rows.empty();
    if (decode && any) add_phase(table, labels, {"decode", "decode", *decode, view.target_decode}, document);
    if (prefill && any) add_phase(table, labels, {"prefill", "prefill", *prefill, view.target_prefill}, document);
    DocumentSection& all = document.add("");
    if (!any) all.add(Sentence{.text = "No case is left.", .in = In::pages});
    all.add(std::move(table));
    all.add(Items{view.notes, In::pages});
    return document;
}

} // namespace spillway
