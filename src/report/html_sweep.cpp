#include "report/figures.h"
#include "report/html.h"
#include "report/html_page.h"
#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway {

namespace {

constexpr std::size_t kMostBars = 120; // a screen or two; the table has the rest
constexpr double kMostLabel = 0.4;     // of the width; longer ones lie above the bars
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
                       [&](const auto& row) { return row[column] == table.rows.front()[column]; });
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
            labels.common.push_back(fmt::format("{} {}", table.columns[*column].title,
                                                cell_text(table.rows.front()[*column], table.columns[*column].show)));
        } else {
            labels.differing.push_back(*column);
        }
    }
    return labels;
}

std::string label_of_row(const Table& table, const Labels& labels, std::size_t row) {
    std::string text;
    for (const std::size_t column : labels.differing) {
        text += (text.empty() ? "" : ", ") + cell_text(table.rows[row][column], table.columns[column].show);
    }
    return text.empty() ? fmt::format("case {}", row + 1) : text;
}

ChartBar bar_of(const Table& table, const Labels& labels, std::size_t row, std::size_t column,
                const std::optional<double>& target) {
    const nlohmann::ordered_json& cell = table.rows[row][column];
    ChartBar bar;
    bar.label = label_of_row(table, labels, row);
    if (cell.is_number()) {
        const double value = std::max(0.0, cell.get<double>());
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

BarChart chart_of(const Table& table, const Labels& labels, const Phase& phase, bool narrow) {
    BarChart chart;
    chart.id = phase.id + (narrow ? "-narrow" : "-wide");
    chart.title = phase.name + " tok/s of each case";
    chart.width = narrow ? 380.0 : 720.0;
    chart.target = phase.target;
    if (phase.target) {
        chart.target_label = "target " + count(*phase.target) + " tok/s";
        chart.description = "Bars in the order of the table; the line is the target.";
        chart.cap = kMostOverTarget * *phase.target;
    }
    for (std::size_t row = 0; row < std::min(kMostBars, table.rows.size()); ++row) {
        chart.bars.push_back(bar_of(table, labels, row, phase.column, phase.target));
    }
    // A label that is cut may lose what tells it from the next.
    double longest = 0.0;
    for (const ChartBar& bar : chart.bars) longest = std::max(longest, text_width(bar.label, kChartText));
    chart.labels_above = narrow || longest > kMostLabel * chart.width;
    return chart;
}

// "7 of 12 cases hold 10 tok/s, 1 is unknown."
std::string tally(const Table& table, const Phase& phase) {
    if (!phase.target) return {};
    std::size_t hold = 0, unknown = 0;
    for (const auto& row : table.rows) {
        const auto& cell = row[phase.column];
        if (!cell.is_number())
            ++unknown;
        else if (cell.get<double>() >= *phase.target)
            ++hold;
    }
    std::string text = fmt::format("{} of {} cases hold {} tok/s", hold, table.rows.size(), count(*phase.target));
    if (unknown > 0) text += fmt::format(", {} {} no figure", unknown, unknown == 1 ? "has" : "have");
    return html_paragraph(text + ".");
}

std::string section(const Table& table, const Labels& labels, const Phase& phase) {
    std::string caption;
    if (table.rows.size() > kMostBars)
        caption += fmt::format("The first {} of {} rows; the table has all. ", kMostBars, table.rows.size());
    const BarChart wide = chart_of(table, labels, phase, false);
    const bool cut = wide.cap && std::any_of(wide.bars.begin(), wide.bars.end(),
                                             [&](const ChartBar& bar) { return bar.value && *bar.value > *wide.cap; });
    if (cut) caption += "Bars with a notch go on beyond the edge.";
    if (!caption.empty()) caption = fmt::format("<figcaption>{}</figcaption>\n", markup(caption));
    return html_heading(phase.name) + tally(table, phase) +
           html_figure(bar_chart(wide), bar_chart(chart_of(table, labels, phase, true)), caption);
}

} // namespace

std::string sweep_html(const Table& table, const SweepPage& page) {
    const Labels labels = labels_of(table, page.labels);
    std::string body = fmt::format("<header>\n<h1>{}</h1>\n", markup(page.title));
    if (!labels.common.empty())
        body += html_paragraph(fmt::format("All with {}.", fmt::join(labels.common, ", ")), "soft");
    body += "</header>\n";
    const std::optional<std::size_t> decode = column_of(table, page.decode), prefill = column_of(table, page.prefill);
    if (decode && !table.rows.empty())
        body += section(table, labels, {"Decode", "decode", *decode, page.target_decode});
    if (prefill && !table.rows.empty())
        body += section(table, labels, {"Prefill", "prefill", *prefill, page.target_prefill});
    body += html_heading("All cases");
    body += table.rows.empty() ? html_paragraph("No case is left.") : html_table(html_table_of(table));
    body += html_list(page.notes);
    body += fmt::format("<footer>spillway {}. Every figure is an estimate.</footer>\n", markup(page.version));
    return html_page("spillway: " + page.title, body);
}

} // namespace spillway
