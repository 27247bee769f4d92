#include "report/table.h"

#include "inputs/quantity.h"
#include "report/figures.h"
#include "text/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace spillway {

namespace {

using nlohmann::ordered_json;

std::string number_text(double value, Show show) {
    switch (show) {
    case Show::text:
    case Show::figure:
    case Show::bar:
    case Show::count: return count(value);
    case Show::bits: return fmt::format("{:.5g}", value);
    case Show::params: return value >= 1e12 ? significant(value / 1e12, 3) + "T" : significant(value / 1e9, 3) + "B";
    case Show::bytes: return print_short(Bytes(value));
    case Show::gigabytes: return gb_number(Bytes(value));
    case Show::gibibytes: return significant(value / kGiB, 4);
    case Show::rate: return significant(value / 1e9, 3);
    case Show::percent: return percent(value);
    case Show::speed: return speed(value);
    }
    return count(value);
}

ordered_json json_of(const Cell& cell) {
    return std::visit(
        [](const auto& value) {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
                return ordered_json();
            else
                return ordered_json(value);
        },
        cell.value);
}

// The value itself, as JSON writes it; `short_numbers` leaves out the ".0" of a whole one.
std::string raw_text(const Cell& cell, bool short_numbers = false) {
    if (cell.unknown()) return {};
    if (const std::string* const text = std::get_if<std::string>(&cell.value)) return *text;
    std::string number = json_of(cell).dump();
    if (short_numbers && number.ends_with(".0")) number.resize(number.size() - 2);
    return number;
}

} // namespace

std::optional<double> Cell::number() const {
    if (const auto* real = std::get_if<double>(&value)) return *real;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* natural = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*natural);
    return std::nullopt;
}

std::string cell_text(const Cell& cell, Show show) {
    if (cell.unknown()) return "-";
    const std::optional<double> number = cell.number();
    return number ? number_text(*number, show) : raw_text(cell);
}

std::string one_line(std::string title) {
    for (std::size_t at; (at = title.find('\n')) != std::string::npos;) {
        const bool last = at + 1 == title.size(), hyphen = at > 0 && title[at - 1] == '-';
        title.replace(hyphen ? at - 1 : at, hyphen ? 2 : 1, last || hyphen || at == 0 ? "" : " ");
    }
    return title;
}

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

std::string table_csv(const Table& table) {
    std::string text;
    for (std::size_t i = 0; i < table.columns.size(); ++i) text += (i ? "," : "") + csv_field(table.columns[i].name);
    text += "\n";
    for (const TableRow& row : table.rows) {
        for (std::size_t i = 0; i < row.cells.size(); ++i)
            text += (i ? "," : "") + csv_field(raw_text(row.cells[i], table.short_numbers));
        text += "\n";
    }
    return text;
}

ordered_json rows_json(const Table& table, std::size_t first_column) {
    ordered_json rows = ordered_json::array();
    for (const TableRow& row : table.rows) {
        ordered_json object = ordered_json::object();
        for (std::size_t i = first_column; i < row.cells.size(); ++i)
            object[table.columns[i].name] = json_of(row.cells[i]);
        rows.push_back(std::move(object));
    }
    return rows;
}

ordered_json table_json(const Table& table) {
    ordered_json json = {{"format", 1}, {"columns", ordered_json::array()}};
    for (const Column& column : table.columns) json["columns"].push_back(column.name);
    json["rows"] = rows_json(table);
    return json;
}

} // namespace spillway
