// A document as one page: cards for what it leads with, tables, and each chart twice, wide and narrow.
#include "report/html_page.h"
#include "report/page.h"
#include "report/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace spillway {

namespace {

std::string_view class_of(Tone tone) {
    constexpr std::array<std::string_view, 6> names = {"", "soft", "", "good", "bad", "warning"};
    return names[static_cast<std::size_t>(tone)];
}

std::string element(std::string_view tag, std::string_view style, std::string_view text) {
    if (style.empty()) return fmt::format("<{0}>{1}</{0}>\n", tag, markup(text));
    return fmt::format("<{0} class=\"{1}\">{2}</{0}>\n", tag, style, markup(text));
}

std::string figure(const std::string& wide, const std::string& narrow, const std::string& below) {
    return "<figure>\n<div class=\"wide\">\n" + wide + "</div>\n<div class=\"narrow\">\n" + narrow + "</div>\n" +
           below + "</figure>\n";
}

// --- tables -----------------------------------------------------------------------------------------------------

std::string cell(std::string_view tag, const Column& column, std::string_view inside) {
    const bool right = column.show != Show::text && column.show != Show::bar;
    return fmt::format("<{0}{1}>{2}</{0}>", tag, right ? " class=\"n\"" : "", inside);
}

std::string bar_of(double share) {
    return fmt::format("<svg class=\"share\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
                       "<rect class=\"bar\" x=\"0\" y=\"0\" width=\"{}\" height=\"8\"/></svg>",
                       coordinate(100.0 * std::clamp(share, 0.0, 1.0)));
}

std::string data_cell(const Column& column, const Cell& content) {
    if (column.show == Show::bar) return cell("td", column, bar_of(content.number().value_or(0.0)));
    constexpr int kLong = 60; // characters: squeezed to a word per line by many columns otherwise
    const std::string text = cell_text(content, column.show);
    if (columns(text) > kLong) return fmt::format("<td class=\"long\">{}</td>", markup(text));
    return cell("td", column, markup(text));
}

std::string row_of(const Table& table, const TableRow& row) {
    const std::string_view tone = row.sum ? "sum" : class_of(row.tone);
    std::string html = tone.empty() ? "<tr>" : fmt::format("<tr class=\"{}\">", tone);
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (in_pages(table.columns[i].in)) html += data_cell(table.columns[i], row.cells[i]);
    }
    return html + "</tr>\n";
}

std::string table_html(const Table& table) {
    if (table.rows.empty()) return {};
    std::string html = "<div class=\"scroll\">\n<table>\n";
    if (!table.caption.empty()) html += element("caption", "", table.caption);
    html += "<thead><tr>";
    for (const Column& column : table.columns) {
        if (in_pages(column.in)) html += cell("th", column, markup(one_line(column.title)));
    }
    html += "</tr></thead>\n<tbody>\n";
    for (const TableRow& row : table.rows) {
        if (in_pages(row.in)) html += row_of(table, row);
    }
    return html + "</tbody>\n</table>\n</div>\n";
}

// --- charts -----------------------------------------------------------------------------------------------------

std::string key_of(const Legend& item) {
    switch (item.key) {
    case Legend::Key::line: return fmt::format("<path class=\"line {}\" d=\"M0 5L34 5\"/>", item.style);
    case Legend::Key::target: return "<path class=\"target\" d=\"M0 5L34 5\"/>";
    case Legend::Key::marker:
        return fmt::format("<circle class=\"marker {}\" cx=\"17\" cy=\"5\" r=\"4.5\"/>", item.style);
    case Legend::Key::point: return fmt::format("<circle class=\"point {}\" cx=\"17\" cy=\"5\" r=\"4\"/>", item.style);
    }
    return {};
}

std::string legend_html(const std::vector<Legend>& legend) {
    std::string html = "<ul class=\"legend\">\n";
    for (const Legend& item : legend) {
        html += fmt::format("<li><svg viewBox=\"0 0 34 10\" aria-hidden=\"true\">{}</svg> <span>{}</span></li>\n",
                            key_of(item), markup(item.text));
    }
    return html + "</ul>\n";
}

std::string sum_text(const Bars::Sum& sum) { return sum.text + (sum.remark.empty() ? "" : ", ") + sum.remark; }

// The chart with its amounts and places, and its sum, as far as it is one more bar.
BarChart whole_chart(const Bars& bars) {
    BarChart chart = bars.chart;
    for (ChartBar& bar : chart.bars) {
        // The label names the place already where there are several.
        const std::string place = bar.label.ends_with(", " + bar.place) ? "" : bar.place;
        const std::string behind = bar.amount + (bar.amount.empty() || place.empty() ? "" : ", ") + place;
        if (!behind.empty()) bar.text += " (" + behind + ")";
    }
    if (bars.sum && bars.sum->value)
        chart.bars.push_back({bars.sum->label, bars.sum->value, sum_text(*bars.sum), "", "sum"});
    return chart;
}

std::string bars_html(const Bars& bars) {
    const BarChart chart = whole_chart(bars);
    std::string below = bars.caption.empty() ? "" : element("figcaption", "", bars.caption);
    std::string html = figure(bar_chart(sized(chart, false)), bar_chart(sized(chart, true)), below);
    if (bars.sum && !bars.sum->value) html += element("p", "", bars.sum->label + ": " + sum_text(*bars.sum));
    return html;
}

// --- cards ------------------------------------------------------------------------------------------------------

std::string card(const Headline& answer) {
    std::string html = fmt::format("<div class=\"card\">\n<h3>{}</h3>\n<p class=\"figure\">{} <small>{}</small></p>\n",
                                   markup(answer.label), markup(answer.figure), markup(answer.unit));
    if (!answer.judged.empty()) html += element("p", class_of(answer.tone), answer.judged);
    if (!answer.why.empty()) html += element("p", "", answer.why);
    if (!answer.limit.empty()) html += element("p", "soft", answer.limit);
    for (const std::string& remark : answer.remarks) html += element("p", "soft", remark);
    return html + "</div>\n";
}

// --- blocks -----------------------------------------------------------------------------------------------------

struct HtmlPrinter {
    std::string operator()(const Sentence& line) const {
        return line.text.empty() ? "" : element("p", class_of(line.tone), line.text);
    }
    std::string operator()(const Judgement& judgement) const {
        return fmt::format("<p class=\"verdict {}\">{}</p>\n", class_of(judgement.tone), markup(judgement.text));
    }
    std::string operator()(const Facts& facts) const {
        std::string html = "<dl class=\"facts\">\n";
        for (const Fact& fact : facts.rows)
            html += element("dt", "", fact.label) +
                    element("dd", "", fact.text + (fact.beside.empty() ? "" : "; ") + fact.beside);
        return html + "</dl>\n";
    }
    std::string operator()(const Headlines& answers) const {
        std::string html = "<div class=\"cards\">\n";
        for (const Headline& answer : answers.list) {
            if (in_pages(answer.in)) html += card(answer);
        }
        return html + "</div>\n";
    }
    std::string operator()(const Table& table) const { return table_html(table); }
    std::string operator()(const Bars& bars) const { return bars_html(bars); }
    std::string operator()(const Curve& curve) const {
        return figure(line_chart(sized(curve.chart, false)), line_chart(sized(curve.chart, true)),
                      legend_html(curve.legend));
    }
    std::string operator()(const Scatter& scatter) const {
        return figure(scatter_chart(sized(scatter.chart, false)), scatter_chart(sized(scatter.chart, true)),
                      legend_html(scatter.legend));
    }
    std::string operator()(const Items& notes) const {
        if (notes.items.empty()) return {};
        std::string html = "<ul class=\"notes\">\n";
        for (const std::string& item : notes.items) html += element("li", "", item);
        return html + "</ul>\n";
    }
    std::string operator()(const Preformatted& block) const {
        std::string html = "<pre>";
        // Line by line: a line break is no control character here.
        for (std::size_t start = 0, end; start < block.text.size(); start = end + 1) {
            end = std::min(block.text.find('\n', start), block.text.size());
            html += markup(std::string_view(block.text).substr(start, end - start)) + "\n";
        }
        return html + "</pre>\n";
    }
};

std::string section_html(const DocumentSection& section) {
    if (!in_pages(section.in)) return {};
    std::string html = section.heading.empty() ? "" : element("h2", "", section.heading);
    for (const DocumentBlock& block : section.blocks) {
        const bool shown = std::visit(
            [](const auto& content) {
                if constexpr (requires { content.in; }) return in_pages(content.in);
                return true;
            },
            block);
        if (shown) html += std::visit(HtmlPrinter{}, block);
    }
    return html;
}

std::string footer(const Document& document) {
    return fmt::format("<footer>spillway {}{}.{}</footer>\n", markup(document.version),
                       document.data_digest.empty() ? "" : ", data " + markup(document.data_digest),
                       document.kind == "estimate" ? " Every figure is an estimate." : "");
}

} // namespace

std::string print_html(const Document& document) {
    std::string body = "<header>\n" + element("h1", "", document.title) + "</header>\n";
    for (const bool early : {true, false}) {
        for (const DocumentSection& section : document.sections) {
            // What stands below the title comes first in any case.
            if ((section.early || section.heading.empty()) == early) body += section_html(section);
        }
    }
    return html_page(fmt::format("spillway {}: {}", document.kind, document.title), body + footer(document));
}

} // namespace spillway
