// What others measured near a case: which rows are the nearest, before and after they are read, and what a report says.
#include "report/nearby.h"
#include "support/problem_text.h"
#include "validate/nearest.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace spillway;
using synthetic::mentions;

namespace {

const std::string kSample = std::string(SPILLWAY_TESTS_DIR) + "/data/measured/sample.json";

MeasuredSet sample() {
    Problems problems;
    MeasuredSet set = read_measured({kSample}, Catalogue(data_root("")), problems);
    throw_if_any(problems);
    return set;
}

// A folder of its own, removed at the end.
struct Folder {
    std::filesystem::path path;
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "spillway-nearest-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~Folder() { std::filesystem::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
};

} // namespace

TEST_CASE("the nearest rows are one of each kind, at the nearest depth and width", "[validate]") {
    const MeasuredSet set = sample();
    const Catalogue catalogue(data_root(""));
    CaseRequest request;
    request.model = "glm-4.7-flash";
    request.machine = "strix-halo-128gb";
    request.quantization = "8.5";
    request.settings = {"scenario.runtime=llama.cpp-rocm"};
    const auto near = nearest_runs(set, load_case(request, catalogue));
    REQUIRE(near.size() == 2); // no other model on that machine; the model also with another engine there
    CHECK(near[0].nearness == Nearness::this_case);
    CHECK(near[0].run.id == "sample-strix-flash-q8");
    CHECK(near[0].source == "kyuz0/amd-strix-halo-toolboxes benchmark/results");
    CHECK(near[1].nearness == Nearness::this_model);
    CHECK(near[1].run.id == "sample-strix-flash-q8-vulkan");

    request.settings.push_back("scenario.depth=30000");
    CHECK(nearest_runs(set, load_case(request, catalogue))[0].run.id == "sample-strix-flash-q8-d");

    request.model = "llama-3.1-8b";
    const auto other = nearest_runs(set, load_case(request, catalogue));
    REQUIRE(other.size() == 2);
    CHECK(other[0].nearness == Nearness::this_machine);
    CHECK(other[0].run.model == "glm-4.7-flash");
    CHECK(other[1].nearness == Nearness::this_model);
    CHECK(other[1].run.id != "sample-hot-phone"); // no evidence

    request.model = "qwen3-30b-a3b";
    request.machine = "apple-m5-16gb";
    CHECK(nearest_runs(set, load_case(request, catalogue)).empty());
}

TEST_CASE("a report says what others measured, in one sentence per row", "[validate]") {
    const MeasuredSet set = sample();
    CaseRequest request;
    request.model = "llama-3.1-8b";
    request.machine = "strix-halo-128gb";
    request.quantization = "16";
    request.settings = {"scenario.runtime=llama.cpp-rocm"};
    const auto near = nearest_runs(set, load_case(request, Catalogue(data_root(""))));
    const std::vector<std::string> texts = nearby_texts(near);
    REQUIRE(texts.size() == 2);
    CHECK(texts[0] == "this machine and engine, glm-4.7-flash: 23.2 tok/s decode, 422 tok/s prefill (16; prompt=512; "
                      "2026-05-16; kyuz0/amd-strix-halo-toolboxes benchmark/results)");
    CHECK(texts[1] == "this model on rtx-4090-host-128gb, llama.cpp-cuda: 65.2 tok/s decode (16; 2025-08; "
                      "ggml-org/llama.cpp PR #15131)");
    const auto json = nearby_json(near);
    REQUIRE(json.size() == 2);
    CHECK(json[1]["nearness"] == "this_model");
    CHECK(json[1]["decode_tokens_per_second"] == 65.2);
    CHECK(json[1]["prefill_tokens_per_second"].is_null());
    CHECK(mentions(nearby_texts({}).at(0), "nothing like this case"));
    CHECK(nearby_json({}).empty());
}

TEST_CASE("rows looked at before they are read are as near as those read", "[validate]") {
    const Folder elsewhere;
    const auto folder = elsewhere.path / "scenarios" / "measured";
    std::filesystem::create_directories(folder);
    std::filesystem::copy_file(kSample, folder / "sample.json");
    std::ofstream(folder / "broken.json") << "{";
    const Catalogue own(elsewhere.path), shipped(data_root(""));
    const MeasuredSet set = sample();
    std::size_t rows = 0;
    for (const char* model : {"glm-4.7-flash", "llama-3.1-8b", "llama-3.3-70b", "qwen3.8-flash-next", "gpt-oss-20b"}) {
        for (const char* machine : {"strix-halo-128gb", "apple-m4-16gb", "dgx-spark-128gb"}) {
            for (const char* runtime : {"generic", "llama.cpp-rocm", "mlx"}) {
                CaseRequest request;
                request.model = model;
                request.machine = machine;
                request.settings = {std::string("scenario.runtime=") + runtime, "scenario.depth=16000"};
                const LoadedCase loaded = load_case(request, shipped);
                const auto read = nearest_runs(set, loaded);
                const auto looked_at = nearest_runs(own, loaded);
                REQUIRE(looked_at);
                REQUIRE(looked_at->size() == read.size());
                for (std::size_t i = 0; i < read.size(); ++i) {
                    CHECK((*looked_at)[i].run.id == read[i].run.id);
                    CHECK((*looked_at)[i].nearness == read[i].nearness);
                    CHECK((*looked_at)[i].source == read[i].source);
                    CHECK((*looked_at)[i].run.measured.decode == read[i].run.measured.decode);
                    ++rows;
                }
            }
        }
    }
    CHECK(rows > 20);
    const Folder nothing;
    CaseRequest request;
    request.model = "gpt-oss-20b";
    request.machine = "apple-m4-16gb";
    CHECK_FALSE(nearest_runs(Catalogue(nothing.path), load_case(request, shipped)));
}
