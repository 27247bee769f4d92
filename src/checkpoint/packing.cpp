#include "checkpoint/packing.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace spillway {

namespace {

using json = nlohmann::json;

constexpr double kNvfp4 = 4.5;  // 4 bits + one FP8 scale per 16
constexpr double kMxfp4 = 4.25; // 4 bits + one E8M0 scale per 32
constexpr double kMxfp8 = 8.25;

const json* member(const json& object, std::string_view key) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(std::string(key));
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

// Widths and group sizes; what is out of all reason counts as not stated.
double number(const json& object, std::string_view key, double otherwise) {
    constexpr double largest = 1e6;
    const json* const value = member(object, key);
    if (value == nullptr || !value->is_number()) return otherwise;
    const double stated = value->get<double>();
    return stated >= 0.0 && stated <= largest ? stated : otherwise;
}

std::string word(const json& object, std::string_view key) {
    const json* const value = member(object, key);
    std::string text = value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// Whether every module that is quantized belongs to the experts: lists of what is left out name attention.
bool leaves_out_attention(const json& config) {
    for (const std::string_view key : {"modules_to_not_convert", "ignore", "ignored_layers", "exclude_modules"}) {
        const json* const list = member(config, key);
        if (list == nullptr || !list->is_array()) continue;
        for (const json& entry : *list) {
            if (entry.is_string() && holds(entry.get<std::string>(), "attn")) return true;
        }
    }
    return false;
}

// Blocks of FP8 share a scale: F32, or one byte where scales are powers of two.
double fp8_bits(const json& config) {
    const json* const block = member(config, "weight_block_size");
    if (block == nullptr || !block->is_array() || block->size() != 2 || !(*block)[0].is_number() ||
        !(*block)[1].is_number())
        return 8.0;
    const double weights = (*block)[0].get<double>() * (*block)[1].get<double>();
    const double scale_bits = holds(word(config, "scale_fmt"), "ue8m0") && weights < 128 * 128 ? 8.0 : 32.0;
    return weights > 0.0 ? 8.0 + scale_bits / weights : 8.0;
}

// Weights of a group share a 16-bit scale; `zero_bits` more where they share a zero point.
double group_bits(double bits, double group, double zero_bits) {
    return group > 0.0 ? bits + (16.0 + zero_bits) / group : bits;
}

void read_compressed_tensors(const json& config, Packing& p) {
    const json* const groups = member(config, "config_groups");
    if (groups == nullptr || !groups->is_object() || groups->empty()) return;
    const json* const weights = member(*groups->begin(), "weights");
    if (weights == nullptr) return;
    p.weight_bits = number(*weights, "num_bits", 0.0);
    p.group = number(*weights, "group_size", 0.0);
    const bool is_float = word(*weights, "type") == "float";
    if (is_float && p.weight_bits == 4.0) {
        p.label = p.group == 32.0 ? "mxfp4" : "nvfp4";
        p.bits = p.group == 32.0 ? kMxfp4 : kNvfp4;
    } else if (p.weight_bits > 0.0) {
        p.label = (is_float ? "fp" : "int") + std::to_string(static_cast<int>(p.weight_bits));
        p.bits = group_bits(p.weight_bits, p.group, 0.0);
    }
}

void read_quantization_config(const json& config, Packing& p) {
    std::string method = word(config, "quant_method");
    const std::string algorithm = word(config, "quant_algo") + word(config, "moe_quant_algo") + word(config, "format");
    if (method.empty()) method = algorithm;
    p.label = method;
    p.weight_bits = number(config, "bits", number(config, "w_bit", 0.0));
    p.group = number(config, "group_size", number(config, "q_group_size", 0.0));
    if (method == "compressed-tensors" || member(config, "config_groups") != nullptr)
        read_compressed_tensors(config, p);
    if (p.bits) return;
    if (holds(method, "mxfp4")) {
        p.bits = kMxfp4;
        p.experts_only = true; // as released by OpenAI; others list what is left out
    } else if (holds(algorithm, "nvfp4") || holds(method, "nvfp4")) {
        p.label = "nvfp4";
        p.bits = kNvfp4;
    } else if (holds(method, "mxfp8")) {
        p.bits = kMxfp8;
    } else if (holds(method, "fp8")) {
        p.bits = fp8_bits(config);
        if (word(config, "expert_dtype") == "fp4") p.expert_bits = kMxfp4;
    } else if ((method == "gptq" || method == "awq" || method == "auto-round" || method == "autoround") &&
               p.weight_bits > 0.0) {
        p.bits = group_bits(p.weight_bits, p.group, p.weight_bits);
    } else if (holds(method, "bitsandbytes")) {
        const json* const four = member(config, "load_in_4bit");
        p.weight_bits = four != nullptr && *four == true ? 4.0 : 8.0;
        if (p.weight_bits == 4.0) p.bits = 4.5; // one F32 per 64, before those are packed again
    }
    p.experts_only = p.experts_only || leaves_out_attention(config);
}

void read_mlx(const json& config, Packing& p) {
    const std::string mode = word(config, "mode");
    p.label = mode.empty() || mode == "affine" ? "mlx" : mode;
    p.weight_bits = number(config, "bits", 0.0);
    p.group = number(config, "group_size", 64.0);
    // Affine groups share a scale and a bias of 16 bits each; MX formats one byte, NVFP4 one byte per 16.
    if (mode == "mxfp4")
        p.bits = kMxfp4;
    else if (mode == "nvfp4")
        p.bits = kNvfp4;
    else if (mode == "mxfp8")
        p.bits = kMxfp8;
    else if (p.weight_bits > 0.0)
        p.bits = group_bits(p.weight_bits, p.group, 16.0);
    for (const auto& [key, value] : config.items()) {
        if (value.is_object()) p.overrides.push_back({key, number(value, "bits", p.weight_bits)});
        if (value.is_boolean() && value == false) p.overrides.push_back({key, 0.0});
    }
}

double stored_bits(const json& root) {
    std::string type = word(root, "torch_dtype");
    if (type.empty()) type = word(root, "dtype");
    if (type.empty() && member(root, "text_config") != nullptr) return stored_bits(root["text_config"]);
    return type == "float32" || type == "fp32" ? 32.0 : 16.0;
}

} // namespace

std::optional<double> Packing::bits_of(std::string_view module) const {
    for (const PackingOverride& o : overrides) {
        if (o.module == module) return o.bits;
    }
    return weight_bits > 0.0 ? std::optional(weight_bits) : std::nullopt;
}

Packing read_packing(const json& root) {
    Packing p;
    p.stored_bits = stored_bits(root);
    const json* const mlx = member(root, "quantization");
    if (mlx != nullptr && mlx->is_object()) {
        read_mlx(*mlx, p);
        return p;
    }
    const json* config = member(root, "quantization_config");
    if (config == nullptr && member(root, "text_config") != nullptr)
        config = member(root["text_config"], "quantization_config");
    if (config != nullptr && config->is_object()) read_quantization_config(*config, p);
    // DeepSeek V4 states the experts' type beside the block.
    if (!p.label.empty() && word(root, "expert_dtype") == "fp4") p.expert_bits = kMxfp4;
    return p;
}

} // namespace spillway
