#include "support/real_shapes.h"

#include <fmt/format.h>

namespace spillway::synthetic {

void ShapedModel::add(const std::string& part, const std::string& name, const std::string& type,
                      std::vector<std::uint64_t> shape) {
    tensors.push_back({name, type, std::move(shape), 0});
    const std::uint64_t size = stored_bytes(tensors.back());
    if (part == "experts_down") bytes["experts"] += size;
    bytes[part] += size;
}

void ShapedModel::add_blocks(const std::string& part, const std::string& name, std::uint64_t rows,
                             std::uint64_t columns, std::uint64_t block, const std::string& end,
                             const std::string& scale_type) {
    add(part, name + ".weight", "F8_E4M3", {rows, columns});
    add(part, name + end, scale_type, {(rows + block - 1) / block, (columns + block - 1) / block});
}

std::filesystem::path ShapedModel::write(const std::filesystem::path& folder, std::size_t shards) const {
    if (config.empty()) return write_gguf(folder / "model.gguf", GgufModel{tensors, values}).front();
    write_shards(folder, tensors, shards);
    write_file(folder / "config.json", config);
    return folder;
}

namespace {

std::string layer_name(int layer, const char* rest) { return fmt::format("model.layers.{}.{}", layer, rest); }

void add_attention(ShapedModel& m, const std::string& part, const std::string& block, std::uint64_t hidden,
                   std::uint64_t queries, std::uint64_t keys, std::uint64_t outputs, std::uint64_t head, bool norms) {
    const std::string at = block + "self_attn.";
    m.add(part, at + "q_proj.weight", "BF16", {queries, hidden});
    m.add(part, at + "k_proj.weight", "BF16", {keys, hidden});
    m.add(part, at + "v_proj.weight", "BF16", {keys, hidden});
    m.add(part, at + "o_proj.weight", "BF16", {hidden, outputs});
    if (norms) {
        m.add(part, at + "q_norm.weight", "BF16", {head});
        m.add(part, at + "k_norm.weight", "BF16", {head});
    }
}

void add_norms(ShapedModel& m, const std::string& part, const std::string& block, std::uint64_t hidden) {
    m.add(part, block + "input_layernorm.weight", "BF16", {hidden});
    m.add(part, block + "post_attention_layernorm.weight", "BF16", {hidden});
}

} // namespace

ShapedModel llama_8b() {
    ShapedModel m;
    m.catalogue_id = "llama-3.1-8b";
    m.config = R"({"model_type":"llama","hidden_size":4096,"intermediate_size":14336,"num_hidden_layers":32,)"
               R"("num_attention_heads":32,"num_key_value_heads":8,"vocab_size":128256,"tie_word_embeddings":false,)"
               R"("torch_dtype":"bfloat16"})";
    m.add("embedding", "model.embed_tokens.weight", "BF16", {128256, 4096});
    for (int i = 0; i < 32; ++i) {
        const std::string block = layer_name(i, "");
        add_attention(m, "rest", block, 4096, 4096, 1024, 4096, 128, false);
        add_norms(m, "rest", block, 4096);
        for (const char* name : {"mlp.gate_proj.weight", "mlp.up_proj.weight"})
            m.add("rest", block + name, "BF16", {14336, 4096});
        m.add("rest", block + "mlp.down_proj.weight", "BF16", {4096, 14336});
    }
    m.add("rest", "model.norm.weight", "BF16", {4096});
    m.add("embedding", "lm_head.weight", "BF16", {128256, 4096});
    return m;
}

namespace {

// Experts of Qwen3-Next, one layer of the backbone or of the drafter.
void add_next_experts(ShapedModel& m, const std::string& experts, const std::string& rest, const std::string& block) {
    m.add(rest, block + "mlp.gate.weight", "BF16", {512, 2048});
    for (int e = 0; e < 512; ++e) {
        const std::string at = fmt::format("{}mlp.experts.{}.", block, e);
        m.add(experts, at + "gate_proj.weight", "BF16", {512, 2048});
        m.add(experts, at + "up_proj.weight", "BF16", {512, 2048});
        m.add(experts == "experts" ? "experts_down" : experts, at + "down_proj.weight", "BF16", {2048, 512});
    }
    m.add(rest, block + "mlp.shared_expert.gate_proj.weight", "BF16", {512, 2048});
    m.add(rest, block + "mlp.shared_expert.up_proj.weight", "BF16", {512, 2048});
    m.add(rest, block + "mlp.shared_expert.down_proj.weight", "BF16", {2048, 512});
    m.add(rest, block + "mlp.shared_expert_gate.weight", "BF16", {1, 2048});
}

void add_delta_net(ShapedModel& m, const std::string& block) {
    const std::string at = block + "linear_attn.";
    m.add("rest", at + "in_proj_qkvz.weight", "BF16", {12288, 2048});
    m.add("rest", at + "in_proj_ba.weight", "BF16", {64, 2048});
    m.add("rest", at + "conv1d.weight", "BF16", {8192, 1, 4});
    m.add("rest", at + "A_log", "BF16", {32});
    m.add("rest", at + "dt_bias", "BF16", {32});
    m.add("rest", at + "norm.weight", "BF16", {128});
    m.add("rest", at + "out_proj.weight", "BF16", {2048, 4096});
}

} // namespace

ShapedModel qwen3_next_80b() {
    ShapedModel m;
    m.catalogue_id = "qwen3-next-80b";
    m.config =
        R"({"model_type":"qwen3_next","hidden_size":2048,"intermediate_size":5120,"num_hidden_layers":48,)"
        R"("num_attention_heads":16,"num_key_value_heads":2,"head_dim":256,"full_attention_interval":4,)"
        R"("linear_conv_kernel_dim":4,"linear_key_head_dim":128,"linear_num_key_heads":16,"linear_num_value_heads":32,)"
        R"("linear_value_head_dim":128,"num_experts":512,"num_experts_per_tok":10,"moe_intermediate_size":512,)"
        R"("shared_expert_intermediate_size":512,"decoder_sparse_step":1,"mlp_only_layers":[],"vocab_size":151936,)"
        R"("tie_word_embeddings":false,"torch_dtype":"bfloat16"})";
    m.add("embedding", "model.embed_tokens.weight", "BF16", {151936, 2048});
    for (int i = 0; i < 48; ++i) {
        const std::string block = layer_name(i, "");
        if (i % 4 == 3)
            add_attention(m, "rest", block, 2048, 8192, 512, 4096, 256, true);
        else
            add_delta_net(m, block);
        add_norms(m, "rest", block, 2048);
        add_next_experts(m, "experts", "rest", block);
    }
    m.add("rest", "model.norm.weight", "BF16", {2048});
    m.add("embedding", "lm_head.weight", "BF16", {151936, 2048});
    m.add("drafter_rest", "mtp.fc.weight", "BF16", {2048, 4096});
    m.add("drafter_rest", "mtp.pre_fc_norm_hidden.weight", "BF16", {2048});
    m.add("drafter_rest", "mtp.norm.weight", "BF16", {2048});
    add_attention(m, "drafter_rest", "mtp.layers.0.", 2048, 8192, 512, 4096, 256, true);
    add_norms(m, "drafter_rest", "mtp.layers.0.", 2048);
    add_next_experts(m, "drafter_experts", "drafter_rest", "mtp.layers.0.");
    return m;
}

namespace {

void add_v3_block(ShapedModel& m, int layer, const std::string& experts, const std::string& rest) {
    const std::string block = layer_name(layer, "");
    const auto fp8 = [&](const std::string& part, const std::string& name, std::uint64_t rows, std::uint64_t columns) {
        m.add_blocks(part, block + name, rows, columns, 128, ".weight_scale_inv", "F32");
    };
    fp8(rest, "self_attn.q_a_proj", 1536, 7168);
    m.add(rest, block + "self_attn.q_a_layernorm.weight", "BF16", {1536});
    fp8(rest, "self_attn.q_b_proj", 24576, 1536);
    fp8(rest, "self_attn.kv_a_proj_with_mqa", 576, 7168);
    m.add(rest, block + "self_attn.kv_a_layernorm.weight", "BF16", {512});
    fp8(rest, "self_attn.kv_b_proj", 32768, 512);
    fp8(rest, "self_attn.o_proj", 7168, 16384);
    add_norms(m, rest, block, 7168);
    const auto network = [&](const std::string& part, const std::string& down, const std::string& at,
                             std::uint64_t width) {
        fp8(part, at + ".gate_proj", width, 7168);
        fp8(part, at + ".up_proj", width, 7168);
        fp8(down, at + ".down_proj", 7168, width);
    };
    if (layer < 3) return network(rest, rest, "mlp", 18432);
    m.add(rest, block + "mlp.gate.weight", "BF16", {256, 7168});
    m.add(rest, block + "mlp.gate.e_score_correction_bias", "F32", {256});
    network(rest, rest, "mlp.shared_experts", 2048);
    for (int e = 0; e < 256; ++e) {
        network(experts, experts == "experts" ? "experts_down" : experts, fmt::format("mlp.experts.{}", e), 2048);
    }
}

} // namespace

ShapedModel deepseek_v3() {
    ShapedModel m;
    m.catalogue_id = "deepseek-v3";
    m.config =
        R"({"model_type":"deepseek_v3","hidden_size":7168,"intermediate_size":18432,"num_hidden_layers":61,)"
        R"("num_attention_heads":128,"num_key_value_heads":128,"q_lora_rank":1536,"kv_lora_rank":512,)"
        R"("qk_nope_head_dim":128,"qk_rope_head_dim":64,"v_head_dim":128,"n_routed_experts":256,"num_experts_per_tok":8,)"
        R"("n_shared_experts":1,"moe_intermediate_size":2048,"moe_layer_freq":1,"first_k_dense_replace":3,)"
        R"("num_nextn_predict_layers":1,"vocab_size":129280,"tie_word_embeddings":false,"torch_dtype":"bfloat16",)"
        R"("quantization_config":{"quant_method":"fp8","fmt":"e4m3","weight_block_size":[128,128]}})";
    m.add("embedding", "model.embed_tokens.weight", "BF16", {129280, 7168});
    for (int i = 0; i < 61; ++i) add_v3_block(m, i, "experts", "rest");
    m.add("rest", "model.norm.weight", "BF16", {7168});
    m.add("embedding", "lm_head.weight", "BF16", {129280, 7168});
    add_v3_block(m, 61, "drafter_experts", "drafter_rest");
    m.add("drafter_rest", "model.layers.61.enorm.weight", "BF16", {7168});
    m.add("drafter_rest", "model.layers.61.hnorm.weight", "BF16", {7168});
    m.add("drafter_rest", "model.layers.61.eh_proj.weight", "BF16", {7168, 14336});
    m.add("drafter_rest", "model.layers.61.embed_tokens.weight", "BF16", {129280, 7168});
    m.add("drafter_rest", "model.layers.61.shared_head.norm.weight", "BF16", {7168});
    m.add("drafter_rest", "model.layers.61.shared_head.head.weight", "BF16", {129280, 7168});
    return m;
}

ShapedModel gpt_oss_120b() {
    ShapedModel m;
    m.catalogue_id = "gpt-oss-120b";
    m.config =
        R"({"model_type":"gpt_oss","hidden_size":2880,"intermediate_size":2880,"num_hidden_layers":36,"head_dim":64,)"
        R"("num_attention_heads":64,"num_key_value_heads":8,"num_local_experts":128,"num_experts_per_tok":4,)"
        R"("experts_per_token":4,"sliding_window":128,"vocab_size":201088,"tie_word_embeddings":false,)"
        R"("quantization_config":{"quant_method":"mxfp4","modules_to_not_convert":["model.layers.*.self_attn"]}})";
    m.add("embedding", "model.embed_tokens.weight", "BF16", {201088, 2880});
    for (int i = 0; i < 36; ++i) {
        const std::string block = layer_name(i, "");
        add_attention(m, "rest", block, 2880, 4096, 512, 4096, 64, false);
        for (const char* name : {"q_proj", "o_proj"})
            m.add("rest", block + "self_attn." + name + ".bias", "BF16", {name[0] == 'q' ? 4096u : 2880u});
        m.add("rest", block + "self_attn.sinks", "BF16", {64});
        add_norms(m, "rest", block, 2880);
        m.add("rest", block + "mlp.router.weight", "BF16", {128, 2880});
        m.add("rest", block + "mlp.router.bias", "BF16", {128});
        m.add("experts", block + "mlp.experts.gate_up_proj_blocks", "U8", {128, 5760, 90, 16});
        m.add("experts", block + "mlp.experts.gate_up_proj_scales", "U8", {128, 5760, 90});
        m.add("experts", block + "mlp.experts.gate_up_proj_bias", "BF16", {128, 5760});
        m.add("experts_down", block + "mlp.experts.down_proj_blocks", "U8", {128, 2880, 90, 16});
        m.add("experts_down", block + "mlp.experts.down_proj_scales", "U8", {128, 2880, 90});
        m.add("experts_down", block + "mlp.experts.down_proj_bias", "BF16", {128, 2880});
    }
    m.add("rest", "model.norm.weight", "BF16", {2880});
    m.add("embedding", "lm_head.weight", "BF16", {201088, 2880});
    return m;
}

ShapedModel nemotron_nano() {
    ShapedModel m;
    m.catalogue_id = "nemotron-3-nano";
    const std::string pattern = "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME";
    m.config =
        R"({"model_type":"nemotron_h","hidden_size":2688,"intermediate_size":1856,"num_hidden_layers":52,)"
        R"("num_attention_heads":32,"num_key_value_heads":2,"head_dim":128,"n_routed_experts":128,"num_experts_per_tok":6,)"
        R"("moe_intermediate_size":1856,"n_shared_experts":1,"moe_shared_expert_intermediate_size":3712,"mamba_num_heads":64,)"
        R"("mamba_head_dim":64,"ssm_state_size":128,"n_groups":8,"conv_kernel":4,"vocab_size":131072,)"
        R"("tie_word_embeddings":false,"hybrid_override_pattern":")" +
        pattern + "\"}";
    m.add("embedding", "backbone.embeddings.weight", "BF16", {131072, 2688});
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const std::string at = fmt::format("backbone.layers.{}.", i), mixer = at + "mixer.";
        m.add("rest", at + "norm.weight", "BF16", {2688});
        if (pattern[i] == 'M') {
            m.add("rest", mixer + "in_proj.weight", "BF16", {10304, 2688});
            m.add("rest", mixer + "conv1d.weight", "BF16", {6144, 1, 4});
            m.add("rest", mixer + "conv1d.bias", "BF16", {6144});
            for (const char* name : {"A_log", "D", "dt_bias"}) m.add("rest", mixer + name, "BF16", {64});
            m.add("rest", mixer + "norm.weight", "BF16", {4096});
            m.add("rest", mixer + "out_proj.weight", "BF16", {2688, 4096});
        } else if (pattern[i] == '*') {
            m.add("rest", mixer + "q_proj.weight", "BF16", {4096, 2688});
            for (const char* name : {"k_proj.weight", "v_proj.weight"})
                m.add("rest", mixer + name, "BF16", {256, 2688});
            m.add("rest", mixer + "o_proj.weight", "BF16", {2688, 4096});
        } else {
            m.add("rest", mixer + "gate.weight", "BF16", {128, 2688});
            m.add("rest", mixer + "gate.e_score_correction_bias", "F32", {128});
            m.add("rest", mixer + "shared_experts.up_proj.weight", "BF16", {3712, 2688});
            m.add("rest", mixer + "shared_experts.down_proj.weight", "BF16", {2688, 3712});
            for (int e = 0; e < 128; ++e) {
                m.add("experts", fmt::format("{}experts.{}.up_proj.weight", mixer, e), "BF16", {1856, 2688});
                m.add("experts_down", fmt::format("{}experts.{}.down_proj.weight", mixer, e), "BF16", {2688, 1856});
            }
        }
    }
    m.add("rest", "backbone.norm_f.weight", "BF16", {2688});
    m.add("embedding", "lm_head.weight", "BF16", {131072, 2688});
    return m;
}

} // namespace spillway::synthetic
