// A table of answers: columns with names that are a contract, cells that are text, numbers or unknown. One writer per
// format; the text form rounds, the others do not.
#pragma once

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace spillway {

// How a number is shown in text and markdown; csv and json always hold the number itself.
enum class Show { text, count, bits, params, bytes, gigabytes, gibibytes, rate, percent, speed };

struct Column {
    std::string name;  // in csv and json, with its unit where it has one: "memory_bytes"
    std::string title; // in text
    Show show = Show::text;
};

// Rows hold one cell per column: a string, a number, a boolean, or null for unknown.
struct Table {
    std::vector<Column> columns;
    std::vector<std::vector<nlohmann::ordered_json>> rows;
};

// A cell as people read it; unknown is "-".
std::string cell_text(const nlohmann::ordered_json& cell, Show show);

// Aligned columns, two spaces between, numbers to the right.
std::string table_text(const Table& table);
std::string table_markdown(const Table& table);
// RFC 4180 with a header line; unknown is an empty cell.
std::string table_csv(const Table& table);
// {"format":1,"columns":[...],"rows":[{...}]}
nlohmann::ordered_json table_json(const Table& table);

// One csv field, quoted where it has to be.
std::string csv_field(const std::string& text);

} // namespace spillway
