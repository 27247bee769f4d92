// Speed of the exact miss curves: selections per second on one core, by E and k. The routes are drawn beforehand, so
// that only the curves are timed. Zipf routing with reuse is what routers look like; uniform routing is the worst case
// for structures that profit from locality.
#include "simulate/cache.h"
#include "simulate/curves.h"
#include "simulate/recency.h"
#include "simulate/synthetic.h"
#include "simulate/windows.h"

#include <benchmark/benchmark.h>

#include <span>
#include <vector>

namespace {

using namespace spillway;

SyntheticRouting routing(const benchmark::State& state, std::uint32_t layers, std::uint64_t tokens) {
    SyntheticRouting r;
    r.kind = state.range(2) == 0 ? SyntheticKind::uniform : SyntheticKind::zipf;
    r.layers = layers;
    r.experts = static_cast<std::uint32_t>(state.range(0));
    r.top_k = static_cast<std::uint32_t>(state.range(1));
    r.tokens = tokens;
    return r;
}

// All selections, k in a row per token and layer.
std::vector<std::uint32_t> drawn(const SyntheticRouting& r) {
    std::vector<std::uint32_t> all;
    SyntheticSource source(r);
    Route route;
    while (source.next(route)) all.insert(all.end(), route.experts.begin(), route.experts.end());
    return all;
}

void count(benchmark::State& state, std::size_t selections) {
    state.counters["selections"] = benchmark::Counter(
        static_cast<double>(selections) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

// The LRU curve of per-layer caches; with the last argument the number of tokens, to see that it is linear.
void layer_curve(benchmark::State& state) {
    const auto r = routing(state, 1, static_cast<std::uint64_t>(state.range(3)));
    const std::vector<std::uint32_t> all = drawn(r);
    std::vector<std::uint32_t> positions(r.top_k);
    for (auto _ : state) {
        LayerRecency recency;
        std::vector<std::uint64_t> hits(r.experts);
        std::uint64_t first = 0;
        for (std::size_t i = 0; i < all.size(); i += r.top_k) {
            recency.step(std::span(all).subspan(i, r.top_k), positions);
            for (const std::uint32_t at : positions) at == kNeverUsed ? ++first : ++hits[at];
        }
        benchmark::DoNotOptimize(hits.data());
        benchmark::DoNotOptimize(first);
    }
    count(state, all.size());
}
BENCHMARK(layer_curve)
    ->ArgNames({"E", "k", "zipf", "tokens"})
    ->Args({128, 8, 1, 100000})
    ->Args({128, 8, 0, 100000})
    ->Args({384, 6, 1, 100000})
    ->Args({384, 6, 0, 100000})
    ->Args({128, 8, 1, 1000000})
    ->Args({384, 6, 1, 1000000});

// The LRU curve of one cache over all layers.
void global_curve(benchmark::State& state) {
    const auto layers = static_cast<std::uint32_t>(state.range(3));
    const auto r = routing(state, layers, static_cast<std::uint64_t>(state.range(4)));
    const std::vector<std::uint32_t> all = drawn(r);
    for (auto _ : state) {
        WideRecency recency;
        std::vector<std::uint64_t> hits(r.experts * layers);
        std::uint64_t first = 0;
        std::uint32_t layer = 0;
        for (std::size_t i = 0; i < all.size(); i += r.top_k) {
            for (std::size_t j = i; j < i + r.top_k; ++j) {
                const std::uint32_t at = recency.position(layer * r.experts + all[j]);
                at == kNeverUsed ? ++first : ++hits[at];
            }
            for (std::size_t j = i; j < i + r.top_k; ++j) recency.touch(layer * r.experts + all[j]);
            layer = layer + 1 == layers ? 0 : layer + 1;
        }
        benchmark::DoNotOptimize(hits.data());
        benchmark::DoNotOptimize(first);
    }
    count(state, all.size());
}
BENCHMARK(global_curve)
    ->ArgNames({"E", "k", "zipf", "layers", "tokens"})
    ->Args({128, 8, 1, 48, 10000})
    ->Args({384, 6, 1, 64, 10000})
    ->Args({384, 6, 0, 64, 10000})
    ->Args({384, 6, 1, 64, 40000});

// D(t) of a layer.
void window_counts(benchmark::State& state) {
    const auto r = routing(state, 1, 100000);
    const std::vector<std::uint32_t> all = drawn(r);
    for (auto _ : state) {
        WindowCounter windows(4096);
        for (std::size_t i = 0; i < all.size(); i += r.top_k) windows.add(std::span(all).subspan(i, r.top_k));
        benchmark::DoNotOptimize(windows.distinct().data());
    }
    count(state, all.size());
}
BENCHMARK(window_counts)->ArgNames({"E", "k", "zipf"})->Args({128, 8, 1})->Args({384, 6, 1});

// Everything that `trace curve` works out: both LRU curves, hot sets and D(t), drawing the routes included.
void whole_analysis(benchmark::State& state) {
    const auto r = routing(state, 40, 5000);
    for (auto _ : state) {
        SyntheticSource source(r);
        benchmark::DoNotOptimize(trace_curves(source, CurveOptions{}).tokens);
    }
    count(state, std::size_t{40} * 5000 * r.top_k);
}
BENCHMARK(whole_analysis)->ArgNames({"E", "k", "zipf"})->Args({384, 6, 0})->Args({384, 6, 1});

// One cache of half the experts, by policy.
void one_cache(benchmark::State& state) {
    auto r = routing(state, 40, 2000);
    const std::vector<std::uint32_t> all = drawn(r);
    CacheOptions options;
    options.policy = static_cast<EvictionPolicy>(state.range(3));
    options.experts = r.experts;
    options.expert_sizes.assign(40, 1);
    options.budget.assign(40, r.experts / 2U);
    for (auto _ : state) {
        ExpertCache cache(options);
        std::uint32_t layer = 0;
        std::uint64_t hits = 0;
        for (std::size_t i = 0; i < all.size(); i += r.top_k) {
            hits += cache.access(layer, std::span(all).subspan(i, r.top_k)).hits;
            layer = layer + 1 == 40 ? 0 : layer + 1;
        }
        benchmark::DoNotOptimize(hits);
    }
    count(state, all.size());
}
BENCHMARK(one_cache)
    ->ArgNames({"E", "k", "zipf", "policy"})
    ->Args({384, 6, 1, 0})
    ->Args({384, 6, 1, 1})
    ->Args({384, 6, 1, 2})
    ->Args({384, 6, 1, 3});

} // namespace
