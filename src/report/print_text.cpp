// A document at a terminal: lines, wrapped; tables in columns; bars of '#'.
#include "report/page.h"
#include "report/print.h"

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

std::string spaces(int count) { return std::string(static_cast<std::size_t>(std::max(0, count)), ' '); }

std::string bar_of(double share, int length) {
    return std::string(static_cast<std::size_t>(std::lround(length * std::abs(share))), share < 0.0 ? '-' : '#');
}

// --- tables -----------------------------------------------------------------------------------------------------

constexpr int kShareBar = 30; // columns of a whole share

std::string text_of(const Cell& cell, const Column& column) {
    if (column.show == Show::bar) return bar_of(cell.number().value_or(0.0), kShareBar);
    const std::string text = cell_text(cell, column.show);
    return text.empty() || cell.unknown() ? text : text + column.after;
}

bool to_the_right(const Column& column) { return column.show != Show::text && column.show != Show::bar; }

std::string padded(const std::string& text, int width, const Column& column) {
    return to_the_right(column) ? right(text, width) : left(text, width);
}

// Columns that text shows, each as wide as its longest cell.
void print_natural(const Table& table, Page& page) {
    std::vector<int> widths;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        int most = columns(table.columns[i].title);
        for (const TableRow& row : table.rows) most = std::max(most, columns(text_of(row.cells[i], table.columns[i])));
        widths.push_back(most);
    }
    const auto add_line = [&](const auto& text_at) {
        std::string line;
        bool first = true;
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            if (!in_text(table.columns[i].in)) continue;
            line += (first ? "" : "  ") + padded(text_at(i), widths[i], table.columns[i]);
            first = false;
        }
        page.line(line, kNeverBroken);
    };
    if (table.heads) add_line([&](std::size_t i) { return table.columns[i].title; });
    for (const TableRow& row : table.rows) {
        if (in_text(row.in)) add_line([&](std::size_t i) { return text_of(row.cells[i], table.columns[i]); });
    }
}

// Line `number` of a title.
std::string title_line(const std::string& title, int number) {
    std::size_t start = 0;
    for (; number > 0 && start != std::string::npos; --number) {
        start = title.find('\n', start);
        if (start != std::string::npos) ++start;
    }
    return start == std::string::npos ? "" : title.substr(start, title.find('\n', start) - start);
}

// One line of a fixed layout. A first cell that is too wide gets a line of its own.
template <class TextAt>
void print_cells(const Table& table, const TextAt& text_at, Tone tone, Page& page) {
    std::string line;
    bool first = true;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const Column& column = table.columns[i];
        if (!in_text(column.in)) continue;
        std::string text = text_at(i);
        if (first && columns(text) > column.width) {
            page.line(spaces(column.gap) + text, table.hang, tone);
            text.clear();
        }
        if (first || column.width > 0 || !text.empty()) line += spaces(column.gap) + padded(text, column.width, column);
        first = false;
    }
    page.line(line, table.hang, tone);
}

void print_heads(const Table& table, Page& page) {
    int lines = 1;
    for (const Column& column : table.columns)
        lines = std::max(lines, 1 + static_cast<int>(std::count(column.title.begin(), column.title.end(), '\n')));
    for (int i = 0; i < lines; ++i)
        print_cells(
            table, [&](std::size_t c) { return title_line(table.columns[c].title, i); }, Tone::plain, page);
}

void print_fixed(const Table& table, Page& page) {
    constexpr int kNoteIndent = 6;
    if (table.heads) print_heads(table, page);
    for (const TableRow& row : table.rows) {
        if (!in_text(row.in)) continue;
        if (!row.line.empty())
            page.line(row.line, table.hang, row.tone);
        else
            print_cells(
                table, [&](std::size_t i) { return text_of(row.cells[i], table.columns[i]); }, row.tone, page);
        if (!row.note.empty()) page.line(spaces(kNoteIndent) + row.note, kNoteIndent);
    }
}

bool is_fixed(const Table& table) {
    const auto first = std::find_if(table.columns.begin(), table.columns.end(),
                                    [](const Column& column) { return in_text(column.in); });
    return first != table.columns.end() && first->width > 0;
}

// --- blocks -----------------------------------------------------------------------------------------------------

struct TextPrinter {
    Page& page;

    void operator()(const Sentence& line) const { page.line(spaces(line.indent) + line.text, line.hang, line.tone); }
    void operator()(const Judgement& judgement) const {
        page.line(spaces(judgement.indent) + judgement.label + judgement.text, judgement.hang, judgement.tone);
    }
    void operator()(const Facts& facts) const {
        for (const Fact& fact : facts.rows)
            page.line(spaces(facts.indent) + left(fact.label, facts.width) + fact.text +
                          (fact.beside.empty() ? "" : "   ") + fact.beside,
                      facts.indent + facts.width);
    }
    void operator()(const Headlines& answers) const {
        for (const Headline& answer : answers.list) {
            if (in_text(answer.in)) print(answer);
        }
    }
    void operator()(const Table& table) const {
        is_fixed(table) ? print_fixed(table, page) : print_natural(table, page);
    }
    void operator()(const Bars& bars) const;
    void operator()(const Curve&) const {}
    void operator()(const Scatter&) const {}
    void operator()(const Items& notes) const {
        for (const std::string& item : notes.items) page.line("  - " + item);
    }
    void operator()(const Preformatted& block) const { page.raw(block.text); }

private:
    void print(const Headline& answer) const;
};

void TextPrinter::print(const Headline& answer) const {
    constexpr int kLabel = 10, kFigure = 12, kJudged = 21, kHang = 12;
    const std::string label = "  " + left(answer.label, kLabel);
    if (!answer.why.empty()) {
        const std::string figure = answer.figure == "unknown" ? "unknown: " : "";
        page.line(label + figure + answer.why, kHang, answer.tone);
    } else {
        page.line(label + left(answer.figure + " " + answer.unit, kFigure) + " " + left(answer.judged, kJudged) + " " +
                      answer.limit,
                  kHang, answer.tone);
    }
    for (const std::string& remark : answer.remarks) page.line(spaces(kHang) + remark, kHang);
}

void TextPrinter::operator()(const Bars& bars) const {
    constexpr int kLabel = 36, kAmount = 15, kFigure = 9, kLength = 12;
    double longest = 0.0;
    for (const ChartBar& bar : bars.chart.bars) longest = std::max(longest, bar.value.value_or(0.0));
    for (const ChartBar& bar : bars.chart.bars) {
        std::string label = "  " + bar.label;
        const double share = longest > 0.0 ? bar.value.value_or(0.0) / longest : 0.0;
        if (columns(label) > kLabel) {
            page.line(label);
            label.clear();
        }
        page.line(left(label, kLabel) + right(bar.amount, kAmount) + right(bar.text, kFigure) + "  " +
                  bar_of(bar.style == "hidden" ? -share : share, kLength));
    }
    if (!bars.sum) return;
    page.line(
        left("  = " + bars.sum->label, kLabel + kAmount) + right(bars.sum->text, kFigure) + "  " + bars.sum->remark, 6);
}

bool shown(const DocumentBlock& block) {
    return std::visit(
        [](const auto& content) {
            if constexpr (requires { content.in; }) return in_text(content.in);
            return true;
        },
        block);
}

} // namespace

std::string print_text(const Document& document, const TextOptions& options) {
    Page page(options.width, options.color);
    if (!document.lead.empty()) page.line(document.lead + document.title, document.hang, Tone::heading);
    for (const DocumentSection& section : document.sections) {
        if (!in_text(section.in)) continue;
        if (!section.heading.empty()) page.heading(section.heading);
        for (const DocumentBlock& block : section.blocks) {
            if (shown(block)) std::visit(TextPrinter{page}, block);
        }
    }
    return page.text();
}

} // namespace spillway
