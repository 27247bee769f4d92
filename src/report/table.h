// A table of answers: columns with names that are a contract, cells that are text, numbers or unknown. Every format
// prints the same table; text, markdown and html round, csv and json do not.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace spillway {

// Where a part of a document is shown: everywhere, at a terminal only, or in markdown and html only.
enum class In { all, text, pages };

// What a line or row says, which a format may show as colour.
enum class Tone { plain, soft, heading, good, bad, warning };

// As the column where a line goes on: the line keeps its length, to be copied or compared.
inline constexpr int kNeverBroken = -1;

// A string, a number, a boolean, or nothing for unknown.
struct Cell {
    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string> value;

    Cell() = default;
    Cell(std::nullptr_t) {}
    Cell(bool flag) : value(flag) {}
    Cell(double number) : value(number) {}
    template <std::integral T>
    Cell(T number) {
        if constexpr (std::is_signed_v<T>)
            value = static_cast<std::int64_t>(number);
        else
            value = static_cast<std::uint64_t>(number);
    }
    Cell(std::string text) : value(std::move(text)) {}
    Cell(std::string_view text) : value(std::string(text)) {}
    Cell(const char* text) : value(std::string(text)) {}
    Cell(const std::optional<double>& number) {
        if (number) value = *number;
    }

    bool unknown() const { return std::holds_alternative<std::monostate>(value); }
    std::optional<double> number() const; // of the numeric kinds
    bool operator==(const Cell&) const = default;
    auto operator<=>(const Cell&) const = default;
};

// How a number is shown in text, markdown and html. `figure` is a number that already is text: it stands to the right.
// `bar` is a share from 0 to 1, as a bar.
enum class Show { text, count, bits, params, bytes, gigabytes, gibibytes, rate, percent, speed, figure, bar };

// Without a width a column is as wide as its longest cell and two spaces lie between columns. Once the first column has
// a width, all text layout is fixed: `gap` spaces, then the cell filled up to `width` (0: as it is).
struct Column {
    std::string name;  // in csv and json, with its unit where it has one: "memory_bytes"
    std::string title; // elsewhere; a line break in it is one in text
    Show show = Show::text;
    int width = 0;
    int gap = 2;
    In in = In::all;
    std::string after = {}; // behind each cell that is not empty, in text: " missed"
};

struct TableRow {
    std::vector<Cell> cells; // one per column
    Tone tone = Tone::plain;
    In in = In::all;
    std::string line = {}; // in text, instead of the cells
    std::string note = {}; // in text, below the cells; pages have it in a column
    bool sum = false;      // of the rows above

    TableRow() = default;
    TableRow(std::initializer_list<Cell> list) : cells(list) {}
    explicit TableRow(std::vector<Cell> list) : cells(std::move(list)) {}
};

struct Table {
    std::vector<Column> columns;
    std::vector<TableRow> rows;
    std::string caption = {}; // in pages
    bool heads = true;        // whether text has a header line
    int hang = 4;             // where text of a fixed layout goes on after a break
    In in = In::all;
    bool short_numbers = false; // csv writes 1, not 1.0
};

// A cell as people read it; unknown is "-".
std::string cell_text(const Cell& cell, Show show);

// A column's title in one line: "slots\na layer" is "slots a layer", "uni-\nform" is "uniform".
std::string one_line(std::string title);

// RFC 4180 with a header line; unknown is an empty cell.
std::string table_csv(const Table& table);
// {"format":1,"columns":[...],"rows":[{...}]}
nlohmann::ordered_json table_json(const Table& table);
// The rows of it alone, from `first_column` on.
nlohmann::ordered_json rows_json(const Table& table, std::size_t first_column = 0);

// One csv field, quoted where it has to be.
std::string csv_field(const std::string& text);

} // namespace spillway
