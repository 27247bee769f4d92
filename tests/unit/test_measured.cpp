// The reader of published runs: what a row means as a case, and that all mistakes of all rows are told together.
#include "engine/estimate.h"
#include "io/measured.h"
#include "io/read_fields.h"
#include "io/write_fields.h"
#include "support/problem_text.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>

using namespace spillway;
using synthetic::mentions;

namespace {

const std::string kSample = std::string(SPILLWAY_TESTS_DIR) + "/data/measured/sample.json";
const std::string kBad = std::string(SPILLWAY_TESTS_DIR) + "/data/measured/bad.json";

std::map<std::string, LoadedCase> stated(const MeasuredSet& set, Problems& problems) {
    std::map<std::string, LoadedCase> cases;
    state_runs(
        set, Catalogue(data_root("")), [&](StatedRun&& s) { cases.emplace(s.run.id, std::move(s.loaded)); }, problems);
    return cases;
}

} // namespace

TEST_CASE("a row of a measured file is the case that the same flags would give", "[measured]") {
    const Catalogue catalogue(data_root(""));
    Problems problems;
    const MeasuredSet set = read_measured({kSample}, catalogue, problems);
    const auto cases = stated(set, problems);
    INFO((problems.empty() ? std::string() : problems_text(problems)));
    REQUIRE(problems.empty());
    REQUIRE(set.size() == 1);
    CHECK(set[0].id == "sample");
    REQUIRE(set[0].file.runs.size() == 12);
    // The row that cannot be stated is kept and not loaded; the one that is no evidence is.
    CHECK(cases.size() == 11);
    CHECK(cases.count("sample-two-boxes") == 0);
    CHECK(cases.count("sample-hot-phone") == 1);

    CaseRequest request;
    request.model = "glm-4.7-flash";
    request.machine = "strix-halo-128gb";
    request.quantization = "8.866";
    request.settings = {"scenario.runtime=llama.cpp-rocm", "quantization.rest=16", "scenario.depth=32768",
                        "scenario.context=34816"};
    const LoadedCase& row = cases.at("sample-strix-flash-q8-d");
    const auto by_flags = evaluate(load_case(request, catalogue).value).decode.tokens_per_second;
    REQUIRE(by_flags);
    CHECK(evaluate(row.value).decode.tokens_per_second == by_flags);
    CHECK(row.machine_id == "strix-halo-128gb");
    CHECK(row.value.alternatives.empty());
}

TEST_CASE("units and sources of a measured row", "[measured]") {
    Problems problems;
    const MeasuredSet set = read_measured({kSample}, Catalogue(data_root("")), problems);
    REQUIRE(problems.empty());
    const auto& runs = set[0].file.runs;
    CHECK(runs[0].measured.decode == PerSecond(23.17));
    CHECK(runs[0].measured.prefill == PerSecond(422.28));
    CHECK_FALSE(runs[2].measured.prefill);
    CHECK(runs[8].measured.missed_per_token == Bytes(561e6));
    CHECK(runs[8].measured.storage_per_token == Seconds(0.0675));
    CHECK(source_of(set[0], runs[0]) == "kyuz0/amd-strix-halo-toolboxes benchmark/results");
    CHECK(source_of(set[0], runs[4]) == "ggml-org/llama.cpp PR #15131");
    CHECK(runs[0].is_evidence());
    CHECK_FALSE(runs[10].is_evidence());
    CHECK_FALSE(runs[11].is_evidence());
}

TEST_CASE("a measured file that is written reads back the same", "[measured]") {
    const Catalogue catalogue(data_root(""));
    Problems problems;
    const MeasuredSet set = read_measured({kSample}, catalogue, problems);
    ReadState state{"again", problems, {}, false};
    const OrderedJson written = write_object(set[0].file);
    const auto again = read_file_object<MeasuredFile>(state, nlohmann::json::parse(written.dump()));
    REQUIRE(problems.empty());
    CHECK(write_object(again) == written);
}

TEST_CASE("a machine written out in the file serves its rows", "[measured]") {
    Problems problems;
    const MeasuredSet set = read_measured({kSample}, Catalogue(data_root("")), problems);
    const auto cases = stated(set, problems);
    const LoadedCase& row = cases.at("sample-7950x-8b");
    CHECK(row.machine_id == "ryzen-7950x-ddr5-5200");
    REQUIRE(row.value.machine.memory.size() == 1);
    CHECK(row.value.machine.memory[0].bandwidth == BytesPerSecond(83.2e9));
    // The pool's share is unknown in the file and known to the runtime.
    CHECK(row.value.machine.memory[0].sustained == 0.68);
}

TEST_CASE("all mistakes of all rows are told together", "[measured]") {
    Problems problems;
    const MeasuredSet set = read_measured({kBad}, Catalogue(data_root("")), problems);
    stated(set, problems);
    const auto told = [&](const std::string& pointer, const std::string& what) {
        return std::count_if(problems.begin(), problems.end(), [&](const Problem& p) {
            return p.file == kBad && p.pointer == pointer && mentions(p.message, what);
        });
    };
    INFO(problems_text(problems));
    CHECK(told("/runs/0/model", "there is no model \"llama-3.1-8\"") == 1);
    CHECK(told("/runs/1/machine", "there is no machine \"aple-m4-16gb\"") == 1);
    CHECK(told("/runs/2/runtime", "there is no runtime \"mlxx\"") == 1);
    CHECK(told("/runs/3/measured/decode", "no unit: write \"9 tok/s\"") == 1);
    CHECK(told("/runs/4/measured/decode", "number without a unit") == 1);
    CHECK(told("/runs/5/measured/prefill", "unit \"t/s\" is not known: write \"9 tok/s\"") == 1);
    CHECK(told("/runs/6/measured", "states no outcome") == 1);
    CHECK(told("/runs/8/id", "is the id of another row") == 1);
    CHECK(told("/runs/9/settings", "scenario.residency: must be between 0 and 1") == 1);
    CHECK(told("/runs/10/settings", "has no \"=\"") == 1);
    CHECK(told("/runs/11/quant", "q99") == 1);
    CHECK(told("/runs/12/kind", "is not a known name; did you mean \"resident\"") == 1);
    CHECK(told("/runs/12/measured/speed", "is not a known key") == 1);
    CHECK(problems.size() == 13);
}

TEST_CASE("cases loaded through the cache are those loaded alone", "[measured]") {
    const Catalogue catalogue(data_root(""));
    CaseCache cache;
    const std::string names[] = {"qwen3-30b-a3b", "glm-4.7-flash", "qwen3-30b-a3b"};
    for (const std::string& model : names) {
        for (const char* runtime : {"mlx", "streamer-direct", "mlx"}) {
            CaseRequest request;
            request.model = model;
            request.machine = "apple-m4-16gb";
            request.quantization = "q4_k";
            request.settings = {std::string("scenario.runtime=") + runtime};
            const LoadedCase cached = load_case(request, catalogue, cache), alone = load_case(request, catalogue);
            CHECK(evaluate(cached.value).decode.tokens_per_second == evaluate(alone.value).decode.tokens_per_second);
            CHECK(cached.sources.size() == alone.sources.size());
            CHECK(cached.value.alternatives.size() == alone.value.alternatives.size());
            CHECK(cached.model_id == alone.model_id);
            CHECK(cached.data_digest.empty());
        }
    }
}
