// Speed of the event simulation: 10,000 tokens of a model of 40 layers, E = 384, k = 6, on one core. Drawing the routes
// is part of it.
#include "simulate/simulate.h"
#include "simulate/synthetic.h"

#include <benchmark/benchmark.h>

namespace {

using namespace spillway;

// One pool that holds three quarters of the experts, a drive whose rate follows the reads in flight.
Case forty_layers(bool prefetch) {
    Case c;
    MemoryPool pool;
    pool.capacity = Bytes(256e9);
    pool.usable = pool.capacity;
    pool.bandwidth = BytesPerSecond(400e9);
    pool.sustained = 0.8;
    c.machine.memory = {pool};
    Drive drive;
    drive.rate = BytesPerSecond(6e9);
    for (const double in_flight : {1.0, 2.0, 4.0, 8.0}) {
        drive.curve.push_back({Bytes(1e6), in_flight, BytesPerSecond(1e9 * in_flight)});
    }
    c.machine.storage = {drive};
    Block block;
    for (int i = 0; i < 40; ++i) block.layers.numbers.push_back(i);
    block.experts = Experts{384, 6, 3, 4096, 2048};
    c.model.hidden = 4096;
    c.model.vocabulary = 100000;
    c.model.blocks = {block};
    c.quantization.experts = 4.5;
    c.quantization.rest = 8.0;
    c.quantization.embedding = 8.0;
    c.scenario.residency = 0.75;
    Runtime& r = c.scenario.runtime;
    for (auto& t : r.t_layer.values) t = Seconds(1e-4);
    r.working_memory = Bytes(0.0);
    r.lanes = 8.0;
    if (prefetch) {
        r.prefetch_lookahead = 1.0;
        r.prefetch_recall = 0.7;
        r.prefetch_waste = 0.3;
    }
    return c;
}

void simulate_tokens(benchmark::State& state) {
    const Case c = forty_layers(state.range(1) != 0);
    SyntheticRouting routing;
    routing.kind = state.range(0) == 0 ? SyntheticKind::uniform : SyntheticKind::zipf;
    routing.layers = 40;
    routing.experts = 384;
    routing.top_k = 6;
    routing.tokens = static_cast<std::uint64_t>(state.range(2));
    SimulationOptions options;
    options.measure_locality = routing.kind == SyntheticKind::zipf;
    for (auto _ : state) {
        SyntheticSource source(routing);
        benchmark::DoNotOptimize(simulate(c, source, options).decode.mean);
    }
    state.counters["tokens"] = benchmark::Counter(
        static_cast<double>(routing.tokens) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(simulate_tokens)
    ->ArgNames({"zipf", "prefetch", "tokens"})
    ->Args({0, 0, 10000})
    ->Args({1, 0, 10000})
    ->Args({0, 1, 10000})
    ->Args({0, 0, 40000})
    ->Unit(benchmark::kMillisecond);

} // namespace
