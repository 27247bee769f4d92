// Reading one file: syntax, keys, values, pointers; writing it back; schemas.
#include "io/files.h"
#include "io/json_file.h"
#include "io/load_files.h"
#include "io/problem.h"
#include "io/read_fields.h"
#include "io/schema.h"
#include "io/write_fields.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

using namespace spillway;
using namespace spillway::literals;

namespace {

const char* const kMachine = R"({"format": 1, "kind": "machine", "name": "m",
  "memory": [{"name": "unified", "processor": "apple-gpu", "capacity": "64 GiB", "usable": "48 GiB",
              "bandwidth": "400 GB/s", "sustained": "80 %"}],
  "storage": [], "compute": {"rate": null}})";

// Reads text as a file of one kind.
template <class File>
File read_text(const std::string& text, Problems& problems) {
    const auto json = parse_json(text, "x.json", problems);
    ReadState state{"x.json", problems, {}, false};
    return json ? read_file_object<File>(state, *json) : File{};
}

Problems problems_of_machine(const std::string& text) {
    Problems problems;
    read_text<MachineFile>(text, problems);
    return problems;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

Problem only_problem(const std::string& from, const std::string& to) {
    const Problems problems = problems_of_machine(replaced(kMachine, from, to));
    INFO(problems_text(problems));
    REQUIRE(problems.size() == 1);
    return problems.front();
}

std::string syntax_message(const std::string& text) {
    Problems problems;
    CHECK_FALSE(parse_json(text, "x.json", problems));
    REQUIRE(problems.size() == 1);
    return problems.front().message;
}

} // namespace

TEST_CASE("a machine is read", "[io]") {
    Problems problems;
    const MachineFile file = read_text<MachineFile>(kMachine, problems);
    INFO(problems_text(problems));
    CHECK(problems.empty());
    REQUIRE(file.machine.memory.size() == 1);
    CHECK(file.machine.memory[0].capacity == 64.0_GiB);
    CHECK(file.machine.memory[0].sustained == 0.8);
    CHECK_FALSE(file.machine.compute.rate);
}

TEST_CASE("five mistakes give five problems with pointers", "[io]") {
    const Problems problems = problems_of_machine(R"({"format": 1, "kind": "machine", "name": "m",
      "memory": [{"name": "unified", "processor": "aple-gpu", "capacity": 64, "usable": "48 Gb",
                  "bandwith": "400 GB/s", "bandwidth": null, "sustained": 1.5}],
      "storage": [], "compute": {"rate": null}})");
    INFO(problems_text(problems));
    std::vector<std::string> pointers;
    for (const Problem& problem : problems) {
        pointers.push_back(problem.pointer);
        CHECK(problem.file == "x.json");
        CHECK_FALSE(problem.found.empty());
        CHECK_FALSE(problem.expected.empty());
    }
    CHECK(pointers == std::vector<std::string>{"/memory/0/processor", "/memory/0/capacity", "/memory/0/usable",
                                               "/memory/0/sustained", "/memory/0/bandwith"});
    CHECK(problems[0].message == "is not a known name; did you mean \"apple-gpu\" or \"apple-cpu\"?");
    CHECK(problems[1].message == "is a number without a unit");
    CHECK(problems[4].message == "is not a known key; did you mean \"bandwidth\"?");
}

TEST_CASE("single mistakes", "[io]") {
    CHECK(only_problem(R"("usable": "48 GiB",)", "").message == "is missing; write null if unknown");
    CHECK(only_problem(R"("usable": "48 GiB",)", "").pointer == "/memory/0/usable");
    CHECK(only_problem(R"("capacity": "64 GiB",)", "").message == "is missing");
    CHECK(only_problem(R"("64 GiB")", "null").message == "must be stated");
    CHECK(only_problem(R"("80 %")", R"("eighty")").pointer == "/memory/0/sustained");
    CHECK(only_problem(R"("storage": [])", R"("storage": {})").message == "must be a list");
    CHECK(only_problem(R"({"rate": null})", "[]").message == "must be an object");
    CHECK(only_problem(R"("compute")", R"("a~/b": 1, "compute")").pointer == "/a~0~1b");
    CHECK(only_problem(R"("unified")", "7").message == "must be text");
    CHECK(only_problem(R"("80 %")", "-0.5").message == "must be between 1e-06 and 1");
}

TEST_CASE("counts, layers and flags of a model", "[io]") {
    Problems problems;
    read_text<ModelFile>(
        R"({"format": 1, "kind": "model", "name": "m", "hidden": 1.5, "vocabulary": "1000", "tied_embedding": 1,
      "blocks": [{"layers": "0-2, 2", "dense_width": -1}, {"layers": 3}], "quantizations": []})",
        problems);
    INFO(problems_text(problems));
    REQUIRE(problems.size() == 6);
    CHECK(problems[0].message == "must be a whole number");
    CHECK(problems[1].message == "must be a number, without quotes");
    CHECK(problems[2].message == "must be true or false, without quotes");
    CHECK(problems[3].message == "layers must be ascending, each named once");
    CHECK(problems[4].pointer == "/blocks/0/dense_width");
    CHECK(problems[5].pointer == "/blocks/1/layers");
}

TEST_CASE("keys given twice are problems, at any depth", "[io]") {
    const Problem outer = only_problem(R"("name": "m",)", R"("name": "m", "name": "n",)");
    CHECK(outer.pointer == "/name");
    CHECK(outer.message == "is given twice");
    CHECK(only_problem(R"("usable": "48 GiB",)", R"("usable": "48 GiB", "usable": "50 GiB",)").pointer ==
          "/memory/0/usable");
}

TEST_CASE("syntax errors name line and column", "[io]") {
    CHECK(syntax_message("") == "is empty");
    CHECK(syntax_message(" \n\t") == "is empty");
    CHECK(syntax_message("{\"a\": 1,\n \"b\" 2}") == "is not valid JSON at line 2, column 6");
    CHECK(syntax_message("{\"a\": 1,}") == "is not valid JSON at line 1, column 9");
    CHECK(syntax_message("{\"a\": [1, 2") == "ends too early, at line 1, column 12: cut off?");
    CHECK(syntax_message("{} x") == "is not valid JSON at line 1, column 4");
    CHECK(syntax_message("{\"a\": \"\xff\"}") == "is not UTF-8 at line 1, column 8");
    CHECK(syntax_message("{\"a\": 1e999}").find("is not valid JSON at line 1") == 0);
    CHECK(syntax_message("{\"a\": NaN}").find("is not valid JSON at line 1") == 0);
    CHECK(syntax_message(std::string(100000, '[')) == "is nested too deep");
    std::string deep;
    for (int i = 0; i < 1000; ++i) deep += "{\"a\":";
    CHECK(syntax_message(deep) == "is nested too deep");
}

TEST_CASE("every truncation of a file is a problem, none a crash", "[io]") {
    const std::string text = kMachine;
    for (std::size_t length = 0; length < text.size(); ++length) {
        Problems problems;
        CHECK_FALSE(parse_json(std::string_view(text).substr(0, length), "x.json", problems));
        CHECK(problems.size() == 1);
    }
}

TEST_CASE("the header says what a file is", "[io]") {
    const auto messages = [](const char* text) {
        Problems problems;
        check_header(nlohmann::json::parse(text), FileKind::model, "x.json", problems);
        std::vector<std::string> result;
        for (const Problem& problem : problems) result.push_back(problem.pointer + " " + problem.message);
        return result;
    };
    CHECK(messages(R"({"format": 1, "kind": "model"})").empty());
    CHECK(messages(R"({"format": 2, "kind": "model"})") ==
          std::vector<std::string>{"/format is not a file format that this version knows"});
    CHECK(messages(R"({"format": 1, "kind": "machine"})") == std::vector<std::string>{"/kind is not a model file"});
    CHECK(messages("{}").size() == 2);
    CHECK(messages("[1]").size() == 1);
}

TEST_CASE("problems as text and as JSON", "[io]") {
    const Problem problem{"models/x.json", "/hidden", "1.5", "a whole number", "must be a whole number"};
    CHECK(problems_text({problem}) == "spillway: 1 problem\nmodels/x.json: /hidden: must be a whole number\n"
                                      "    found 1.5, expected a whole number\n");
    CHECK(problems_text({problem, {"a", "", "", "", "b\x1b[31m"}}).find("spillway: 2 problems\n") == 0);
    CHECK(problems_text({{"a", "", "", "", "b\x1b[31m"}}).find('\x1b') == std::string::npos);
    const auto json = problems_json({problem});
    CHECK(json.dump() ==
          R"({"format":1,"error":{"exit":3,"problems":[{"file":"models/x.json","pointer":"/hidden","found":"1.5",)"
          R"("expected":"a whole number","message":"must be a whole number"}]}})");
    CHECK_NOTHROW(throw_if_any({}));
    CHECK_THROWS_AS(throw_if_any({problem}), InputError);
}

TEST_CASE("writing keeps the order of the fields and leaves out what is not stated", "[io]") {
    Problems problems;
    const MachineFile file = read_text<MachineFile>(kMachine, problems);
    CHECK(
        write_object(file).dump() ==
        R"({"format":1,"kind":"machine","name":"m","memory":[{"name":"unified","processor":"apple-gpu","capacity":"64 GiB",)"
        R"("usable":"48 GiB","bandwidth":"400 GB/s","sustained":0.8}],"storage":[],"compute":{"rate":null}})");
    CHECK(new_file<ModelFile>().header.kind == "model");
}

TEST_CASE("schemas name every key, its unit and what is required", "[io]") {
    const auto schema = file_schema(FileKind::machine);
    CHECK(schema["properties"]["kind"]["const"] == "machine");
    CHECK(schema["additionalProperties"] == false);
    const auto& pool = schema["properties"]["memory"]["items"];
    CHECK(pool["additionalProperties"] == false);
    CHECK(pool["properties"]["capacity"]["pattern"].get<std::string>().find("GiB") != std::string::npos);
    CHECK(pool["properties"]["usable"]["anyOf"][1]["type"] == "null");
    CHECK(pool["properties"]["processor"]["enum"].size() == static_cast<std::size_t>(kProcessorKinds));
    CHECK(pool["required"].size() == 6);
    CHECK(file_schema(FileKind::locality)["properties"].contains("curve"));
    for (std::size_t kind = 0; kind < EnumNames<FileKind>::names.size(); ++kind) {
        CHECK(file_schema(static_cast<FileKind>(kind))["$schema"] == "http://json-schema.org/draft-07/schema#");
    }
}
