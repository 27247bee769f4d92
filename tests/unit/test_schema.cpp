// The schemas that are shipped: that they are what the program generates, that every shipped file validates, and that
// schema and reader agree on files with one mistake.
#include "io/load_files.h"
#include "io/measured.h"
#include "io/schema.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#ifdef SPILLWAY_HAS_VALIJSON
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#endif

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

using namespace spillway;
using nlohmann::json;

namespace {

std::string text_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<FileKind> all_kinds() {
    std::vector<FileKind> kinds;
    for (std::size_t i = 0; i < EnumNames<FileKind>::names.size(); ++i) kinds.push_back(static_cast<FileKind>(i));
    return kinds;
}

} // namespace

TEST_CASE("the shipped schemas are those that the program generates", "[schema]") {
    for (const FileKind kind : all_kinds()) {
        const std::string file = fmt::format("schemas/{}.schema.json", kind_name(kind));
        INFO(file << " differs from what the fields say now; regenerate it: spillway schema " << kind_name(kind)
                  << " -o " << file);
        // Compared as one truth value: two schemas of 40 kB are no message.
        const bool same = text_of(data_root("") / file) == file_schema(kind).dump(2) + "\n";
        CHECK(same);
    }
}

#ifndef SPILLWAY_HAS_VALIJSON

TEST_CASE("schema and reader agree", "[schema]") { std::cout << "skipped: schemas against files (no valijson)\n"; }

#else

namespace {

class Schema {
public:
    explicit Schema(FileKind kind) {
        const json text = json::parse(file_schema(kind).dump());
        const valijson::adapters::NlohmannJsonAdapter adapter(text);
        valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
        parser.populateSchema(adapter, schema_);
    }
    bool accepts(const json& document) {
        const valijson::adapters::NlohmannJsonAdapter adapter(document);
        return validator_.validate(schema_, adapter, nullptr);
    }

private:
    valijson::Schema schema_;
    valijson::Validator validator_{valijson::Validator::kStrongTypes};
};

template <class File>
bool reader_accepts(const json& document, std::string_view builds_on) {
    const Catalogue nothing{{}};
    LoadContext context{nothing, {}};
    const FoundFile found{"x.json", "x.json", "x"};
    const JsonFile file{"x.json", "x.json", std::make_shared<const json>(document), ""};
    const bool partial = !builds_on.empty() && document.is_object() && document.contains(builds_on);
    load_object<File>(context, found, file, partial);
    return context.problems.empty();
}

bool reader_accepts(FileKind kind, const json& document) {
    switch (kind) {
    case FileKind::model: return reader_accepts<ModelFile>(document, "");
    case FileKind::machine: return reader_accepts<MachineFile>(document, "parts");
    case FileKind::part: return reader_accepts<PartFile>(document, "");
    case FileKind::scenario: return reader_accepts<ScenarioFile>(document, "base");
    case FileKind::runtime: return reader_accepts<RuntimeFile>(document, "");
    case FileKind::locality: return reader_accepts<LocalityFile>(document, "");
    case FileKind::formats: return reader_accepts<FormatsFile>(document, "");
    case FileKind::measured: return reader_accepts<MeasuredFile>(document, "");
    }
    return false;
}

std::filesystem::path path_of(FileKind kind, const std::string& name) {
    return data_root("") / kind_directory(kind) / (name + ".json");
}

// One change to a file. `refused`: both have to refuse the result; otherwise they only have to agree.
struct Mutation {
    const char* what;
    bool refused;
    json::json_pointer at;
    json value; // discarded: the key is dropped
};

bool is_quantity_text(const json& value) {
    if (!value.is_string()) return false;
    const auto& text = value.get_ref<const std::string&>();
    if (text.empty() || text.front() < '0' || text.front() > '9' || text.find(' ') == std::string::npos) return false;
    return text.ends_with("B") || text.ends_with("B/s") || text.ends_with("FLOP/s") || text.ends_with("s");
}

json other_type(const json& value) {
    if (value.is_boolean()) return "yes";
    if (value.is_number()) return true;
    if (value.is_string()) return json::array();
    if (value.is_array()) return json::object();
    return 7;
}

// Every change of a value and of all below it.
void mutate(const json& value, const json::json_pointer& at, std::vector<Mutation>& mutations) {
    mutations.push_back({"wrong type", true, at, other_type(value)});
    mutations.push_back({"null", false, at, nullptr});
    if (value.is_number()) {
        mutations.push_back({"negative", true, at, -1});
        mutations.push_back({"number as text", false, at, value.dump()});
        mutations.push_back({"huge", false, at, 1e300});
        mutations.push_back({"fraction", false, at, value.get<double>() + 0.5});
    }
    if (is_quantity_text(value)) {
        mutations.push_back({"number for a quantity", true, at, 64});
        mutations.push_back({"unit of nothing", true, at, "64 parsecs"});
        mutations.push_back({"another unit", true, at, value.get<std::string>().ends_with("/s") ? "64 GB" : "64 GB/s"});
        mutations.push_back({"no unit", true, at, "64"});
        const auto& text = value.get_ref<const std::string&>();
        const bool nought = text.starts_with("0 ");
        mutations.push_back({nought ? "minus nought" : "negative quantity", !nought, at, "-" + text});
        mutations.push_back({"quantity out of range", false, at, "0" + text.substr(text.find(' '))});
    }
    if (value.is_object()) {
        mutations.push_back({"unknown key", true, at / "no_such_key", 1});
        for (const auto& [key, member] : value.items()) {
            mutations.push_back({"dropped key", false, at / key, json(json::value_t::discarded)});
            if (key == "layers" && member.is_string() && at.to_string().find("blocks") != std::string::npos)
                mutations.push_back({"descending layers", false, at / key, "6-2"});
            mutate(member, at / key, mutations);
        }
    }
    // Like elements have like fields: the first of a list stands for all.
    if (value.is_array() && !value.empty()) mutate(value.front(), at / 0, mutations);
}

json changed(json document, const Mutation& mutation) {
    if (!mutation.value.is_discarded()) {
        document[mutation.at] = mutation.value;
        return document;
    }
    document[mutation.at.parent_pointer()].erase(mutation.at.back());
    return document;
}

// Where the two differ on purpose: a schema judges the form of a text, the reader also what it says.
// - "0 B" has the form of a size, and so has one beyond the field's range.
// - "6-2" has the form of layer numbers, but they have to ascend.
// - "-0 s" is nought, which the reader takes for what it is.
bool known_difference(const Mutation& mutation, bool by_schema, bool by_reader) {
    const std::string_view what = mutation.what;
    if (what == "quantity out of range" || what == "descending layers") return by_schema && !by_reader;
    return what == "minus nought" && !by_schema && by_reader;
}

std::vector<std::string> disagreements(FileKind kind, const std::string& name, std::size_t& tried) {
    const json document = json::parse(text_of(path_of(kind, name)));
    std::vector<Mutation> mutations;
    mutate(document, json::json_pointer(), mutations);
    Schema schema(kind);
    std::vector<std::string> found;
    for (const Mutation& mutation : mutations) {
        const json mistaken = changed(document, mutation);
        const bool by_schema = schema.accepts(mistaken), by_reader = reader_accepts(kind, mistaken);
        const bool right = mutation.refused ? !by_schema && !by_reader : by_schema == by_reader;
        ++tried;
        if (right || known_difference(mutation, by_schema, by_reader)) continue;
        found.push_back(fmt::format("{} {}: {} at {}: schema {}, reader {}", kind_name(kind), name, mutation.what,
                                    mutation.at.to_string(), by_schema ? "accepts" : "refuses",
                                    by_reader ? "accepts" : "refuses"));
    }
    return found;
}

} // namespace

TEST_CASE("a file without a required key is refused by schema and reader", "[schema]") {
    Schema schema(FileKind::model);
    const json document = json::parse(text_of(path_of(FileKind::model, "qwen3-30b-a3b")));
    for (const char* key : {"/format", "/kind", "/name", "/hidden", "/blocks", "/quantizations", "/blocks/0/layers",
                            "/blocks/0/attention/kind", "/blocks/0/experts/active", "/quantizations/0/rest"}) {
        const json::json_pointer at(key);
        INFO(key);
        REQUIRE(document.contains(at));
        const json mistaken = changed(document, {"dropped key", true, at, json(json::value_t::discarded)});
        CHECK_FALSE(schema.accepts(mistaken));
        CHECK_FALSE(reader_accepts(FileKind::model, mistaken));
    }
}

TEST_CASE("every shipped file validates against its schema", "[schema]") {
    const Catalogue catalogue(data_root(""));
    std::size_t files = 0;
    for (const FileKind kind : all_kinds()) {
        Schema schema(kind);
        for (const std::string& name : catalogue.names(kind)) {
            const json document = json::parse(text_of(path_of(kind, name)));
            INFO(kind_name(kind) << ' ' << name);
            CHECK(schema.accepts(document));
            CHECK(reader_accepts(kind, document));
            ++files;
        }
    }
    CHECK(files >= 150);
}

TEST_CASE("schema and reader agree on files with one mistake", "[schema]") {
    const std::vector<std::pair<FileKind, const char*>> files = {{FileKind::model, "deepseek-v4.1-flash"},
                                                                 {FileKind::machine, "apple-m3-ultra-256gb"},
                                                                 {FileKind::machine, "rtx-4090-host-128gb"},
                                                                 {FileKind::part, "rtx-4090"},
                                                                 {FileKind::part, "pcie4-x16"},
                                                                 {FileKind::part, "wd-sn8100"},
                                                                 {FileKind::scenario, "offload-arithmetic"},
                                                                 {FileKind::runtime, "generic"},
                                                                 {FileKind::locality, "olmoe-1b-7b-english-passage"},
                                                                 {FileKind::formats, "formats"}};
    std::size_t tried = 0;
    std::vector<std::string> found;
    for (const auto& [kind, name] : files) {
        const std::vector<std::string> here = disagreements(kind, name, tried);
        found.insert(found.end(), here.begin(), here.end());
    }
    INFO(fmt::format("{}", fmt::join(found, "\n")));
    CHECK(found.empty());
    CHECK(tried > 1000);
}

#endif
