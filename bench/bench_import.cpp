// A whole import - headers read, tensors classified, manifest made - of a checkpoint with the names and shapes of
// DeepSeek-V3 in 76 shards.
#include "checkpoint/manifest.h"
#include "support/checkpoint_writer.h"
#include "support/real_shapes.h"

#include <benchmark/benchmark.h>

namespace {

using namespace spillway;

void import_76_shards(benchmark::State& state) {
    const synthetic::TemporaryFolder folder;
    const synthetic::ShapedModel model = synthetic::deepseek_v3();
    const auto path = model.write(folder.path(), 76);
    const PatternFile patterns = load_patterns(Catalogue(data_root("")));
    for (auto _ : state) benchmark::DoNotOptimize(import_path(path, patterns, "bench"));
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(model.tensors.size()));
    state.counters["tensors"] = static_cast<double>(model.tensors.size());
}
BENCHMARK(import_76_shards)->Unit(benchmark::kMillisecond);

} // namespace
