// A document as Markdown: compact tables and lists.
#include "report/page.h"
#include "report/print.h"

#include <fmt/format.h>

namespace spillway {

namespace {

// Text from files must not become markup, nor end a cell.
std::string escaped(std::string_view raw) {
    std::string safe;
    for (const char c : printable(raw)) {
        if (c == '<') {
            safe += "&lt;";
        } else {
            if (c == '|' || c == '*' || c == '_' || c == '[' || c == '`' || c == '\\') safe += '\\';
            safe += c;
        }
    }
    return safe;
}

std::string strong(const std::string& text) { return text.empty() ? text : "**" + text + "**"; }

// Lines of a table: titles, alignment, rows of cells.
struct Grid {
    std::vector<std::string> titles;
    std::vector<bool> right;
    std::vector<std::vector<std::string>> rows;

    std::string text() const {
        const auto line = [](const std::vector<std::string>& cells) {
            return cells.empty() ? std::string() : fmt::format("| {} |\n", fmt::join(cells, " | "));
        };
        std::string out = line(titles) + "|";
        for (const bool to_the_right : right) out += to_the_right ? "---:|" : "---|";
        out += "\n";
        for (const auto& row : rows) out += line(row);
        return out;
    }
};

Grid grid_of(const Table& table) {
    Grid grid;
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const Column& column = table.columns[i];
        if (!in_pages(column.in) || column.show == Show::bar) continue;
        shown.push_back(i);
        grid.titles.push_back(escaped(one_line(column.title)));
        grid.right.push_back(column.show != Show::text);
    }
    for (const TableRow& row : table.rows) {
        if (!in_pages(row.in)) continue;
        std::vector<std::string> cells;
        for (const std::size_t i : shown) {
            const std::string text = escaped(cell_text(row.cells[i], table.columns[i].show));
            const bool stands_out = row.sum || (row.tone == Tone::bad && cells.empty());
            cells.push_back(stands_out ? strong(text) : text);
        }
        grid.rows.push_back(std::move(cells));
    }
    return grid;
}

Grid grid_of(const Headlines& answers) {
    Grid grid{{"", "value", "target", "limited by", ""}, {false, true, false, false, false}, {}};
    for (const Headline& answer : answers.list) {
        if (!in_pages(answer.in)) continue;
        std::vector<std::string> remarks = answer.remarks;
        if (!answer.why.empty()) remarks.insert(remarks.begin(), answer.why);
        grid.rows.push_back(
            {escaped(answer.label), escaped(answer.figure + (answer.unit.empty() ? "" : " ") + answer.unit),
             escaped(answer.judged), escaped(answer.limit), escaped(fmt::format("{}", fmt::join(remarks, "; ")))});
    }
    return grid;
}

Grid grid_of(const Bars& bars) {
    Grid grid{{"", "where", "amount", "time"}, {false, false, true, true}, {}};
    for (const ChartBar& bar : bars.chart.bars)
        grid.rows.push_back({escaped(bar.label), escaped(bar.place), escaped(bar.amount), escaped(bar.text)});
    if (bars.sum)
        grid.rows.push_back(
            {strong(escaped(bars.sum->label)), "", escaped(bars.sum->remark), strong(escaped(bars.sum->text))});
    return grid;
}

class MarkdownPrinter {
public:
    void paragraph(const std::string& text) {
        if (!out_.empty()) out_ += '\n';
        out_ += text;
        in_list_ = false;
    }
    void item(const std::string& text) {
        if (!in_list_ && !out_.empty()) out_ += '\n';
        out_ += "- " + text + "\n";
        in_list_ = true;
    }

    void operator()(const Sentence& line) {
        if (line.text.empty()) return;
        line.indent > 0 ? item(escaped(line.text)) : paragraph(escaped(line.text) + "\n");
    }
    void operator()(const Judgement& judgement) { paragraph(strong(escaped(judgement.text)) + "\n"); }
    void operator()(const Facts& facts) {
        for (const Fact& fact : facts.rows)
            item(escaped(fact.label + ": " + fact.text + (fact.beside.empty() ? "" : "; ") + fact.beside));
    }
    void operator()(const Headlines& answers) { paragraph(grid_of(answers).text()); }
    void operator()(const Table& table) {
        if (!table.caption.empty()) paragraph(escaped(table.caption) + "\n");
        if (!table.rows.empty()) paragraph(grid_of(table).text());
    }
    void operator()(const Bars& bars) {
        if (!bars.drawn_only) paragraph(grid_of(bars).text());
    }
    void operator()(const Curve&) {}
    void operator()(const Scatter&) {}
    void operator()(const Items& notes) {
        for (const std::string& text : notes.items) item(escaped(text));
    }
    void operator()(const Preformatted& block) { paragraph("```text\n" + block.text + "```\n"); }

    const std::string& text() const { return out_; }

private:
    std::string out_;
    bool in_list_ = false;
};

bool shown(const DocumentBlock& block) {
    return std::visit(
        [](const auto& content) {
            if constexpr (requires { content.in; }) return in_pages(content.in);
            return true;
        },
        block);
}

} // namespace

std::string print_markdown(const Document& document) {
    MarkdownPrinter printer;
    printer.paragraph(fmt::format("### spillway {}: {}\n", document.kind, escaped(document.title)));
    for (const DocumentSection& section : document.sections) {
        if (!in_pages(section.in)) continue;
        if (!section.heading.empty()) printer.paragraph("#### " + escaped(section.heading) + "\n");
        for (const DocumentBlock& block : section.blocks) {
            if (shown(block)) std::visit([&](const auto& content) { printer(content); }, block);
        }
    }
    return printer.text();
}

} // namespace spillway
