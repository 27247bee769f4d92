// Cases per second of a sweep, beside the cost of one evaluation: linear from 10^3 to 10^6 rows.
#include "explore/sweep.h"
#include "io/load_case.h"

#include <benchmark/benchmark.h>

namespace {

using namespace spillway;

// Rows of eight columns' worth of evaluation, without writing them: the writer is measured on the whole process.
void sweep_rows(benchmark::State& state) {
    CaseRequest request;
    request.model = "deepseek-v4.1-flash";
    request.machine = "apple-m3-ultra-256gb";
    request.scenario = "offload-arithmetic";
    request.quantization = "mxfp4";
    Grid grid;
    grid.bases = {load_case(request, Catalogue(data_root(""))).value};
    Axis axis{"machine.storage.internal.rate", {}};
    for (int i = 0; i < state.range(0); ++i) axis.values.push_back(1e9 + i * 1e4);
    grid.axes = {axis};
    const std::atomic<bool> stop{false};
    const BlockSink sink{
        [](const GridRow& row, std::string&) { benchmark::DoNotOptimize(row.estimate.decode.tokens_per_second); },
        [](std::string&&) {}};
    for (auto _ : state) benchmark::DoNotOptimize(sweep(grid, sink, stop, 1));
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(sweep_rows)
    ->Arg(1'000)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace
