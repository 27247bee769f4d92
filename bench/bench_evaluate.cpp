// What one evaluation costs, on real cases: bench figures of the README.
#include "engine/estimate.h"
#include "explore/break_even.h"
#include "io/load_case.h"

#include <benchmark/benchmark.h>

namespace {

using namespace spillway;

Case real_case(const char* model, const char* machine, const char* scenario, const char* quantization) {
    CaseRequest request;
    request.model = model;
    request.machine = machine;
    request.scenario = scenario;
    request.quantization = quantization;
    return load_case(request, Catalogue(data_root(""))).value;
}

void evaluate_streamed(benchmark::State& state) {
    const Case c = real_case("deepseek-v4.1-flash", "apple-m3-ultra-256gb", "offload-arithmetic", "mxfp4");
    for (auto _ : state) benchmark::DoNotOptimize(evaluate(c));
}
BENCHMARK(evaluate_streamed);

// The default scenario also evaluates the measured localities beside the uniform one.
void evaluate_default(benchmark::State& state) {
    const Case c = real_case("deepseek-v4.1-flash", "apple-m3-ultra-256gb", "default", "mxfp4");
    for (auto _ : state) benchmark::DoNotOptimize(evaluate(c));
}
BENCHMARK(evaluate_default);

void evaluate_two_pools(benchmark::State& state) {
    const Case c = real_case("qwen3-235b-a22b", "rtx-4090-host-128gb", "default", "q4_k");
    for (auto _ : state) benchmark::DoNotOptimize(evaluate(c));
}
BENCHMARK(evaluate_two_pools);

void break_even_line(benchmark::State& state) {
    const Case c = real_case("deepseek-v4.1-flash", "apple-m3-ultra-256gb", "offload-arithmetic", "mxfp4");
    for (auto _ : state) benchmark::DoNotOptimize(residency_line(c));
}
BENCHMARK(break_even_line);

} // namespace
