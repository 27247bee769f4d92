// The border as a whole: names and paths, parts, bases, quantizations, settings, rules across fields, sources; and
// every data file that is shipped.
#include "io/load_case.h"
#include "io/load_files.h"
#include "io/write_fields.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

using namespace spillway;
using namespace spillway::literals;
namespace fs = std::filesystem;

namespace {

// A catalogue in a directory of its own, removed at the end.
struct TestData {
    fs::path root;

    TestData() {
        std::string name = (fs::temp_directory_path() / "spillway-io-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        root = name;
        for (const char* directory : {"models/locality", "hardware/parts", "scenarios/runtimes"})
            fs::create_directories(root / directory);
        write(
            "models/small.json",
            R"({"format": 1, "kind": "model", "name": "Small", "hidden": 64, "vocabulary": 1000, "tied_embedding": false,
          "blocks": [{"layers": "0", "dense_width": 128},
                     {"layers": "1-3", "experts": {"count": 16, "active": 2, "matrices": 3, "width_in": 64, "width": 32}}],
          "quantizations": [{"name": "native", "experts": 8, "experts_down": 9, "rest": 16, "embedding": 16, "tables": 16},
                            {"name": "q4", "experts": 4.5, "rest": 4.5, "embedding": 4.5}],
          "published": {"total_params": 1000000},
          "sources": [{"of": "", "basis": "published", "source": "whole"}, {"of": "quantizations.native", "basis": "derived", "source": "native"},
                      {"of": "quantizations.native.rest", "basis": "measured", "source": "rest"}, {"of": "published", "basis": "published", "source": "p"}]})");
        write("models/formats.json", R"({"format": 1, "kind": "formats", "formats": [
          {"name": "mxfp4", "bits": 4.25, "applies_to": "experts", "source": "mx"}, {"name": "q8_0", "bits": 8.5, "applies_to": "all", "source": "q8"}]})");
        write(
            "models/locality/hot.json",
            R"({"format": 1, "kind": "locality", "name": "hot", "curve": "table", "model": "small", "source": "traces",
          "points": [{"residency": 0.1, "miss_fraction": 0.6}, {"residency": 0.5, "miss_fraction": 0.2}]})");
        write("models/locality/bent.json",
              R"({"format": 1, "kind": "locality", "name": "bent", "curve": "fitted", "model": "other"})");
        write("hardware/mac.json", R"({"format": 1, "kind": "machine", "name": "Mac",
          "memory": [{"name": "unified", "processor": "apple-gpu", "capacity": "64 GiB", "usable": "48 GiB", "bandwidth": "400 GB/s", "sustained": 0.7}],
          "storage": [{"name": "ssd", "rate": "5 GB/s"}], "compute": {"rate": null},
          "sources": [{"of": "", "basis": "rated", "source": "vendor"}, {"of": "memory.0.usable", "basis": "measured", "source": "seen"}]})");
        write("hardware/parts/card.json", R"({"format": 1, "kind": "part", "name": "Card",
          "memory": [{"name": "vram", "processor": "nvidia-gpu", "capacity": "24 GiB", "usable": "23 GiB", "bandwidth": "1 TB/s", "sustained": 0.9}],
          "compute": {"rate": "50 TFLOP/s"}, "sources": [{"of": "", "basis": "rated", "source": "card"}]})");
        write("hardware/parts/drive.json",
              R"({"format": 1, "kind": "part", "name": "Drive", "storage": [{"name": "nvme", "rate": "7 GB/s"}],
          "sources": [{"of": "storage.nvme.rate", "basis": "measured", "source": "fio"}]})");
        write(
            "hardware/host.json",
            R"({"format": 1, "kind": "machine", "parts": ["card", "card", "drive"], "storage": [{"name": "nvme", "rate": "6 GB/s"}],
          "sources": [{"of": "storage.nvme", "basis": "chosen", "source": "host"}]})");
        write("scenarios/default.json",
              R"({"format": 1, "kind": "scenario", "name": "default", "context": 32768, "depth": 0, "sequences": 1,
          "prompt": 2048, "chunk": null, "target_decode": 10, "target_prefill": 100, "locality": "uniform", "runtime": "plain",
          "sources": [{"of": "", "basis": "chosen", "source": "default"}]})");
        write("scenarios/short.json",
              R"({"format": 1, "kind": "scenario", "base": "default", "name": "short", "context": 4096})");
        write("scenarios/loop.json", R"({"format": 1, "kind": "scenario", "base": "loop"})");
        write("scenarios/set.json", R"({"format": 1, "kind": "scenario-set"})");
        write("scenarios/runtimes/plain.json", runtime("plain", "2 GiB", "0.8"));
        write("scenarios/runtimes/other.json", runtime("other", "1 GiB", "0.6"));
    }
    ~TestData() { fs::remove_all(root); }
    TestData(const TestData&) = delete;
    TestData& operator=(const TestData&) = delete;

    static std::string runtime(const std::string& name, const std::string& memory, const std::string& share) {
        return R"({"format": 1, "kind": "runtime", "name": ")" + name + R"(", "sustained": {"apple-gpu": )" + share +
               R"(}, "t_layer": {"apple-gpu": "30 us"}, "kv_share": 0.6, "read_path": "direct", "lanes": 8, "pieces": 1, "realised_share": 0.9,
                 "overlap_decode": 0.5, "overlap_prefill": 0.5, "working_memory": ")" +
               memory + R"(", "policy": "cache", "spills": false, "micro_batch": 512,
                 "sources": [{"of": "sustained", "basis": "measured", "source": "kernel"}]})";
    }
    void write(const std::string& name, const std::string& text) const { std::ofstream(root / name) << text; }
    Catalogue catalogue() const { return Catalogue(root); }
};

LoadedCase load(const TestData& data, CaseRequest request) { return load_case(request, data.catalogue()); }

// "file pointer" of each problem.
std::vector<std::string> places(const TestData& data, const CaseRequest& request) {
    std::vector<std::string> result;
    try {
        load_case(request, data.catalogue());
    } catch (const InputError& error) {
        for (const Problem& problem : error.problems()) result.push_back(problem.file + ' ' + problem.pointer);
    }
    return result;
}
using Places = std::vector<std::string>;

std::string source_text(const LoadedCase& loaded, std::string_view path) {
    const Provenance* const source = loaded.source_of(path);
    return source == nullptr ? "" : source->source;
}

CaseRequest with(std::vector<std::string> settings) {
    return {"small", "mac", "default", "native", std::move(settings)};
}

} // namespace

TEST_CASE("a case is loaded with ids, sources and digest", "[load]") {
    const TestData data;
    const LoadedCase loaded = load(data, with({}));
    CHECK(loaded.model_id == "small");
    CHECK(loaded.machine_id == "mac");
    CHECK(loaded.scenario_id == "default");
    CHECK(loaded.quantization_id == "native");
    CHECK(loaded.value.scenario.runtime.name == "plain");
    CHECK(loaded.value.machine.memory[0].sustained == 0.8); // the runtime's
    CHECK(source_text(loaded, "machine.memory.unified.sustained") == "kernel");
    CHECK(source_text(loaded, "machine.memory.unified.usable") == "seen");
    CHECK(source_text(loaded, "machine.memory.unified.bandwidth") == "vendor");
    CHECK(source_text(loaded, "quantization.experts") == "native");
    CHECK(source_text(loaded, "quantization.rest") == "rest");
    CHECK(source_text(loaded, "scenario.context") == "default");
    CHECK(loaded.published.total_params == 1e6);
    CHECK(loaded.data_digest.size() == 16);
    REQUIRE(loaded.value.alternatives.size() == 1);
    CHECK(loaded.value.alternatives[0].name == "hot");
    CHECK(load(data, with({})).data_digest == loaded.data_digest);
    data.write("hardware/mac.json", [&] {
        std::ifstream file(data.root / "hardware/mac.json");
        return std::string(std::istreambuf_iterator<char>(file), {}) + "\n";
    }());
    CHECK(load(data, with({})).data_digest != loaded.data_digest);
}

TEST_CASE("names, paths and near names", "[load]") {
    const TestData data;
    CHECK(load(data, {(data.root / "models/small.json").string(), "mac"}).model_id == "small");
    try {
        load(data, {"smal", "mca", "defalt", "native", {"scenario.runtime=plan"}});
        FAIL("nothing was thrown");
    } catch (const InputError& error) {
        REQUIRE(error.problems().size() == 4);
        CHECK(error.problems()[0].message == "there is no model \"smal\"; did you mean \"small\"?");
        CHECK(error.problems()[0].expected == "a name that \"spillway list models\" shows, or a path");
        CHECK(error.problems()[2].message == "there is no scenario \"defalt\"; did you mean \"default\"?");
        CHECK(error.problems()[3].message == "there is no runtime \"plan\"; did you mean \"plain\"?");
    }
    CHECK(places(data, {"./missing.json", data.root.string() + "/", "default"}) ==
          Places{"./missing.json ", data.root.string() + "/ "});
    CHECK(data.catalogue().names(FileKind::model) == Places{"small"});
    CHECK(data.catalogue().names(FileKind::scenario) == Places{"default", "loop", "short"});
    Problems problems;
    CHECK(data.catalogue().expand(FileKind::machine, "*a*", problems) == Places{"mac"});
    CHECK(data.catalogue().expand(FileKind::machine, "mac", problems) == Places{"mac"});
    CHECK(problems.empty());
    CHECK(data.catalogue().expand(FileKind::machine, "x*", problems).empty());
    CHECK(problems.size() == 1);
    CHECK(matches_glob("apple-m3-max", "apple-*-m?x"));
    CHECK_FALSE(matches_glob("apple-m3-max", "apple-?"));
    CHECK_THROWS_AS(data_root((data.root / "nowhere").string()), InputError);
    CHECK_THROWS_AS(load_case(with({}), Catalogue({})), InputError);
}

TEST_CASE("machines are put together from parts", "[load]") {
    const TestData data;
    const LoadedCase loaded = load(data, {"small", "host"});
    const Machine& machine = loaded.value.machine;
    CHECK(machine.name == "Card, Card, Drive");
    REQUIRE(machine.memory.size() == 2);
    CHECK(machine.memory[1].name == "vram-2");
    REQUIRE(machine.storage.size() == 1);
    CHECK(machine.storage[0].rate == 6.0_GB_s); // the machine file's own
    CHECK(machine.compute.rate == 50.0_TFLOP_s);
    CHECK(source_text(loaded, "machine.memory.vram-2.bandwidth") == "card");
    CHECK(source_text(loaded, "machine.storage.nvme.rate") == "host");
    CHECK(source_text(loaded, "machine.compute.rate") == "card");

    data.write("hardware/bad.json", R"({"format": 1, "kind": "machine", "parts": ["crad", "drive"]})");
    CHECK(places(data, {"small", "bad"}) == Places{"hardware/bad.json /parts/0"});
    data.write("hardware/bad.json", R"({"format": 1, "kind": "machine", "parts": ["drive"]})");
    CHECK(places(data, {"small", "bad"}) == Places{"hardware/bad.json /compute"});
    data.write("hardware/bad.json",
               R"({"format": 1, "kind": "machine", "parts": ["drive"], "compute": {"rate": null}})");
    CHECK(places(data, {"small", "bad"}) == Places{"hardware/bad.json /memory"});
}

TEST_CASE("a scenario builds on its base", "[load]") {
    const TestData data;
    const LoadedCase loaded = load(data, {"small", "mac", "short"});
    CHECK(loaded.value.scenario.name == "short");
    CHECK(loaded.value.scenario.context == 4096.0);
    CHECK(loaded.value.scenario.prompt == 2048.0);
    CHECK(loaded.value.scenario.runtime.name == "plain");
    CHECK(places(data, {"small", "mac", "loop"}) == Places{"scenarios/loop.json /base"});
    data.write("scenarios/inline.json", R"({"format": 1, "kind": "scenario", "base": "default",
      "locality": {"name": "x", "curve": "fitted", "exponent": 2},
      "runtime": {"name": "mine", "t_layer": {}, "kv_share": 1, "read_path": "mmap", "lanes": 1, "pieces": 1,
                  "realised_share": 1, "overlap_decode": 0, "overlap_prefill": 0, "policy": "cache", "spills": false,
                  "micro_batch": 1, "working_memory": "0 B", "working_memory_share": 0}})");
    CHECK(places(data, {"small", "mac", "inline"}) == Places{"scenarios/inline.json /runtime/working_memory_share"});
    const LoadedCase inlined =
        load(data, {"small", "mac", "inline", "native", {"scenario.runtime.working_memory_share=null"}});
    CHECK(inlined.value.scenario.runtime.name == "mine");
    CHECK(inlined.value.scenario.locality.exponent == 2.0);
    CHECK(inlined.value.machine.memory[0].sustained == 0.7);
    data.write("scenarios/locality.json",
               R"({"format": 1, "kind": "scenario", "base": "default", "locality": {"name": "x", "curve": "fitted"}})");
    CHECK(places(data, {"small", "mac", "locality"}) == Places{"scenarios/locality.json /locality/exponent"});
}

TEST_CASE("quantizations: manifest, formats, bits", "[load]") {
    const TestData data;
    const auto chosen = [&](const std::string& name) { return load(data, {"small", "mac", "default", name}); };
    CHECK(chosen("q4").value.quantization.experts == 4.5);
    const LoadedCase mxfp4 = chosen("mxfp4");
    CHECK(mxfp4.value.quantization.experts == 4.25);
    CHECK_FALSE(mxfp4.value.quantization.experts_down);
    CHECK(mxfp4.value.quantization.rest == 16.0);
    CHECK(source_text(mxfp4, "quantization.experts") == "mx");
    CHECK(source_text(mxfp4, "quantization.embedding") == "native");
    const Quantization all = chosen("q8_0").value.quantization;
    CHECK(all.rest == 8.5);
    CHECK(all.embedding == 8.5);
    CHECK(all.drafter_rest == 8.5);
    CHECK(all.tables == 16.0); // lookup tables stay native
    const LoadedCase bits = chosen("2.5");
    CHECK(bits.value.quantization.experts == 2.5);
    CHECK(bits.value.quantization.rest == 16.0);
    CHECK(bits.source_of("quantization.experts")->basis == Basis::given);
    for (const char* name : {"0.4", "65", "nan", "q5", ""}) {
        INFO(name);
        CHECK(places(data, {"small", "mac", "default", name}) == Places{"-q "});
    }
}

TEST_CASE("a model without experts changes its backbone instead", "[load]") {
    const TestData data;
    data.write(
        "models/dense.json",
        R"({"format": 1, "kind": "model", "name": "Dense", "hidden": 64, "vocabulary": 1000, "tied_embedding": true,
      "blocks": [{"layers": "0-3", "dense_width": 128}], "quantizations": [{"name": "native", "experts": null, "rest": 16, "embedding": 16}]})");
    const Quantization quantization = load(data, {"dense", "mac", "default", "4"}).value.quantization;
    CHECK(quantization.rest == 4.0);
    CHECK(quantization.embedding == 16.0);
    CHECK_FALSE(quantization.experts);
}

TEST_CASE("settings change the case and are marked as given", "[load]") {
    const TestData data;
    const LoadedCase loaded =
        load(data, with({"scenario.runtime.lanes=4", "scenario.runtime=other", "scenario.locality=hot",
                         "scenario.context = 8192", "machine.memory.0.bandwidth=500 GB/s", "quantization.experts=3",
                         "model.blocks.1.experts.active=4"}));
    CHECK(loaded.value.scenario.runtime.name == "other");
    CHECK(loaded.value.scenario.runtime.lanes == 4.0); // whatever the order
    CHECK(loaded.value.scenario.locality.name == "hot");
    CHECK(loaded.value.alternatives.empty()); // the one in use is not listed again
    CHECK(loaded.value.scenario.context == 8192.0);
    CHECK(loaded.value.machine.memory[0].bandwidth == 500.0_GB_s);
    CHECK(loaded.value.machine.memory[0].sustained == 0.6);
    CHECK(loaded.value.quantization.experts == 3.0);
    CHECK(loaded.value.model.blocks[1].experts->active == 4);
    CHECK(source_text(loaded, "machine.memory.unified.bandwidth") == "--set");
    CHECK(source_text(loaded, "scenario.locality") == "traces");
    CHECK(load(data, with({"machine.memory.0.sustained=0.5"})).value.machine.memory[0].sustained == 0.5);
    CHECK(load(data, with({"scenario.alternatives=false"})).value.alternatives.empty());
    CHECK(load(data, with({"scenario.runtime.sustained.apple-gpu=null"})).value.machine.memory[0].sustained == 0.7);
    CHECK(places(data, with({"x", "machin.y=1", "scenario.contxt=1", "machine.memory.ram.usable=1 GB",
                             "model.hidden=0.5", "scenario.locality=warm"})) ==
          Places{"--set ", "--set machin.y", "--set scenario.locality", "--set scenario.contxt",
                 "--set machine.memory.ram.usable", "--set model.hidden"});
}

TEST_CASE("rules across fields", "[load]") {
    const TestData data;
    CHECK(places(data, with({"scenario.accepted=2"})) == Places{"--set scenario.accepted"});
    CHECK(places(data, with({"scenario.positions=4", "scenario.accepted=2"})).empty());
    CHECK(places(data, with({"scenario.context=100", "scenario.depth=200"})) == Places{"--set scenario.depth"});
    CHECK(places(data, with({"scenario.residency=0.5", "scenario.expert_budget=1 GiB"})) ==
          Places{"--set scenario.residency"});
    CHECK(places(data, with({"scenario.active_experts=17"})) == Places{"--set scenario.active_experts"});
    CHECK(places(data, with({"model.blocks.1.experts.active=17"})) == Places{"--set model.blocks.1.experts.active"});
    CHECK(places(data, with({"model.blocks.1.layers=0-2"})) == Places{"--set model.blocks.1.layers"});
    CHECK(places(data, with({"model.blocks.1.layers=2-3"})) == Places{"--set model.blocks.1.layers"});
    CHECK(places(data, with({"machine.memory.unified.usable=65 GiB"})) ==
          Places{"--set machine.memory.unified.usable"});
    CHECK(places(data, with({"scenario.runtime.working_memory_share=0.1"})) ==
          Places{"--set scenario.runtime.working_memory_share"});
    CHECK(places(data, with({"scenario.runtime.working_memory=null"})) ==
          Places{"--set scenario.runtime.working_memory"});
    CHECK(places(data, with({"scenario.runtime.working_memory=null", "scenario.working_memory=1 GiB"})).empty());
    CHECK(places(data, with({"scenario.locality=bent"})) == Places{"models/locality/bent.json /exponent"});
    data.write("models/locality/hot.json",
               R"({"format": 1, "kind": "locality", "name": "hot", "curve": "table", "model": "other",
      "points": [{"residency": 0.5, "miss_fraction": 0.2}, {"residency": 0.1, "miss_fraction": 0.6}]})");
    CHECK(places(data, with({"scenario.locality=hot"})) ==
          Places{"models/locality/hot.json /points/1/residency", "models/locality/hot.json /points/1/miss_fraction"});
    data.write("hardware/mac.json",
               R"({"format": 1, "kind": "machine", "name": "Mac", "memory": [], "compute": {"rate": null},
      "storage": [{"name": "ssd", "rate": null, "curve": [{"piece": "1 MB", "in_flight": 1, "rate": "1 GB/s"}, {"piece": "1 MB", "in_flight": 1, "rate": "2 GB/s"}]}],
      "sources": [{"of": "memry", "basis": "rated", "source": "x"}]})");
    CHECK(places(data, with({})) == Places{"hardware/mac.json /sources/0/of"});
}

namespace {

// What is read, written and read again is the same, written.
template <class File>
void check_round_trip(const fs::path& path) {
    INFO(path.filename().string());
    Problems problems;
    const auto json = read_json_file(path, path.filename().string(), problems);
    REQUIRE(json);
    const bool partial = json->value->contains("parts") || json->value->contains("base");
    ReadState state{json->shown, problems, {}, partial};
    const OrderedJson once = write_object(read_file_object<File>(state, *json->value));
    const OrderedJson twice = write_object(read_file_object<File>(state, nlohmann::json::parse(once.dump())));
    INFO(problems_text(problems));
    CHECK(problems.empty());
    CHECK(once == twice);
    // Text may be written another way, but no key is lost; "runtime" and "locality" names become objects.
    for (const auto& [key, value] : json->value->items()) {
        const bool may_vanish =
            value.is_null() || value == nlohmann::json::array() || value == 0 || value == false || value == "";
        if (!may_vanish && !value.is_string() && value != 1 && value != true) CHECK(once.contains(key));
    }
}

} // namespace

TEST_CASE("every shipped data file survives a round trip and loads", "[load][data]") {
    const char* const data = std::getenv("SPILLWAY_DATA");
    if (data == nullptr) {
        std::cout << "skipped: SPILLWAY_DATA is not set, so no shipped data files are read\n";
        return;
    }
    const Catalogue catalogue(data);
    const auto each = [&](FileKind kind, auto check) {
        for (const std::string& name : catalogue.names(kind))
            check(catalogue.root() / kind_directory(kind) / (name + ".json"));
    };
    each(FileKind::model, check_round_trip<ModelFile>);
    each(FileKind::machine, check_round_trip<MachineFile>);
    each(FileKind::part, check_round_trip<PartFile>);
    each(FileKind::runtime, check_round_trip<RuntimeFile>);
    each(FileKind::locality, check_round_trip<LocalityFile>);
    each(FileKind::formats, check_round_trip<FormatsFile>);

    LoadContext context{catalogue, {}};
    for (const std::string& name : catalogue.names(FileKind::model)) load_model(context, name);
    for (const std::string& name : catalogue.names(FileKind::machine)) load_machine(context, name);
    for (const std::string& name : catalogue.names(FileKind::locality)) load_locality(context, {name, "test", "", {}});
    for (const std::string& name : catalogue.names(FileKind::scenario)) {
        const auto scenario = load_scenario(context, {name, "", ""});
        if (!scenario) continue;
        ReadState state{name, context.problems, {}, false};
        const OrderedJson once = write_object(scenario->file.scenario);
        CHECK(write_object(read_file_object<Scenario>(state, nlohmann::json::parse(once.dump()))) == once);
    }
    INFO(problems_text(context.problems));
    CHECK(context.problems.empty());
}
