// How long headers take: a GGUF with a large vocabulary beside a plain pass over the same bytes, and a model of 57,600
// tensors in 76 shards. Files are written once, warm and sparse.
#include "checkpoint/open.h"
#include "support/checkpoint_writer.h"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace spillway {

namespace {

using namespace synthetic;

constexpr int kTensors = 579;
constexpr std::size_t kVocabulary = 150'000;
constexpr int kExperts = 256, kMatrices = 3, kLayers = 75; // 57,600 tensors
constexpr std::size_t kShards = 76;

const std::filesystem::path& gguf_file() {
    static const TemporaryFolder folder;
    static const std::filesystem::path path = [] {
        GgufModel model;
        model.values = gguf_vocabulary(kVocabulary);
        model.values.push_back(gguf_string("general.architecture", "llama"));
        for (int i = 0; i < kTensors; ++i) {
            model.tensors.push_back({"blk." + std::to_string(i / 12) + ".tensor_" + std::to_string(i % 12) + ".weight",
                                     "Q4_K",
                                     {4096, 4096}});
        }
        return write_gguf(folder / "m.gguf", model).front();
    }();
    return path;
}

const std::filesystem::path& shards_folder() {
    static const TemporaryFolder folder;
    static const std::filesystem::path path = [] {
        const char* const matrices[kMatrices] = {"gate_proj", "up_proj", "down_proj"};
        std::vector<WrittenTensor> tensors;
        for (int layer = 0; layer < kLayers; ++layer) {
            for (int expert = 0; expert < kExperts; ++expert) {
                for (const char* matrix : matrices) {
                    tensors.push_back({"model.layers." + std::to_string(layer) + ".mlp.experts." +
                                           std::to_string(expert) + "." + matrix + ".weight",
                                       "F8_E4M3",
                                       {2048, 7168}});
                }
            }
        }
        write_shards(folder.path(), tensors, kShards);
        return folder.path();
    }();
    return path;
}

void gguf_header_read(benchmark::State& state) {
    const auto& path = gguf_file();
    for (auto _ : state) benchmark::DoNotOptimize(open_checkpoint(path).tensors.size());
    state.counters["header_bytes"] = static_cast<double>(open_checkpoint(path).data_start[0]);
}
BENCHMARK(gguf_header_read)->Unit(benchmark::kMillisecond);

// Reads the same bytes in the same blocks and adds them up.
void gguf_plain_pass(benchmark::State& state) {
    const auto& path = gguf_file();
    const std::uint64_t length = open_checkpoint(path).data_start[0];
    std::vector<unsigned char> block(1u << 16);
    for (auto _ : state) {
        const int file = ::open(path.c_str(), O_RDONLY);
        std::uint64_t sum = 0;
        for (std::uint64_t at = 0; at < length;) {
            const ssize_t got = ::pread(file, block.data(), block.size(), static_cast<off_t>(at));
            if (got <= 0) break;
            for (ssize_t i = 0; i < got; ++i) sum += block[static_cast<std::size_t>(i)];
            at += static_cast<std::uint64_t>(got);
        }
        ::close(file);
        benchmark::DoNotOptimize(sum);
    }
}
BENCHMARK(gguf_plain_pass)->Unit(benchmark::kMillisecond);

void safetensors_76_shards(benchmark::State& state) {
    const auto& folder = shards_folder();
    for (auto _ : state) benchmark::DoNotOptimize(open_checkpoint(folder).tensors.size());
    state.counters["tensors"] = static_cast<double>(open_checkpoint(folder).tensors.size());
}
BENCHMARK(safetensors_76_shards)->Unit(benchmark::kMillisecond);

} // namespace

} // namespace spillway
