// The event simulation against the closed form where its assumptions hold, against sums worked by hand, and at limits.
#include "engine/routing.h"
#include "simulate/simulate.h"
#include "simulate/storage_queue.h"
#include "simulate/synthetic.h"
#include "simulate/token_groups.h"
#include "support/routes.h"
#include "support/synthetic.h"

#include "engine/estimate.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <memory>

using namespace spillway;
using namespace spillway::literals;

namespace {

// 10 layers, E = 100, k = 4 (support/synthetic.h); 10 MB an expert, a drive of 5 GB/s.
SyntheticRouting routing(std::uint64_t tokens) {
    SyntheticRouting r;
    r.layers = 10;
    r.experts = 100;
    r.top_k = 4;
    r.tokens = tokens;
    return r;
}

SimulationOptions uniform_options(std::uint32_t slots) {
    SimulationOptions options;
    options.slots = slots;
    options.measure_locality = false;
    return options;
}

Simulation run(const Case& c, const SimulationOptions& options, std::uint64_t tokens = 4000) {
    SyntheticSource source(routing(tokens));
    return simulate(c, source, options);
}

double deviation(const Simulation& s) {
    return s.decode.tokens_per_second / s.decode.closed_tokens_per_second.value() - 1.0;
}

Case with_times() {
    Case c = synthetic::one_pool();
    Runtime& r = c.scenario.runtime;
    for (auto& t : r.t_layer.values) t = 0.2_ms;
    r.t_layer_moe = 0.1_ms;
    r.t_sync = 0.3_ms;
    r.t_pass = 1.0_ms;
    return c;
}

std::string problem_of(const Case& c, RouteSource& source) {
    try {
        simulate(c, source, {});
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

} // namespace

TEST_CASE("the queue serves batches of lanes, by hand", "[simulate]") {
    // Rate = reads in flight: three pieces of 2 bytes on two lanes take 4 / 2 and then 2 / 1 seconds.
    StorageQueue queue(2.0, [](double, double in_flight) { return in_flight; });
    CHECK(queue.alone(3, 2.0) == Approx(4.0));
    const auto group = queue.submit(10.0, 3, 2.0, false);
    CHECK(queue.wait(10.0, group) == Approx(14.0));
    CHECK(queue.use().busy == Approx(4.0));
    CHECK(queue.use().outstanding == Approx(3 * 2 + 1 * 2));
    CHECK(queue.use().in_flight == Approx(2 * 2 + 1 * 2));
    CHECK(queue.use().bytes == Approx(6.0));
    CHECK(queue.wait(20.0, group) == Approx(20.0));
    CHECK(queue.wait(20.0, queue.submit(20.0, 0, 2.0, false)) == Approx(20.0));
}

TEST_CASE("what is waited for goes before what was guessed", "[simulate]") {
    StorageQueue queue(1.0, [](double, double) { return 1.0; });
    const auto ahead = queue.submit(0.0, 2, 1.0, true);
    queue.submit_wasted(0.0, 5, 1.0);
    const auto wanted = queue.submit(0.5, 1, 1.0, false);
    CHECK(queue.wait(0.5, wanted) == Approx(2.0)); // behind the read in flight
    CHECK(queue.wait(2.0, ahead) == Approx(3.0));
    CHECK(queue.use().bytes == Approx(3.0));
    // An idle drive and one that works event by event agree.
    StorageQueue busy(3.0, [](double, double in_flight) { return std::sqrt(in_flight); });
    busy.submit_wasted(0.0, 1, 1e-9);
    CHECK(busy.wait(0.0, busy.submit(0.0, 7, 1.0, false)) == Approx(busy.alone(7, 1.0)).epsilon(1e-3));
}

TEST_CASE("without overlap, cache and a second lane a step is the sum of its terms", "[simulate]") {
    Case c = with_times();
    c.scenario.runtime.lanes = 1.0;
    c.scenario.runtime.insertion_rate = 20.0_GB_s;
    const Simulation s = run(c, uniform_options(0), 50);
    Case closed = c;
    closed.scenario.residency = 0.0;
    const Decode d = evaluate(closed).decode;
    CHECK(s.decode.mean == Approx(d.step->value).epsilon(1e-12));
    CHECK(s.decode.p50 == Approx(d.step->value).epsilon(1e-12));
    CHECK(s.decode.p99 == Approx(d.step->value).epsilon(1e-12));
    // 402 MB + 100 MB from memory, 13 fixed parts, 400 MB from the drive, 400 MB inserted.
    const double resident = 502e6 / 100e9 + 10 * 0.3e-3 + 1e-3;
    CHECK(s.decode.split.resident == Approx(resident).epsilon(1e-12));
    CHECK(s.decode.split.sync == Approx(10 * 0.3e-3).epsilon(1e-12));
    CHECK(s.decode.split.waiting == Approx(400e6 / 5e9).epsilon(1e-12));
    CHECK(s.decode.split.insertion == Approx(400e6 / 20e9).epsilon(1e-12));
    CHECK(s.decode.split.hidden == 0.0);
    CHECK(s.decode.hits == 0);
    CHECK(s.decode.drive.bytes == Approx(400e6 * static_cast<double>(s.decode.steps)));
    CHECK(s.decode.drive.queue_depth == Approx(2.5)); // 4, 3, 2, 1 reads outstanding, equally long
    CHECK(s.decode.drive.in_flight == Approx(1.0));
    CHECK(s.decode.drive.utilisation == Approx(400e6 / 5e9 / d.step->value));
}

TEST_CASE("uniform routing: misses are 1 - r and the speed is the closed form's", "[simulate]") {
    for (const std::uint32_t slots : {90U, 75U, 50U, 10U}) {
        for (const double positions : {1.0, 4.0}) {
            Case c = with_times();
            c.scenario.positions = positions;
            c.scenario.accepted = positions > 1.0 ? 2.5 : 1.0;
            const Simulation s = run(c, uniform_options(slots), 8000);
            INFO("slots " << slots << ", positions " << positions);
            const double expected = s.decode.closed_miss_fraction.value();
            const double sigma = std::sqrt(expected * (1 - expected) / static_cast<double>(s.decode.lookups));
            CHECK(std::abs(s.decode.miss_fraction() - expected) < 4.0 * sigma);
            if (positions == 1.0) CHECK(expected == Approx(1.0 - slots / 100.0));
            CHECK(std::abs(deviation(s)) < 0.02);
            CHECK(s.closed_locality == "uniform routing");
        }
    }
}

TEST_CASE("the placement's slots are the default, rounded down", "[simulate]") {
    const Case c = synthetic::one_pool();
    SimulationOptions options = uniform_options(0);
    options.slots.reset();
    const Simulation s = run(c, options);
    const double placed = *evaluate(c).placement.slots_per_layer;
    CHECK(s.placed_slots == Approx(placed));
    CHECK(s.least_slots == static_cast<std::uint32_t>(placed));
    CHECK(s.residency == Approx(std::floor(placed) / 100.0));
    CHECK(std::abs(deviation(s)) < 0.02);
}

TEST_CASE("hit rate equals residency for every policy that does not see the future", "[simulate]") {
    for (const auto policy : {EvictionPolicy::lru, EvictionPolicy::fifo, EvictionPolicy::random}) {
        for (const auto scope : {CacheScope::per_layer, CacheScope::global}) {
            SimulationOptions options = uniform_options(60);
            options.policy = policy;
            options.scope = scope;
            const Simulation s = run(synthetic::one_pool(), options);
            // In one cache for all, a layer has just been robbed by the others when its turn comes: of the k m that it
            // inserts a cycle, half are missing from its mean share. m = 1 - r + k m / (2 E).
            const double expected = scope == CacheScope::global ? 0.4 / (1.0 - 4.0 / 200.0) : 0.4;
            const double sigma = std::sqrt(0.24 / static_cast<double>(s.decode.lookups));
            CHECK(std::abs(s.decode.miss_fraction() - expected) < 4.0 * sigma);
        }
    }
}

TEST_CASE("overlap and prefetch stay between the closed form's bounds", "[simulate]") {
    Case c = with_times();
    c.scenario.runtime.overlap_decode = 1.0;
    const Simulation all = run(c, uniform_options(0), 50);
    CHECK(all.decode.tokens_per_second == Approx(*all.decode.closed_tokens_per_second).epsilon(1e-9));

    c.scenario.runtime.overlap_decode = 0.0;
    c.scenario.runtime.prefetch_lookahead = 2.0;
    c.scenario.runtime.prefetch_recall = 0.7;
    c.scenario.runtime.prefetch_waste = 0.25;
    const Simulation guessed = run(c, uniform_options(90), 4000);
    Case closed = c;
    closed.scenario.residency = 0.9;
    closed.scenario.runtime.prefetch_waste = 0.0;
    const Decode d = evaluate(closed).decode;
    CHECK(guessed.decode.tokens_per_second < *d.full_overlap);
    CHECK(guessed.decode.tokens_per_second > 0.95 * *d.no_overlap);
    CHECK(guessed.decode.drive.bytes == Approx(1.25 * guessed.decode.missed_bytes).epsilon(0.03));
    CHECK(guessed.decode.split.hidden == 0.0); // what a prefetch hides is never waited for
    // The parts of a step add up.
    const TimeSplit& t = guessed.decode.split;
    CHECK(t.resident + t.sync + t.waiting + t.insertion - t.hidden ==
          Approx(guessed.decode.seconds / static_cast<double>(guessed.decode.steps)));
}

TEST_CASE("a perfect prefetch helps, and nobody beats the optimum", "[simulate]") {
    Case c = with_times();
    const double without = run(c, uniform_options(90)).decode.tokens_per_second;
    c.scenario.runtime.prefetch_lookahead = 1.0;
    c.scenario.runtime.prefetch_recall = 1.0;
    CHECK(run(c, uniform_options(90)).decode.tokens_per_second > without);
    SimulationOptions belady = uniform_options(50);
    belady.policy = EvictionPolicy::belady;
    CHECK(run(c, belady, 1000).decode.hits > run(c, uniform_options(50), 1000).decode.hits);
    SimulationOptions hot = uniform_options(50);
    hot.policy = EvictionPolicy::static_hot;
    CHECK(run(c, hot, 1000).decode.hits > 0);
}

TEST_CASE("prompt chunks read the missing pool again and meet the closed form", "[simulate]") {
    Case c = synthetic::one_pool();
    c.scenario.prompt = 2048;
    PromptedRoutes source(std::make_unique<SyntheticSource>(routing(2048 + 100)), 2048, std::vector<bool>(10, true));
    const Simulation s = simulate(c, source, uniform_options(60));
    REQUIRE(s.prefill);
    CHECK(s.prefill->chunks == 4);
    CHECK(s.prefill->tokens == 2048);
    CHECK(s.prefill->missed_bytes == Approx(10 * 10e6 * (100 + 3 * 40)));
    CHECK(*s.prefill->warm_tokens_per_second == Approx(*s.prefill->closed_tokens_per_second).epsilon(1e-6));
    CHECK(*s.prefill->tokens_per_second < *s.prefill->warm_tokens_per_second);
    CHECK(s.decode.tokens == 100);
    c.machine.compute = {};
    PromptedRoutes again(std::make_unique<SyntheticSource>(routing(1024)), 512, std::vector<bool>(10, true));
    const Simulation unknown = simulate(c, again, uniform_options(60));
    CHECK_FALSE(unknown.prefill->tokens_per_second);
    CHECK(unknown.prefill->drive.bytes > 0.0);
}

TEST_CASE("the same seed gives the same simulation, its windows cover all tokens", "[simulate]") {
    Case c = with_times();
    c.scenario.runtime.prefetch_lookahead = 1.0;
    c.scenario.runtime.prefetch_recall = 0.5;
    const Simulation a = run(c, uniform_options(50), 1000), b = run(c, uniform_options(50), 1000);
    CHECK(a.decode.mean == b.decode.mean);
    CHECK(a.decode.p99 == b.decode.p99);
    CHECK(a.info.synthetic);
    REQUIRE(a.decode.windows.size() == 20);
    std::uint64_t tokens = 0;
    for (const SpeedWindow& window : a.decode.windows) tokens += window.tokens;
    CHECK(tokens == 1000);
    CHECK(a.decode.warm_after == 256);
    CHECK(default_warm(0) == 0);
    CHECK(default_warm(2) == 1);
    CHECK(default_warm(4096) == 2048);
    CHECK(a.decode.p50 <= a.decode.p90);
    CHECK(a.decode.p90 <= a.decode.p99);
}

TEST_CASE("the closed form takes the miss curve of routes that are not uniform", "[simulate]") {
    SyntheticRouting zipf = routing(8000);
    zipf.kind = SyntheticKind::zipf;
    SyntheticSource source(zipf);
    SimulationOptions options;
    options.slots = 50;
    const Simulation s = simulate(with_times(), source, options);
    CHECK(s.decode.miss_fraction() < 0.4);
    CHECK(std::abs(deviation(s)) < 0.02);
    CHECK(s.closed_locality != "uniform routing");
}

TEST_CASE("routes of another model are refused, naming both", "[simulate]") {
    const Case c = synthetic::one_pool();
    SyntheticRouting other = routing(10);
    other.layers = 7;
    SyntheticSource layers(other);
    CHECK(problem_of(c, layers).find("7 layers against the model's 10") != std::string::npos);
    other = routing(10);
    other.experts = 64;
    SyntheticSource experts(other);
    CHECK(problem_of(c, experts).find("64 experts per layer against the model's 100") != std::string::npos);
    other = routing(10);
    other.top_k = 6;
    SyntheticSource active(other);
    CHECK(problem_of(c, active).find("6 experts per token against the model's 4") != std::string::npos);
    std::vector<test::ListedRoutes::Listed> routes;
    for (std::uint32_t layer = 0; layer < 10; ++layer) routes.push_back({layer, {1, 2, 3, layer == 9 ? 100U : 4U}});
    test::ListedRoutes listed(routes);
    CHECK(problem_of(c, listed).find("expert 100 against the model's 100 experts") != std::string::npos);
    Case sequences = c;
    sequences.scenario.sequences = 2;
    SyntheticSource fine(routing(10));
    CHECK(problem_of(sequences, fine).find("one sequence") != std::string::npos);
}

TEST_CASE("experts read in pieces take the drive's rate at that piece", "[simulate]") {
    Case c = with_times();
    c.scenario.runtime.lanes = 1.0;
    c.scenario.runtime.pieces = 2.0;
    c.machine.storage[0].curve = {{Bytes(5e6), 1, BytesPerSecond(2e9)}, {Bytes(10e6), 1, BytesPerSecond(5e9)}};
    const Simulation s = run(c, uniform_options(0), 50);
    CHECK(s.decode.split.waiting == Approx(400e6 / 2e9).epsilon(1e-9));
    c.scenario.residency = 0.0;
    CHECK(s.decode.mean == Approx(evaluate(c).decode.step->value).epsilon(1e-9));
}

TEST_CASE("a prompt that computes longer than it reads hides a share of its reading", "[simulate]") {
    Case c = synthetic::one_pool();
    c.machine.compute.rate = FlopsPerSecond(1e11); // 5.12 s a chunk, beside 0.8 s of reading
    c.scenario.prompt = 2048;
    c.scenario.runtime.overlap_prefill = 0.5;
    PromptedRoutes source(std::make_unique<SyntheticSource>(routing(2048 + 100)), 2048, std::vector<bool>(10, true));
    const Simulation s = simulate(c, source, uniform_options(60));
    REQUIRE(s.prefill);
    CHECK(*s.prefill->warm_tokens_per_second == Approx(*s.prefill->closed_tokens_per_second).epsilon(1e-6));
    CHECK(*s.prefill->warm_tokens_per_second == Approx(512 / (5.12 + 0.4)).epsilon(1e-6));
}

TEST_CASE("a layer that holds all its experts asks nobody what is missing", "[simulate]") {
    Case c = with_times();
    const Simulation all = run(c, uniform_options(100), 2000);
    CHECK(all.decode.split.sync == 0.0);
    CHECK(all.decode.mean == Approx(502e6 / 100e9 + 10 * 0.3e-3 + 1e-3).epsilon(1e-3));
}
