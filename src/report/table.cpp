#include "report/table.h"

#include "inputs/quantity.h"
#include "report/figures.h"
#include "text/units.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway {

namespace {

using nlohmann::ordered_json;

std::string number_text(double value, Show show) {
    switch (show) {
    case Show::text:
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

std::string raw_text(const ordered_json& cell) {
    if (cell.is_null()) return {};
    return cell.is_string() ? cell.get<std::string>() : cell.dump();
}

// Display width of UTF-8 text: continuation bytes take no column.
std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t to, bool right) {
    const std::string space(to - std::min(to, width(text)), ' ');
    return right ? space + text : text + space;
}

} // namespace

std::string cell_text(const ordered_json& cell, Show show) {
    if (cell.is_null()) return "-";
    return cell.is_number() ? number_text(cell.get<double>(), show) : raw_text(cell);
}

std::string table_text(const Table& table) {
    std::vector<std::size_t> widths;
    for (const Column& column : table.columns) widths.push_back(width(column.title));
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], width(cell_text(row[i], table.columns[i].show)));
    }
    std::string text;
    const auto add_line = [&](const auto& cell_of) {
        std::string line;
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            line += (i ? "  " : "") + padded(cell_of(i), widths[i], table.columns[i].show != Show::text);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    };
    add_line([&](std::size_t i) { return table.columns[i].title; });
    for (const auto& row : table.rows) {
        add_line([&](std::size_t i) { return cell_text(row[i], table.columns[i].show); });
    }
    return text;
}

std::string table_markdown(const Table& table) {
    std::string text = "|", rule = "|";
    for (const Column& column : table.columns) {
        text += " " + column.title + " |";
        rule += column.show == Show::text ? "---|" : "---:|";
    }
    text += "\n" + rule + "\n";
    for (const auto& row : table.rows) {
        text += "|";
        for (std::size_t i = 0; i < row.size(); ++i) text += " " + cell_text(row[i], table.columns[i].show) + " |";
        text += "\n";
    }
    return text;
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
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) text += (i ? "," : "") + csv_field(raw_text(row[i]));
        text += "\n";
    }
    return text;
}

ordered_json table_json(const Table& table) {
    ordered_json json = {{"format", 1}, {"columns", ordered_json::array()}, {"rows", ordered_json::array()}};
    for (const Column& column : table.columns) json["columns"].push_back(column.name);
    for (const auto& row : table.rows) {
        ordered_json object = ordered_json::object();
        for (std::size_t i = 0; i < row.size(); ++i) object[table.columns[i].name] = row[i];
        json["rows"].push_back(std::move(object));
    }
    return json;
}

} // namespace spillway
