// Paths into a Case, setting leaves from text, and "did you mean".
#include "text/near.h"
#include "text/path_walk.h"
#include "text/paths.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace spillway;
using namespace spillway::literals;

namespace {

Case small_case() {
    Case c;
    c.machine.memory = {{"vram", Processor::nvidia_gpu, 24.0_GiB, 23.0_GiB, {}, "", 1000.0_GB_s, 0.9},
                        {"ram", Processor::cpu_desktop, 64.0_GiB, 60.0_GiB, {}, "", 80.0_GB_s, {}}};
    c.machine.storage = {{"nvme.0", 6.0_GB_s, {}}};
    Block dense, routed;
    dense.layers.numbers = {0};
    routed.layers.numbers = {1, 2, 3};
    routed.experts = Experts{64, 8, 3, 1024, 512};
    c.model.blocks = {dense, routed};
    c.model.quantizations.emplace_back();
    c.model.quantizations.back().name = "native";
    c.scenario.runtime.t_layer.values[2] = 20.0_us;
    return c;
}

std::string set_problem(Case& c, std::string_view path, std::string_view text) {
    const auto problem = set_field(c, path, text);
    return problem ? problem->message : "";
}

} // namespace

TEST_CASE("list elements are named by name or index", "[paths]") {
    Case c = small_case();
    for (const char* path : {"machine.memory.ram.bandwidth", "machine.memory.1.bandwidth"}) {
        const auto field = number_field(c, path);
        REQUIRE(field);
        CHECK(field->get() == 80e9);
        CHECK(field->unit == Unit::bytes_per_second);
        CHECK_FALSE(field->whole);
    }
    CHECK(canonical_path(c, "machine.memory.1.bandwidth") == "machine.memory.ram.bandwidth");
    CHECK(canonical_path(c, "machine.memory.1") == "machine.memory.ram");
    CHECK(canonical_path(c, "model.blocks.1.experts.active") == "model.blocks.1.experts.active");
    CHECK(canonical_path(c, "machine.memroy").empty());
    CHECK(number_field(c, "machine.storage.nvme.0.rate"));
    CHECK(number_field(c, "machine.storage.0.rate"));
    CHECK_FALSE(number_field(c, "machine.memory.2.bandwidth"));
    CHECK_FALSE(number_field(c, "machine.memory.-1.bandwidth"));
    CHECK_FALSE(number_field(c, "machine.memory."));
    CHECK_FALSE(number_field(c, ""));
}

TEST_CASE("a number field says what its emptiness means, and whether it is whole", "[paths]") {
    Case c = small_case();
    for (const char* path : {"machine.memory.ram.usable", "machine.memory.ram.sustained", "quantization.experts",
                             "scenario.runtime.t_layer.apple-gpu"}) {
        INFO(path);
        CHECK(number_field(c, path)->empty_is_unknown);
    }
    for (const char* path : {"scenario.runtime.insertion_rate", "scenario.chunk", "scenario.residency",
                             "scenario.runtime.t_pass", "quantization.experts_down"}) {
        INFO(path);
        CHECK_FALSE(number_field(c, path)->empty_is_unknown);
    }
    for (const char* path : {"scenario.context", "scenario.prompt", "scenario.sequences", "scenario.positions"})
        CHECK(number_field(c, path)->whole);
    CHECK_FALSE(number_field(c, "scenario.depth")->whole);
}

TEST_CASE("an element that shares its name with an earlier one keeps its index", "[paths]") {
    Case c = small_case();
    c.machine.memory[1].name = "vram";
    CHECK(canonical_path(c, "machine.memory.1.usable") == "machine.memory.1.usable");
    CHECK(canonical_path(c, "machine.memory.0.usable") == "machine.memory.vram.usable");
}

TEST_CASE("number fields read and write the case", "[paths]") {
    Case c = small_case();
    const auto sustained = number_field(c, "machine.memory.ram.sustained");
    REQUIRE(sustained);
    CHECK_FALSE(sustained->get());
    CHECK(sustained->maximum == 1.0);
    sustained->set(0.7);
    CHECK(c.machine.memory[1].sustained == 0.7);

    const auto active = number_field(c, "model.blocks.1.experts.active");
    REQUIRE(active);
    CHECK(active->whole);
    active->set(4.0);
    CHECK(c.model.blocks[1].experts->active == 4);

    const auto per_layer = number_field(c, "scenario.runtime.t_layer.nvidia-gpu");
    REQUIRE(per_layer);
    per_layer->set(1e-5);
    CHECK(c.scenario.runtime.t_layer.values[2] == Seconds(1e-5));

    const auto context = number_field(c, "scenario.context");
    REQUIRE(context);
    CHECK(context->whole);
    CHECK(context->unit == Unit::count);
}

TEST_CASE("every listed number path leads to a number field, in canonical form", "[paths]") {
    Case c = small_case();
    const std::vector<std::string> paths = number_paths(c);
    for (const std::string& path : paths) {
        INFO(path);
        CHECK(number_field(c, path));
        CHECK_FALSE(number_problem(c, path));
        CHECK(canonical_path(c, path) == path);
    }
    const auto has = [&](std::string_view path) { return std::find(paths.begin(), paths.end(), path) != paths.end(); };
    CHECK(has("machine.memory.vram.bandwidth"));
    CHECK(has("machine.storage.nvme.0.rate"));
    CHECK(has("quantization.experts"));
    CHECK(has("scenario.residency"));
    CHECK_FALSE(has("model.blocks.0.experts.active"));
    CHECK_FALSE(has("model.quantizations.native.experts"));
    CHECK_FALSE(has("scenario.runtime.sustained.nvidia-gpu"));
}

TEST_CASE("why a path is no number", "[paths]") {
    Case c = small_case();
    const auto message = [&](std::string_view path) { return number_problem(c, path).value_or(PathProblem{}).message; };
    CHECK(message("machine.memory.vramm.bandwidth") ==
          "there is no \"vramm\" in \"machine.memory\"; did you mean \"vram\"?");
    CHECK(message("scenario.contxt") == "there is no \"contxt\" in \"scenario\"; did you mean \"context\"?");
    CHECK(message("machine.memory.vram") == "is not one value");
    CHECK(message("machine.compute.rate.x") == "\"machine.compute.rate\" is one value, it has no fields");
    CHECK(message("model.blocks.0.experts.active") == "\"model.blocks.0.experts\" is null here, so it has no fields");
    CHECK(message("machine.links.pcie.rate") == "\"machine.links\" is an empty list");
    CHECK(message("scenario.kv_format") == "is not a number");
    CHECK_FALSE(message("model.quantizations.native.experts").empty());
    CHECK_FALSE(message("scenario.runtime.sustained.nvidia-gpu").empty());
}

TEST_CASE("leaves are set from text", "[paths]") {
    Case c = small_case();
    CHECK(set_problem(c, "machine.memory.vram.usable", "20 GiB").empty());
    CHECK(c.machine.memory[0].usable == 20.0_GiB);
    CHECK(set_problem(c, "machine.memory.vram.usable", "null").empty());
    CHECK_FALSE(c.machine.memory[0].usable);
    CHECK(set_problem(c, "machine.memory.vram.sustained", "91 %").empty());
    CHECK(c.machine.memory[0].sustained == 0.91);
    CHECK(set_problem(c, "scenario.kv_format", "q8_0").empty());
    CHECK(c.scenario.kv_format == KvFormat::q8_0);
    CHECK(set_problem(c, "scenario.use_other_parts", "true").empty());
    CHECK(c.scenario.use_other_parts);
    CHECK(set_problem(c, "model.blocks.1.layers", "1-2, 5").empty());
    CHECK(c.model.blocks[1].layers.numbers == std::vector<int>{1, 2, 5});
    CHECK(set_problem(c, "quantization.experts", "2.5").empty());
    CHECK(c.quantization.experts == 2.5);
    CHECK(set_problem(c, "scenario.runtime.sustained.nvidia-gpu", "0.8").empty());
}

TEST_CASE("text that does not fit a leaf changes nothing", "[paths]") {
    Case c = small_case();
    CHECK(set_problem(c, "machine.memory.vram.sustained", "1.2") == "must be between 1e-06 and 1");
    CHECK(set_problem(c, "scenario.context", "1.5") == "must be a whole number");
    CHECK(set_problem(c, "scenario.context", "-1") == "must be between 1 and 1000000000");
    CHECK(set_problem(c, "scenario.context", "32k") == "is not a whole number");
    CHECK(set_problem(c, "scenario.runtime.lanes", "nan") == "must be finite");
    CHECK(set_problem(c, "scenario.kv_format", "q8") == "is not a known name; did you mean \"q8_0\"?");
    CHECK(set_problem(c, "scenario.use_other_parts", "yes") == "must be true or false");
    CHECK(set_problem(c, "scenario.runtime.sustained.nvidia-gpu", "1.1") == "must be between 1e-06 and 1");
    CHECK(set_problem(c, "model.blocks.1.layers", "2, 1") == "layers must be ascending, each named once");
    for (const char* text : {"", "a", "1-", "-1", "3-2", "1,,2", "1 2", "99999"}) {
        INFO(text);
        CHECK_FALSE(set_problem(c, "model.blocks.1.layers", text).empty());
    }
    for (const char* text : {"24", "24 G", "24 Gb", "24 GB/s", "null"}) {
        INFO(text);
        CHECK_FALSE(set_problem(c, "machine.memory.vram.capacity", text).empty());
    }
    CHECK(c.machine.memory[0].capacity == 24.0_GiB);
    CHECK(c.scenario.context == 32768.0);
    CHECK(c.model.blocks[1].layers.numbers == std::vector<int>{1, 2, 3});
    CHECK_FALSE(set_problem(c, "model.quantizations.native.experts", "4").empty());
    CHECK_FALSE(c.model.quantizations[0].experts);
}

TEST_CASE("layer sets print as they are read", "[paths]") {
    for (const char* text : {"0", "0-2", "0-2, 6", "1, 3, 5-7"}) {
        LayerSet layers;
        CHECK_FALSE(read_layers(text, layers));
        CHECK(print_layers(layers) == text);
    }
}

TEST_CASE("near names come nearest first", "[near]") {
    const std::vector<std::string> names = {"kimi-k2", "kimi-k3", "glm-5.2", "deepseek-v4-pro", "deepseek-v4-flash"};
    CHECK(near_matches("kimi-k22", names) == std::vector<std::string>{"kimi-k2", "kimi-k3"});
    CHECK(near_matches("kimik3", names).front() == "kimi-k3");
    CHECK(near_matches("GLM-5.2", names) == std::vector<std::string>{"glm-5.2"});
    CHECK(near_matches("v4-pro", names) == std::vector<std::string>{"deepseek-v4-pro"});
    CHECK(near_matches("llama", names).empty());
    CHECK(near_matches("", names).empty());
    CHECK(near_matches(std::string(100000, 'k'), names).empty());
    CHECK(did_you_mean("kimi-k4", names) == "did you mean \"kimi-k2\" or \"kimi-k3\"?");
    CHECK(did_you_mean("mistral", names).empty());
}
