// Checkpoints with the true tensor names and shapes of published models, as lists of tensors. Every tensor is added
// with the part it belongs to, so that the bytes of each part are known without any classifier.
#pragma once

#include "support/checkpoint_writer.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace spillway::synthetic {

struct ShapedModel {
    std::string catalogue_id; // name of models/NAME.json
    std::vector<WrittenTensor> tensors;
    std::string config;            // of safetensors; empty: GGUF
    std::vector<GgufValue> values; // of GGUF
    // Bytes by part: "experts", "experts_down" (a part of "experts"), "rest", "embedding", "drafter_experts",
    // "drafter_rest" (copies of embedding and head included), "other", "tables".
    std::map<std::string, std::uint64_t> bytes;

    void add(const std::string& part, const std::string& name, const std::string& type,
             std::vector<std::uint64_t> shape);
    // A matrix and its scales: FP8 in blocks of `block` x `block` with scales of `scale_type` under `name` + `end`.
    void add_blocks(const std::string& part, const std::string& name, std::uint64_t rows, std::uint64_t columns,
                    std::uint64_t block, const std::string& end, const std::string& scale_type);
    // Writes it into `folder` (safetensors in `shards` files with index and config.json, or one GGUF); what to open.
    std::filesystem::path write(const std::filesystem::path& folder, std::size_t shards) const;
};

// Dense; experts; latent attention with a drafter and FP8 blocks; hybrid with a drafter; MXFP4 experts.
ShapedModel llama_8b();
ShapedModel qwen3_next_80b();
ShapedModel deepseek_v3();
ShapedModel gpt_oss_120b();
ShapedModel nemotron_nano();
// Experts in 4 bits, attention in 8, the head not quantized: MLX.
ShapedModel qwen3_30b_mlx();
// An encoder-decoder with lookup tables, a block drafter and vision; as released.
ShapedModel deepseek_v41_flash();
// GGUF: experts with wider down projections; windows and a tied head; a drafter behind the last layer.
ShapedModel qwen3_30b_gguf();
ShapedModel gemma3_27b_gguf();
ShapedModel glm45_gguf();

} // namespace spillway::synthetic
