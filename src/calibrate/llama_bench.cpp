#include "calibrate/llama_bench.h"

#include "io/json_file.h"
#include "io/problem.h"
#include "text/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

namespace spillway {

namespace {

using Record = std::map<std::string, std::string>; // a row by the names that llama-bench gives its columns

std::string trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return "";
    return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        if (!trimmed(line).empty()) lines.push_back(trimmed(line));
    }
    return lines;
}

Record record_of(const nlohmann::json& object) {
    Record record;
    for (const auto& [key, value] : object.items())
        record[key] = value.is_string() ? value.get<std::string>() : value.dump();
    return record;
}

std::vector<Record> from_json(const nlohmann::json& value) {
    std::vector<Record> records;
    for (const auto& row : value) {
        if (row.is_object()) records.push_back(record_of(row));
    }
    return records;
}

// RFC 4180: fields may be quoted, two quotes are one.
std::vector<std::string> csv_fields(const std::string& line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
            fields.back() += line[i++];
        else if (line[i] == '"')
            quoted = !quoted;
        else if (line[i] == ',' && !quoted)
            fields.emplace_back();
        else
            fields.back() += line[i];
    }
    return fields;
}

std::vector<std::string> table_fields(const std::string& line) {
    std::vector<std::string> fields;
    std::size_t begin = 1;
    for (std::size_t end; (end = line.find('|', begin)) != std::string::npos; begin = end + 1)
        fields.push_back(trimmed(line.substr(begin, end - begin)));
    return fields;
}

std::vector<Record> from_table(const std::vector<std::vector<std::string>>& rows) {
    std::vector<Record> records;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        Record record;
        for (std::size_t k = 0; k < std::min(rows[0].size(), rows[i].size()); ++k) record[rows[0][k]] = rows[i][k];
        records.push_back(std::move(record));
    }
    return records;
}

std::vector<Record> from_markdown(const std::vector<std::string>& lines) {
    std::vector<std::vector<std::string>> rows;
    for (const std::string& line : lines) {
        if (line.front() != '|' || line.find("---") != std::string::npos) continue;
        rows.push_back(table_fields(line));
    }
    return rows.empty() ? std::vector<Record>{} : from_table(rows);
}

std::vector<Record> records_of(const std::string& text, const std::string& shown) {
    const std::vector<std::string> lines = lines_of(text);
    if (lines.empty()) return {};
    Problems problems;
    if (lines.front().front() == '[') {
        const auto value = parse_json(text, shown, problems);
        throw_if_any(problems);
        return from_json(*value);
    }
    if (lines.front().front() == '{') {
        std::vector<Record> records;
        for (const std::string& line : lines) {
            const auto value = parse_json(line, shown, problems);
            throw_if_any(problems);
            if (value->is_object()) records.push_back(record_of(*value));
        }
        return records;
    }
    const auto table = std::find_if(lines.begin(), lines.end(), [](const auto& line) { return line.front() == '|'; });
    if (table != lines.end()) return from_markdown(lines);
    std::vector<std::vector<std::string>> rows;
    for (const std::string& line : lines) rows.push_back(csv_fields(line));
    return from_table(rows);
}

std::optional<double> number(const Record& record, const std::string& key) {
    const auto found = record.find(key);
    if (found == record.end() || found->second.empty()) return std::nullopt;
    char* end = nullptr;
    const double value = std::strtod(found->second.c_str(), &end);
    return end == found->second.c_str() ? std::nullopt : std::optional(value);
}

std::string text(const Record& record, const std::string& key) {
    const auto found = record.find(key);
    return found == record.end() ? "" : found->second;
}

// "pp512", "tg128 @ d4096", "pp512+tg128": the column of the table that people paste.
void read_test(const std::string& test, BenchRow& row) {
    const auto after = [&](const char* mark) {
        const std::size_t at = test.find(mark);
        return at == std::string::npos ? 0.0 : std::strtod(test.c_str() + at + std::string_view(mark).size(), nullptr);
    };
    row.prompt = after("pp");
    row.generated = after("tg");
    row.depth = after("@ d");
}

BenchRow row_of(const Record& record) {
    BenchRow row;
    const bool markdown = record.count("test") > 0;
    row.model_type = text(record, markdown ? "model" : "model_type");
    if (markdown) {
        read_test(text(record, "test"), row);
        row.model_bytes = parse_quantity(text(record, "size"), Dimension::bytes).value;
    } else {
        row.prompt = number(record, "n_prompt").value_or(0.0);
        row.generated = number(record, "n_gen").value_or(0.0);
        row.depth = number(record, "n_depth").value_or(0.0);
        row.model_bytes = number(record, "model_size");
    }
    row.tokens_per_second = number(record, markdown ? "t/s" : "avg_ts").value_or(0.0);
    row.micro_batch = number(record, "n_ubatch");
    row.gpu_layers = number(record, markdown ? "ngl" : "n_gpu_layers");
    row.kv_type = text(record, "type_k");
    row.date = text(record, "test_time").substr(0, 10);
    return row;
}

std::string name_of(const BenchRow& row) {
    std::string name;
    if (row.prompt > 0.0) name = fmt::format("pp{:.0f}", row.prompt);
    if (row.generated > 0.0) name += fmt::format("{}tg{:.0f}", name.empty() ? "" : "+", row.generated);
    if (row.depth > 0.0) name += fmt::format(" @ d{:.0f}", row.depth);
    return name;
}

// Why a test is not of the case; empty: it is.
std::string stranger(const BenchRow& row, const Case& c, const Placement& placement) {
    if (row.prompt > 0.0 && row.generated > 0.0) return "mixes prompt and generation";
    if (row.tokens_per_second <= 0.0) return "has no speed";
    Bytes weights;
    for (const Component& part : placement.components) {
        const bool memory = part.part == Part::working_memory || part.part == Part::reserve;
        if (!memory && part.part != Part::other_parts && part.part != Part::drafter && part.bytes)
            weights += *part.bytes;
    }
    if (row.model_bytes && std::abs(*row.model_bytes / weights.value - 1.0) > kSameSize) {
        return fmt::format("its weights are {}, the case's {}: another model or format",
                           print_short(Bytes(*row.model_bytes)), print_short(weights));
    }
    const bool card = c.machine.memory.front().processor < Processor::cpu_desktop;
    if (card && row.gpu_layers && *row.gpu_layers >= 0.0 && *row.gpu_layers < placement.sizes.layer_count)
        return fmt::format("only {:.0f} of {:.0f} layers were on the GPU", *row.gpu_layers,
                           placement.sizes.layer_count);
    return "";
}

std::optional<KvFormat> kv_format(const std::string& name) {
    const auto& names = EnumNames<KvFormat>::names;
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? std::nullopt : std::optional(static_cast<KvFormat>(found - names.begin()));
}

} // namespace

std::vector<BenchRow> read_llama_bench(const std::string& content, const std::string& shown) {
    std::vector<BenchRow> rows;
    for (const Record& record : records_of(content, shown)) {
        if (record.count("avg_ts") > 0 || record.count("t/s") > 0) rows.push_back(row_of(record));
    }
    if (rows.empty()) {
        throw InputError({{shown, "", "no test", "output of llama-bench with -o json, jsonl, csv or md",
                           "holds no row with a speed (avg_ts, or t/s in a table)"}});
    }
    return rows;
}

BenchFigures figures_of(const std::vector<BenchRow>& rows, const Case& c) {
    BenchFigures found;
    const Placement placement = evaluate(c).placement;
    for (const BenchRow& row : rows) {
        const std::string why = stranger(row, c, placement);
        if (!why.empty()) {
            found.left_out.push_back(fmt::format("{} {}: {}", row.model_type, name_of(row), why));
            continue;
        }
        OwnFigure figure;
        figure.which = row.generated > 0.0 ? Measurand::decode : Measurand::prefill;
        figure.tokens_per_second = row.tokens_per_second;
        // Generation fills the cache as it runs: its mean depth counts.
        figure.depth = row.depth + 0.5 * row.generated;
        if (row.prompt > 0.0) figure.prompt = row.prompt;
        figure.micro_batch = row.micro_batch;
        figure.kv_format = kv_format(row.kv_type);
        figure.text = fmt::format("{} {:.4g} tok/s", name_of(row), row.tokens_per_second);
        found.figures.push_back(std::move(figure));
        if (!row.date.empty()) found.date = row.date;
    }
    return found;
}

} // namespace spillway
