// Reads what gate_json wrote. Only what a comparison needs is looked at, and that strictly: a baseline that is not one
// must never let a change pass.
#include "report/gate.h"

#include "io/json_file.h"
#include "io/read_fields.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace spillway {

namespace {

using nlohmann::json;

struct Reader {
    const std::string& file;
    Problems problems;

    void add(const std::string& pointer, const json* found, std::string expected, std::string message) {
        problems.push_back(
            {file, pointer, found ? describe(*found) : "nothing", std::move(expected), std::move(message)});
    }

    // The member of this name; null with a problem if it is missing.
    const json* member(const json& object, const std::string& pointer, const char* name, const char* expected) {
        const auto found = object.is_object() ? object.find(name) : object.end();
        if (object.is_object() && found != object.end()) return &*found;
        add(pointer + "/" + name, nullptr, expected, "is missing");
        return nullptr;
    }

    std::string text(const json& object, const std::string& pointer, const char* name, bool may_be_null = false) {
        const json* const found = member(object, pointer, name, "text");
        if (!found || (may_be_null && found->is_null())) return {};
        if (found->is_string()) return found->get<std::string>();
        add(pointer + "/" + name, found, "text", "must be text");
        return {};
    }

    bool flag(const json& object, const std::string& pointer, const char* name) {
        const json* const found = member(object, pointer, name, "true or false");
        if (found && !found->is_boolean()) add(pointer + "/" + name, found, "true or false", "must be true or false");
        return found && found->is_boolean() && found->get<bool>();
    }

    std::optional<double> speed(const json& object, const std::string& pointer) {
        const json* const found = member(object, pointer, "tokens_per_second", "a number, or null");
        if (!found || found->is_null()) return std::nullopt;
        if (found->is_number() && found->get<double>() > 0.0) return found->get<double>();
        add(pointer + "/tokens_per_second", found, "a number above 0, or null", "is not a speed");
        return std::nullopt;
    }

    std::vector<std::string> settings(const json& object, const std::string& pointer) {
        std::vector<std::string> list;
        const json* const found = member(object, pointer, "settings", "a list");
        if (found && !found->is_array()) add(pointer + "/settings", found, "a list", "must be a list");
        for (const json& setting : found && found->is_array() ? *found : json::array()) {
            if (setting.is_string())
                list.push_back(setting.get<std::string>());
            else
                add(pointer + "/settings", &setting, "text", "must be text");
        }
        return list;
    }
};

std::string key_of(const std::string& name, const std::vector<std::string>& what,
                   const std::vector<std::string>& settings) {
    if (!name.empty()) return json(name).dump(-1, ' ', false, json::error_handler_t::replace);
    return json::array({what, settings}).dump(-1, ' ', false, json::error_handler_t::replace);
}

BaselineEntry read_entry(Reader& reader, const json& row, const std::string& at) {
    BaselineEntry entry;
    const std::string name = reader.text(row, at, "name", true);
    std::vector<std::string> what;
    for (const char* member : {"model", "machine", "quant", "scenario"}) what.push_back(reader.text(row, at, member));
    const std::vector<std::string> settings = reader.settings(row, at);
    entry.key = key_of(name, what, settings);
    entry.label = fmt::format("{} ({}) on {}, scenario {}", what[0], what[2], what[1], what[3]);
    if (!name.empty()) entry.label = name + ": " + entry.label;
    StoredPhase& decode = entry.result.decode;
    StoredPhase& prefill = entry.result.prefill;
    if (const json* found = reader.member(row, at, "decode", "an object"))
        decode.speed = reader.speed(*found, at + "/decode");
    if (const json* found = reader.member(row, at, "prefill", "an object")) {
        prefill.speed = reader.speed(*found, at + "/prefill");
        prefill.unlimited = reader.flag(*found, at + "/prefill", "not_limited");
    }
    return entry;
}

void read_rows(Reader& reader, const json& document, const char* list, Baseline& baseline) {
    const json* const rows = reader.member(document, "", list, "a list");
    if (!rows) return;
    if (!rows->is_array()) return reader.add(std::string("/") + list, rows, "a list", "must be a list");
    for (std::size_t i = 0; i < rows->size(); ++i)
        baseline.push_back(read_entry(reader, (*rows)[i], fmt::format("/{}/{}", list, i)));
}

} // namespace

std::string baseline_key(const GateRow& row) {
    const LoadedCase& l = row.loaded;
    return key_of(row.name, {l.model_id, l.machine_id, l.quantization_id, l.scenario_id}, row.settings);
}

Baseline read_baseline(const std::string& path) {
    Reader reader{path, {}};
    Baseline baseline;
    const std::optional<JsonFile> file = read_json_file(path, path, reader.problems);
    throw_if_any(reader.problems);
    const json& document = *file->value;
    const std::string expected = "the JSON of an earlier \"spillway gate --json\"";
    if (!document.is_object() || document.value("kind", json()) != "gate" || document.value("format", json()) != 1) {
        reader.add("", &document, expected, "is not a stored result of a gate");
        throw_if_any(reader.problems);
    }
    for (const char* list : {"accepted", "rejected"}) read_rows(reader, document, list, baseline);
    if (reader.problems.empty() && baseline.empty()) reader.add("", nullptr, expected, "holds no entries");
    throw_if_any(reader.problems);
    return baseline;
}

std::optional<StoredResult> take_stored(Baseline& baseline, const std::string& key) {
    const auto found =
        std::find_if(baseline.begin(), baseline.end(), [&](const BaselineEntry& entry) { return entry.key == key; });
    if (found == baseline.end()) return std::nullopt;
    const StoredResult result = found->result;
    baseline.erase(found);
    return result;
}

} // namespace spillway
