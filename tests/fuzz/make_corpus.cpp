// Writes the inputs that fuzzing starts from, with the writer of the tests: fuzz_corpus FOLDER
#include "support/checkpoint_writer.h"

#include "checkpoint/gguf_types.h"

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace spillway::synthetic;

void write_gguf_seeds(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    GgufModel small;
    small.tensors = {{"a", "F32", {1}}};
    write_file(folder / "small", gguf_bytes(small));
    GgufModel model;
    for (const auto& type : spillway::gguf_types())
        model.tensors.push_back({std::string(type.name), std::string(type.name), {256}});
    write_file(folder / "types", gguf_bytes(model));
    model.tensors = {{"unknown", "type 139", {4, 4}, 96}, {"b", "Q2_0", {256}, 68}, {"c", "MXFP4", {1, 2, 3, 32}}};
    model.values = {gguf_string("general.architecture", "llama"),
                    gguf_u16("split.count", 1),
                    gguf_u32("llama.block_count", 2),
                    gguf_i32("i", -1),
                    gguf_u64("u", 1),
                    gguf_f32("f", 0.5f),
                    gguf_bool("b", true),
                    gguf_i32s("heads", {8, 8}),
                    gguf_bools("swa", {true, false}),
                    gguf_strings("tokens", {"a", "bc", ""}),
                    {"nested", 9, from_hex("09000000010000000000000000000000020000000000000001ff")}};
    for (const std::uint32_t alignment : {8u, 32u, 64u}) {
        model.alignment = alignment;
        write_file(folder / ("values-" + std::to_string(alignment)), gguf_bytes(model));
    }
    model.version = 2;
    write_file(folder / "version-2", gguf_bytes(model));
}

void write_safetensors_seeds(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    const std::vector<WrittenTensor> tensors = {
        {"w", "F4", {2, 32}}, {"s", "F8_E8M0", {2, 1}}, {"x", "BF16", {2, 2}}, {"z", "F3", {5}, 7}};
    const std::string bytes = safetensors_bytes(tensors);
    write_file(folder / "whole", bytes);
    write_file(folder / "json", std::string_view(bytes).substr(8, safetensors_header(tensors).size() - 8));
    write_file(folder / "empty", safetensors_text("{}"));
    write_file(folder / "empty-json", "{\"__metadata__\":{\"format\":\"pt\"}}");
    write_file(folder / "tiny-json", R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})");
}

void write_json_seeds(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    write_file(folder / "index", R"({"metadata":{"total_size":12},"weight_map":{"a":"m-00001-of-00002.safetensors",)"
                                 R"("b":"m-00002-of-00002.safetensors"}})");
    write_file(
        folder / "config",
        R"({"model_type":"x","text_config":{"num_experts":256,"moe_layer_freq":[0,1,1]},"tie":false,"eps":1e-5})");
    write_file(folder / "pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00ff\nsize 123\n");
    write_file(folder / "page", "<!doctype html><html>");
    write_file(folder / "name", "model-00001-of-00003.gguf");
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: fuzz_corpus FOLDER\n";
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    write_gguf_seeds(folder / "gguf");
    write_safetensors_seeds(folder / "safetensors");
    write_json_seeds(folder / "json");
    return 0;
}
