#include "checkpoint/gguf_config.h"

#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace spillway {

namespace {

using json = nlohmann::json;
using Rename = std::pair<std::string_view, std::string_view>;

// What follows the architecture's name in a key, and the key of config.json that says the same.
constexpr std::array<Rename, 34> kRenames = {{
    {"embedding_length", "hidden_size"},
    {"vocab_size", "vocab_size"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads"},
    {"feed_forward_length", "intermediate_size"},
    {"expert_count", "n_routed_experts"},
    {"expert_used_count", "num_experts_per_tok"},
    {"expert_feed_forward_length", "moe_intermediate_size"},
    {"expert_shared_count", "n_shared_experts"},
    {"expert_shared_feed_forward_length", "shared_expert_intermediate_size"},
    {"leading_dense_block_count", "first_k_dense_replace"},
    {"interleave_moe_layer_step", "interleave_moe_layer_step"},
    {"moe_every_n_layers", "moe_layer_freq"},
    {"moe_latent_size", "moe_latent_size"},
    {"nextn_predict_layers", "num_nextn_predict_layers"},
    {"attention.sliding_window", "sliding_window"},
    {"attention.sliding_window_pattern", "sliding_window_pattern"},
    {"attention.key_length_swa", "swa_head_dim"},
    {"attention.value_length_swa", "swa_v_head_dim"},
    {"attention.head_count_swa", "swa_num_attention_heads"},
    {"attention.head_count_kv_swa", "swa_num_key_value_heads"},
    {"attention.shared_kv_layers", "num_kv_shared_layers"},
    {"attention.q_lora_rank", "q_lora_rank"},
    {"attention.kv_lora_rank", "kv_lora_rank"},
    {"attention.indexer.head_count", "index_n_heads"},
    {"attention.indexer.key_length", "index_head_dim"},
    {"attention.indexer.top_k", "index_topk"},
    {"attention.output_lora_rank", "o_lora_rank"},
    {"attention.output_group_count", "o_groups"},
    {"attention.compress_ratios", "compress_ratios"},
    {"full_attention_interval", "full_attention_interval"},
    {"embedding_length_per_layer_input", "hidden_size_per_layer_input"},
    {"hyper_connection.count", "hc_mult"},
    {"attention.chunk_size", "attention_chunk_size"},
}};

class Metadata {
public:
    explicit Metadata(const Checkpoint& checkpoint) : values_(checkpoint.metadata) {
        if (const json value = raw("general.architecture"); value.is_string()) architecture_ = value.get<std::string>();
    }

    const std::string& architecture() const { return architecture_; }
    // null where there is no such key or its text is not JSON.
    json raw(const std::string& key) const {
        const auto found = values_.find(key);
        return found == values_.end() ? json() : json::parse(found->second, nullptr, false);
    }
    json value(std::string_view key) const {
        json found = raw(architecture_ + "." + std::string(key));
        return found.is_discarded() ? json() : found;
    }
    double number(std::string_view key) const {
        const json found = value(key);
        return found.is_number() ? found.get<double>() : 0.0;
    }

private:
    const std::map<std::string, std::string>& values_;
    std::string architecture_;
};

void set_count(json& config, const char* key, double value) {
    if (value > 0.0) config[key] = value;
}

// block_count covers the drafter's layers, config.json's number of layers does not.
void add_layers(const Metadata& metadata, json& config) {
    set_count(config, "num_hidden_layers", metadata.number("block_count") - metadata.number("nextn_predict_layers"));
}

// Latent attention: the lengths beside a latent are those of the cached latent in newer files, which then state the
// heads' own as *_mla.
void add_head_widths(const Metadata& metadata, json& config) {
    const double rope = metadata.number("rope.dimension_count");
    if (metadata.number("attention.kv_lora_rank") <= 0.0) {
        config["head_dim"] = metadata.value("attention.key_length");
        config["v_head_dim"] = metadata.value("attention.value_length");
        return;
    }
    const double key = metadata.number("attention.key_length_mla"),
                 value = metadata.number("attention.value_length_mla");
    set_count(config, "qk_rope_head_dim", rope);
    set_count(config, "qk_nope_head_dim", (key > 0.0 ? key : metadata.number("attention.key_length")) - rope);
    set_count(config, "v_head_dim", value > 0.0 ? value : metadata.number("attention.value_length"));
}

// The same keys describe gated delta nets and Mamba layers.
void add_states(const Metadata& metadata, json& config) {
    const double inner = metadata.number("ssm.inner_size"), heads = metadata.number("ssm.time_step_rank");
    const double state = metadata.number("ssm.state_size"), groups = metadata.number("ssm.group_count");
    if (inner <= 0.0 || heads <= 0.0) return;
    const double kernel = metadata.number("ssm.conv_kernel");
    if (metadata.architecture().starts_with("qwen")) {
        set_count(config, "linear_num_value_heads", heads);
        set_count(config, "linear_value_head_dim", inner / heads);
        set_count(config, "linear_num_key_heads", groups);
        set_count(config, "linear_key_head_dim", state);
        set_count(config, "linear_conv_kernel_dim", kernel);
        return;
    }
    set_count(config, "mamba_num_heads", heads);
    set_count(config, "mamba_head_dim", inner / heads);
    set_count(config, "ssm_state_size", state);
    set_count(config, "n_groups", groups);
    set_count(config, "conv_kernel", kernel);
}

} // namespace

nlohmann::json gguf_config(const Checkpoint& checkpoint) {
    const Metadata metadata(checkpoint);
    json config = json::object();
    config["model_type"] = metadata.architecture();
    for (const auto& [from, to] : kRenames) {
        if (json value = metadata.value(from); !value.is_null()) config[std::string(to)] = std::move(value);
    }
    if (const json name = metadata.raw("general.name"); name.is_string()) config["model_name"] = name;
    if (!config.contains("vocab_size")) {
        const json tokens = metadata.raw("tokenizer.ggml.tokens.length");
        if (tokens.is_number()) config["vocab_size"] = tokens;
    }
    add_layers(metadata, config);
    add_head_widths(metadata, config);
    add_states(metadata, config);
    return config;
}

std::map<std::string, std::string> gguf_key_names(const Checkpoint& checkpoint) {
    const std::string begin = Metadata(checkpoint).architecture() + ".";
    std::map<std::string, std::string> names = {{"num_hidden_layers", begin + "block_count"},
                                                {"head_dim", begin + "attention.key_length"},
                                                {"qk_nope_head_dim", begin + "attention.key_length"},
                                                {"linear_num_value_heads", begin + "ssm.time_step_rank"},
                                                {"mamba_num_heads", begin + "ssm.time_step_rank"}};
    for (const auto& [from, to] : kRenames) names.emplace(std::string(to), begin + std::string(from));
    return names;
}

std::optional<double> size_label_params(std::string_view label) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), value);
    if (error != std::errc() || end == label.data() + label.size()) return std::nullopt;
    const std::string_view rest = label.substr(static_cast<std::size_t>(end - label.data()));
    if (rest.size() > 1 && rest[1] != '-') return std::nullopt;
    switch (rest.front()) {
    case 'M': return value * 1e6;
    case 'B': return value * 1e9;
    case 'T': return value * 1e12;
    default: return std::nullopt;
    }
}

} // namespace spillway
