// How a checkpoint packs its weights, as its configuration declares it: quantization_config in the forms of FP8,
// compressed-tensors, GPTQ, AWQ, ModelOpt and bitsandbytes, or MLX's `quantization` with its overrides per module.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// Bits of the modules whose path is `module`; 0: not quantized.
struct PackingOverride {
    std::string module;
    double bits = 0.0;
};

struct Packing {
    std::string label;                 // what the configuration calls it ("fp8", "gptq", "nvfp4"); empty: not quantized
    double weight_bits = 0.0;          // bits of a packed weight, without scales; 0: not stated
    double group = 0.0;                // weights per scale; 0: one scale per row or tensor
    std::optional<double> bits;        // bits per weight with scales that the label stands for
    std::optional<double> expert_bits; // the same for routed experts, where they differ
    bool experts_only = false;         // the rest is stored as it is
    double stored_bits = 16.0;         // of weights that are not quantized (torch_dtype)
    std::vector<PackingOverride> overrides;

    // Bits of the packed weights of a module ("model.layers.0.self_attn.q_proj"), by the longest override that names
    // it; empty: not known.
    std::optional<double> bits_of(std::string_view module) const;
};

Packing read_packing(const nlohmann::json& root);

} // namespace spillway
