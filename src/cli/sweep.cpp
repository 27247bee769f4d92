// spillway sweep: models x machines x quantizations x axes, one row each.
#include "report/sweep.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/sweep_grid.h"
#include "explore/where.h"
#include "text/near.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <memory>

namespace spillway {

namespace {

constexpr int kInterruptedExit = 130; // as shells report SIGINT

std::atomic<bool> interrupted{false};
void on_interrupt(int) { interrupted = true; }

struct Options {
    OutputFlags output;
    SweepRequest request;
    std::string columns, where, sort, shard;
};

// One column: a label of the base case, an axis, or a figure.
struct SweepColumn {
    std::string name;
    int label = -1, axis = -1;
    const Figure* figure = nullptr;
};

std::vector<std::string> default_columns(const SweepGrid& grid) {
    std::vector<std::string> names = {"model", "machine", "quant"};
    for (const Axis& axis : grid.grid.axes) names.push_back(axis.path);
    for (const char* name :
         {"placement.residency", "decode.tokens_per_second", "prefill.tokens_per_second", "verdict.overall"})
        names.emplace_back(name);
    return names;
}

std::vector<std::string> listed(const std::string& text) {
    std::vector<std::string> names;
    std::size_t start = 0;
    for (std::size_t end; (end = text.find(',', start)) != std::string::npos; start = end + 1)
        names.push_back(text.substr(start, end - start));
    names.push_back(text.substr(start));
    return names;
}

std::vector<SweepColumn> columns_of(const SweepGrid& grid, const std::string& text) {
    Problems problems;
    std::vector<SweepColumn> columns;
    for (const std::string& name : text.empty() ? default_columns(grid) : listed(text)) {
        SweepColumn column{name};
        constexpr std::array<std::string_view, 4> labels = {"model", "machine", "quant", "scenario"};
        for (int i = 0; i < 4; ++i) {
            if (labels[static_cast<std::size_t>(i)] == name) column.label = i;
        }
        for (std::size_t i = 0; i < grid.grid.axes.size(); ++i) {
            if (grid.grid.axes[i].path == name) column.axis = static_cast<int>(i);
        }
        column.figure = find_figure(name);
        if (column.label < 0 && column.axis < 0 && !column.figure) {
            std::vector<std::string> names(labels.begin(), labels.end());
            for (const Figure& figure : all_figures()) names.emplace_back(figure.name);
            problems.push_back({"--columns", "", name,
                                "model, machine, quant, scenario, an axis or a figure of report --json",
                                fmt::format("is not a column; {}", did_you_mean(name, names))});
        }
        columns.push_back(std::move(column));
    }
    throw_if_any(problems);
    return columns;
}

const std::string& label(const BaseLabels& labels, int which) {
    switch (which) {
    case 0: return labels.model;
    case 1: return labels.machine;
    case 2: return labels.quant;
    default: return labels.scenario;
    }
}

std::optional<double> number(const SweepColumn& column, const GridRow& row) {
    if (column.axis >= 0) return row.axis_values[static_cast<std::size_t>(column.axis)];
    return column.figure && column.figure->number ? column.figure->number(row.estimate) : std::nullopt;
}

Show show_of(const SweepColumn& column) {
    const std::string& name = column.name;
    const auto ends = [&](std::string_view end) {
        return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
    };
    if (column.label >= 0 || (column.figure && column.figure->word)) return Show::text;
    if (ends("residency") || ends("fraction")) return Show::percent;
    if (name.find("tokens_per_second") != std::string::npos || name.find("bounds") != std::string::npos)
        return Show::speed;
    if (ends("_bytes") || ends("_bytes_per_token")) return Show::bytes;
    return Show::bits;
}

void append_number(std::string& out, double value) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    out.append(buffer, end);
}

// One row as text, at speed; `text` writes what is not a number.
template <class Text>
void append_row(const std::vector<SweepColumn>& columns, const SweepGrid& grid, const GridRow& row, char separator,
                std::string& out, Text text) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (i) out += separator;
        const SweepColumn& column = columns[i];
        if (column.label >= 0) {
            out += text(label(grid.labels[row.base], column.label));
        } else if (column.figure && column.figure->word) {
            out += column.figure->word(row.estimate);
        } else if (const auto value = number(column, row)) {
            append_number(out, *value);
        }
    }
}

// Rows that a table will hold travel as text between the threads' blocks and here.
constexpr char kBetweenCells = '\x1f', kBehindRow = '\x1e';

Cell cell_of(const SweepColumn& column, std::string_view text) {
    if (column.label >= 0 || (column.figure && column.figure->word)) return text;
    double value = 0.0;
    if (text.empty() || std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) return {};
    return value;
}

TableRow row_of(const std::vector<SweepColumn>& columns, std::string_view text) {
    TableRow row;
    for (const SweepColumn& column : columns) {
        const std::size_t end = std::min(text.find(kBetweenCells), text.size());
        row.cells.push_back(cell_of(column, text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return row;
}

Table empty_table(const std::vector<SweepColumn>& columns) {
    Table table;
    for (const SweepColumn& column : columns) {
        std::string title = column.name;
        for (const auto& [from, to] : {std::pair{"placement.", ""}, std::pair{"tokens_per_second", "tok/s"},
                                       std::pair{"verdict.overall", "verdict"}}) {
            const std::size_t at = title.find(from);
            if (at != std::string::npos) title.replace(at, std::string(from).size(), to);
        }
        table.columns.push_back({column.name, title, show_of(column)});
    }
    return table;
}

void read_shard(const std::string& text, Grid& grid) {
    if (text.empty()) return;
    unsigned long long index = 0, of = 0;
    char rest = 0;
    if (std::sscanf(text.c_str(), "%llu/%llu%c", &index, &of, &rest) != 2 || index < 1 || of < 1 || index > of) {
        throw InputError({{"--shard", "", text, "I/N with 1 <= I <= N, as 1/4", "is not a shard"}});
    }
    grid.shard = index - 1;
    grid.shards = of;
}

// Rows go where they belong as soon as a block of them is complete. The named exception to writing whole files: after
// Ctrl-C a complete prefix stays.
class Stream {
public:
    explicit Stream(const std::string& path)
        : file_(path.empty() || path == "-" ? stdout : std::fopen(path.c_str(), "wb")) {
        if (!file_) throw InputError({{"-o", "", path, "a file that can be written", "cannot be written"}});
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() {
        std::fflush(file_);
        if (file_ != stdout) std::fclose(file_);
    }
    void write(const std::string& text) {
        if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) interrupted = true; // the reader is gone
    }

private:
    std::FILE* file_;
};

int finish(const SweepResult& result, const SweepGrid& grid, bool quiet) {
    for (const std::string& skipped : grid.skipped) {
        if (!quiet) std::fprintf(stderr, "spillway: left out: %s\n", skipped.c_str());
    }
    if (result.evaluated == result.wanted) return 0;
    std::fprintf(stderr, "spillway: interrupted: the answer is a complete prefix, %llu of %llu rows evaluated\n",
                 static_cast<unsigned long long>(result.evaluated), static_cast<unsigned long long>(result.wanted));
    return kInterruptedExit;
}

int stream_csv(const Options& o, const SweepGrid& grid, const std::vector<SweepColumn>& columns, const Where& where) {
    Stream stream(o.output.file);
    stream.write(table_csv(empty_table(columns)));
    const BlockSink sink{[&](const GridRow& row, std::string& out) {
                             if (!where.holds(row.estimate)) return;
                             append_row(columns, grid, row, ',', out, csv_field);
                             out += '\n';
                         },
                         [&](std::string&& text) { stream.write(text); }};
    return finish(sweep(grid.grid, sink, interrupted), grid, o.output.quiet);
}

void sort_rows(Table& table, const std::string& by) {
    const std::size_t colon = by.find(':');
    const std::string name = by.substr(0, colon);
    const bool descending = colon != std::string::npos && by.substr(colon) == ":desc";
    std::size_t column = 0;
    while (column < table.columns.size() && table.columns[column].name != name) ++column;
    if (column == table.columns.size() || (colon != std::string::npos && !descending)) {
        throw InputError(
            {{"--sort", "", by, "a column of the table, with :desc for the largest first", "cannot be sorted by"}});
    }
    std::stable_sort(table.rows.begin(), table.rows.end(), [&](const auto& a, const auto& b) {
        const Cell &left = a.cells[column], &right = b.cells[column];
        if (left.unknown() || right.unknown()) return !left.unknown() && right.unknown(); // unknown last
        return descending ? right < left : left < right;
    });
}

SweepView view_of(const SweepGrid& grid) {
    SweepView view;
    view.labels = {"model", "machine", "quant", "scenario"};
    for (const Axis& axis : grid.grid.axes) view.labels.push_back(axis.path);
    view.decode = "decode.tokens_per_second";
    view.prefill = "prefill.tokens_per_second";
    view.target_decode = grid.target_decode;
    view.target_prefill = grid.target_prefill;
    view.notes = grid.skipped;
    view.version = SPILLWAY_VERSION;
    return view;
}

// Text, markdown, json and sorted output need the widths or the order of all rows.
int collect(const Options& o, const SweepGrid& grid, const std::vector<SweepColumn>& columns, const Where& where) {
    Table table = empty_table(columns);
    const auto as_is = [](const std::string& text) -> const std::string& { return text; };
    const BlockSink sink{[&](const GridRow& row, std::string& out) {
                             if (!where.holds(row.estimate)) return;
                             append_row(columns, grid, row, kBetweenCells, out, as_is);
                             out += kBehindRow;
                         },
                         [&](std::string&& text) {
                             std::string_view rest = text;
                             for (std::size_t end; (end = rest.find(kBehindRow)) != std::string_view::npos;
                                  rest.remove_prefix(end + 1))
                                 table.rows.push_back(row_of(columns, rest.substr(0, end)));
                         }};
    const SweepResult result = sweep(grid.grid, sink, interrupted);
    if (!o.sort.empty()) sort_rows(table, o.sort);
    write_answer(o.output,
                 {[&] { return table_json(table); }, [&] { return sweep_document(std::move(table), view_of(grid)); }});
    return finish(result, grid, o.output.quiet);
}

int run(const Options& o) {
    std::string problem;
    const Where where = o.where.empty() ? Where() : Where::parse(o.where, problem);
    if (!problem.empty()) throw InputError({{"--where", "", o.where, "comparisons joined by and, or, not", problem}});
    SweepGrid grid = sweep_grid(o.request, Catalogue(data_root(o.output.data)));
    read_shard(o.shard, grid.grid);
    const std::vector<SweepColumn> columns = columns_of(grid, o.columns);
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGPIPE, SIG_IGN);
    if (o.output.format == "csv" && !o.output.json && o.sort.empty()) return stream_csv(o, grid, columns, where);
    return collect(o, grid, columns, where);
}

std::vector<Flag> grid_flags(SweepRequest& r) {
    return {{"-m,--models", &r.models, "models: names, 'qwen3*', comma-separated", "LIST", {.required = true}},
            {"-d,--machines", &r.machines, "machines, likewise", "LIST", {.required = true}},
            {"-q,--quants", &r.quants, "quantizations, comma-separated", "LIST", {.shows_default = true}},
            {"-s,--scenarios", &r.scenarios, "scenarios, likewise", "LIST", {.shows_default = true}},
            {"--vary", &r.vary, "an input that moves: PATH=FROM:TO:STEPS or PATH=A,B,C", "AXIS", {.one_per_use = true}},
            {"--set", &r.settings, "sets one input in every case", "PATH=VALUE", {.one_per_use = true}},
            {"--calibration", &r.calibration, "own runs of this machine, from spillway calibrate -o", "FILE"}};
}

std::vector<Flag> row_flags(Options& o) {
    return {{"--columns", &o.columns, "columns, comma-separated: labels, axes, figures of report --json", "LIST"},
            {"--where", &o.where, "keep rows: 'decode.tokens_per_second>=10 and verdict.prefill==holds'", "EXPR"},
            {"--sort", &o.sort, "column to sort by, with :desc for the largest first; needs all rows", "COL"},
            {"--shard", &o.shard, "evaluate part I of N, for grids beyond one machine", "I/N"}};
}

} // namespace

Command sweep_command() {
    const auto o = std::make_shared<Options>();
    o->request.quants = {"native"};
    o->request.scenarios = {"default"};
    return {.name = "sweep",
            .help = "models x machines x quantizations x inputs, one row each",
            .flags = joined({grid_flags(o->request), row_flags(*o), output_flags(o->output)}),
            .run = [o] { return run(*o); },
            .footer = "csv rows stream as they come; text, markdown, json, html and --sort need all rows first."};
}

} // namespace spillway
