// The replay rule: one global LRU in bytes, the prompt as one batch per layer. Checked on the committed synthetic trace
// against brute-force answers, and on three real traces against the hit rates that their repository publishes.
#include "io/json_file.h"
#include "simulate/cache.h"
#include "simulate/curves.h"
#include "simulate/read_trace.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>

using namespace spillway;

namespace {

const std::string kData = std::string(SPILLWAY_TESTS_DIR) + "/data/";

struct Replayed {
    std::uint64_t hits = 0, lookups = 0, missed_bytes = 0;
};

Replayed replay_bytes(const std::string& path, std::uint64_t budget) {
    const auto source = open_trace({path, TraceFormat::automatic, {}, {}});
    std::optional<ExpertCache> cache;
    Replayed result;
    CurveOptions options;
    options.longest_window = 0;
    options.observer = [&](const LayerStep& step) {
        if (!cache) {
            CacheOptions cached;
            cached.scope = CacheScope::global;
            cached.experts = *source->info().experts;
            cached.expert_sizes = source->info().expert_bytes;
            cached.budget = {budget};
            cache.emplace(cached);
        }
        const CacheStep done = cache->access(step.layer, step.experts);
        result.hits += done.hits;
        result.lookups += step.experts.size();
        result.missed_bytes += done.missed_size;
    };
    trace_curves(*source, options);
    CHECK(source->malformed().count == 0);
    return result;
}

nlohmann::json answers() {
    Problems problems;
    const auto file = read_json_file(kData + "synthetic.route.json", "synthetic.route.json", problems);
    REQUIRE(file);
    return *file->value;
}

} // namespace

TEST_CASE("the committed synthetic trace replays as brute force says, with unequal sizes", "[trace][published]") {
    const nlohmann::json all = answers();
    for (const auto& expected : all["budgets"]) {
        const Replayed replayed = replay_bytes(kData + "synthetic.route.csv", expected["bytes"]);
        INFO("budget " << expected["bytes"]);
        CHECK(replayed.hits == expected["hits"].get<std::uint64_t>());
        CHECK(replayed.lookups == expected["lookups"].get<std::uint64_t>());
        CHECK(replayed.missed_bytes == expected["missed_bytes"].get<std::uint64_t>());
    }
}

TEST_CASE("the committed synthetic trace's curves are those of brute force", "[trace][published]") {
    const nlohmann::json expected = answers();
    const auto source = open_trace({kData + "synthetic.route.csv", TraceFormat::automatic, {}, {}});
    const TraceCurves curves = trace_curves(*source, CurveOptions{});
    REQUIRE(curves.layers.size() == expected["layers"].size());
    CHECK(curves.experts == 12);
    CHECK(curves.info.synthetic);
    for (std::size_t i = 0; i < curves.layers.size(); ++i) {
        const LayerCurves& layer = curves.layers[i];
        const auto& e = expected["layers"][i];
        CHECK(layer.warm_after == expected["warm_after"].get<std::uint64_t>());
        CHECK(layer.cold.lookups == e["lookups_cold"].get<std::uint64_t>());
        CHECK(layer.warm.lookups == e["lookups_warm"].get<std::uint64_t>());
        for (std::size_t c = 0; c <= 12; ++c) {
            CHECK(layer.cold.missed_with(static_cast<double>(c)) == e["cold"][c].get<double>());
            CHECK(layer.warm.missed_with(static_cast<double>(c)) == e["warm"][c].get<double>());
        }
        REQUIRE(layer.distinct.size() == e["distinct"].size());
        for (std::size_t t = 0; t < layer.distinct.size(); ++t)
            CHECK(layer.distinct[t] == Approx(e["distinct"][t].get<double>()).margin(1e-12));
    }
}

// Published hit rates of Helldez/BigMoeOnEdge (docs/bench-data/2026-07-15-route-trace) at the budgets it names, within
// 0.1 points. The traces are not ours to ship: ROUTE_TRACES names a folder that has them.
TEST_CASE("real traces give their published hit rates", "[trace][published]") {
    struct Published {
        const char* file;
        double mebibytes, hit_rate;
    };
    const char* stated = std::getenv("ROUTE_TRACES");
    const std::filesystem::path folder = stated ? stated : "";
    for (const Published& p :
         {Published{"bigmoe_gptoss.route.csv", 3000, 0.3235}, Published{"bigmoe_qwen.route.csv", 4000, 0.7489},
          Published{"bigmoe_gemma.route.csv", 4000, 0.7678}}) {
        if (!std::filesystem::exists(folder / p.file)) {
            std::cout << p.file << ": skipped, the trace is not here\n";
            continue;
        }
        const Replayed replayed =
            replay_bytes((folder / p.file).string(), static_cast<std::uint64_t>(p.mebibytes * 1048576.0));
        INFO(p.file);
        CHECK(static_cast<double>(replayed.hits) / static_cast<double>(replayed.lookups) ==
              Approx(p.hit_rate).margin(0.001));
    }
}
