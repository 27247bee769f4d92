// The quantized ones: MLX, DeepSeek's native format, GGUF.
#include "support/real_shapes.h"

#include <fmt/format.h>

namespace spillway::synthetic {

namespace {

// MLX: `bits` per weight in 32-bit words; affine groups have a scale and a bias, MXFP4 one byte per 32 weights.
void add_mlx(ShapedModel& m, const std::string& part, const std::string& name, std::vector<std::uint64_t> shape,
             std::uint64_t bits, bool mxfp4) {
    const std::uint64_t columns = shape.back();
    shape.back() = columns * bits / 32;
    m.add(part, name + ".weight", "U32", shape);
    shape.back() = mxfp4 ? columns / 32 : columns / 64;
    m.add(part, name + ".scales", mxfp4 ? "U8" : "BF16", shape);
    if (!mxfp4) m.add(part, name + ".biases", "BF16", shape);
}

} // namespace

ShapedModel qwen3_30b_mlx() {
    ShapedModel m;
    m.catalogue_id = "qwen3-30b-a3b";
    std::string overrides;
    m.add("embedding", "model.embed_tokens.weight", "BF16", {151936, 2048});
    overrides += R"("model.embed_tokens":false,"lm_head":false)";
    for (int i = 0; i < 48; ++i) {
        const std::string block = fmt::format("model.layers.{}.", i);
        const auto eight = [&](const std::string& name, std::uint64_t rows, std::uint64_t columns) {
            add_mlx(m, "rest", block + name, {rows, columns}, 8, false);
            overrides += fmt::format(R"(,"{}{}":{{"group_size":64,"bits":8,"mode":"affine"}})", block, name);
        };
        eight("self_attn.q_proj", 4096, 2048);
        eight("self_attn.k_proj", 512, 2048);
        eight("self_attn.v_proj", 512, 2048);
        eight("self_attn.o_proj", 2048, 4096);
        eight("mlp.gate", 128, 2048);
        m.add("rest", block + "input_layernorm.weight", "BF16", {2048});
        add_mlx(m, "experts", block + "mlp.switch_mlp.gate_proj", {128, 768, 2048}, 4, true);
        add_mlx(m, "experts", block + "mlp.switch_mlp.up_proj", {128, 768, 2048}, 4, true);
        add_mlx(m, "experts_down", block + "mlp.switch_mlp.down_proj", {128, 2048, 768}, 4, true);
    }
    m.add("rest", "model.norm.weight", "BF16", {2048});
    m.add("embedding", "lm_head.weight", "BF16", {151936, 2048});
    m.config =
        R"({"model_type":"qwen3_moe","hidden_size":2048,"intermediate_size":6144,"num_hidden_layers":48,"head_dim":128,)"
        R"("num_attention_heads":32,"num_key_value_heads":4,"num_experts":128,"num_experts_per_tok":8,)"
        R"("moe_intermediate_size":768,"decoder_sparse_step":1,"vocab_size":151936,"tie_word_embeddings":false,)"
        R"("quantization":{"group_size":32,"bits":4,"mode":"mxfp4",)" +
        overrides + "}}";
    return m;
}

namespace {

constexpr const char* kV41Config = R"({"model_type":"deepseek_v41","dtype":"bfloat16",
"quantization_config":{"quant_method":"fp8","weight_block_size":[32,32],"scale_fmt":"ue8m0","expert_dtype":"fp4"},
"text_config":{"model_type":"deepseek_v41_text","vocab_size":129280,"hidden_size":5120,"moe_intermediate_size":2304,
"num_hidden_layers":40,"num_attention_heads":64,"num_key_value_heads":1,"head_dim":512,"qk_rope_head_dim":64,"q_lora_rank":1280,
"o_lora_rank":1024,"o_groups":8,"tie_word_embeddings":false,"n_routed_experts":384,"n_shared_experts":1,"num_experts_per_tok":6,
"sliding_window":128,"compress_ratios":[0,0,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,0,0,0],
"kv_source_layer_ids":[2,8,14,20],"index_source_layer_ids":[2,8,14,20,24,28,32,36],"index_n_heads":32,"index_head_dim":128,
"index_topk":512,"candidate_source_layer_id":20,"hc_mult":4,"engram_layer_ids":[1,14],
"engram_num_embeddings":[384006168,384016682],"engram_max_ngram_size":4,"engram_n_heads":8,"engram_head_dim":256,
"num_nextn_predict_layers":3,"dspark_block_size":5,"dspark_target_layer_ids":[37,38,39],"dspark_markov_rank":256,
"dspark_n_routed_experts":128,"dspark_num_experts_per_tok":3},
"vision_config":{"model_type":"deepseek_v41_vision","num_hidden_layers":32,"hidden_size":1024}})";

void add_v41(ShapedModel& m, const std::string& part, const std::string& name, std::uint64_t rows,
             std::uint64_t columns) {
    m.add_blocks(part, name, rows, columns, 32, ".scale", "F8_E8M0");
}

// Two 4-bit weights per byte, one scale per 32.
void add_fp4(ShapedModel& m, const std::string& part, const std::string& name, std::uint64_t rows,
             std::uint64_t columns) {
    m.add(part, name + ".weight", "I8", {rows, columns / 2});
    m.add(part, name + ".scale", "F8_E8M0", {rows, columns / 32});
}

void add_v41_block(ShapedModel& m, const std::string& block, const std::string& experts, const std::string& rest,
                   int count) {
    for (const char* site : {"attn", "ffn"}) {
        m.add(rest, fmt::format("{}hc_{}_fn", block, site), "F32", {24, 20480});
        m.add(rest, fmt::format("{}hc_{}_base", block, site), "F32", {24});
        m.add(rest, fmt::format("{}hc_{}_scale", block, site), "F32", {3});
        m.add(rest, fmt::format("{}{}_norm.weight", block, site), "BF16", {5120});
    }
    m.add(rest, block + "attn.attn_sink", "F32", {64});
    add_v41(m, rest, block + "attn.wq_a", 1280, 5120);
    add_v41(m, rest, block + "attn.wq_b", 32768, 1280);
    m.add(rest, block + "attn.q_norm.weight", "BF16", {1280});
    add_v41(m, rest, block + "attn.wkv", 512, 5120);
    m.add(rest, block + "attn.kv_norm.weight", "BF16", {512});
    add_v41(m, rest, block + "attn.wo_a", 8192, 4096);
    add_v41(m, rest, block + "attn.wo_b", 5120, 8192);
    m.add(rest, block + "ffn.gate.weight", "BF16", {static_cast<std::uint64_t>(count), 5120});
    m.add(rest, block + "ffn.gate.bias", "F32", {static_cast<std::uint64_t>(count)});
    add_v41(m, rest, block + "ffn.shared_experts.w1", 2304, 5120);
    add_v41(m, rest, block + "ffn.shared_experts.w2", 5120, 2304);
    add_v41(m, rest, block + "ffn.shared_experts.w3", 2304, 5120);
    for (int e = 0; e < count; ++e) {
        const std::string at = fmt::format("{}ffn.experts.{}.", block, e);
        add_fp4(m, experts, at + "w1", 2304, 5120);
        add_fp4(m, experts == "experts" ? "experts_down" : experts, at + "w2", 5120, 2304);
        add_fp4(m, experts, at + "w3", 2304, 5120);
    }
}

void add_v41_sources(ShapedModel& m, int layer) {
    const std::string at = fmt::format("layers.{}.attn.", layer);
    const bool keys = layer == 2 || layer == 8 || layer == 14 || layer == 20;
    if (keys) {
        m.add("rest", at + "compressor.wkv.weight", "BF16", {512, 5120});
        if (layer < 20) m.add("rest", at + "compressor.wgate.weight", "BF16", {512, 5120});
        m.add("rest", at + "compressor.norm.weight", "BF16", {512});
        m.add("rest", at + "indexer.wk.weight", "BF16", {128, 512});
        m.add("rest", at + "indexer.k_norm.weight", "BF16", {128});
    }
    if (!keys && !(layer > 20 && layer % 4 == 0)) return;
    add_v41(m, "rest", at + "indexer.wq_b", 4096, 1280);
    m.add("rest", at + "indexer.weights_proj.weight", "BF16", {32, 5120});
}

void add_v41_engram(ShapedModel& m, int layer, std::uint64_t rows) {
    const std::string at = fmt::format("layers.{}.engram.", layer);
    m.add("tables", at + "embed.weight", "F8_E4M3", {rows, 256});
    m.add("tables", at + "embed.scale", "F8_E8M0", {rows, 8});
    add_v41(m, "rest", at + "wkv", 25600, 6144);
    m.add("rest", at + "q_weight", "BF16", {4, 5120});
    m.add("rest", at + "k_weight", "BF16", {4, 5120});
}

} // namespace

ShapedModel deepseek_v41_flash() {
    ShapedModel m;
    m.catalogue_id = "deepseek-v4.1-flash";
    m.config = kV41Config;
    m.add("embedding", "embed.weight", "BF16", {129280, 5120});
    m.add("embedding", "head.weight", "BF16", {129280, 5120});
    m.add("rest", "norm.weight", "BF16", {5120});
    for (int i = 0; i < 40; ++i) {
        add_v41_block(m, fmt::format("layers.{}.", i), "experts", "rest", 384);
        add_v41_sources(m, i);
    }
    add_v41_engram(m, 1, 384006168);
    add_v41_engram(m, 14, 384016682);
    for (int i = 0; i < 3; ++i) add_v41_block(m, fmt::format("mtp.{}.", i), "drafter_experts", "drafter_rest", 128);
    add_v41(m, "drafter_rest", "mtp.0.main_proj", 5120, 15360);
    m.add("drafter_rest", "mtp.0.main_norm.weight", "BF16", {5120});
    m.add("drafter_rest", "mtp.2.markov_head.markov_w1.weight", "BF16", {129280, 256});
    m.add("drafter_rest", "mtp.2.markov_head.markov_w2.weight", "BF16", {129280, 256});
    m.add("drafter_rest", "mtp.2.confidence_head.proj.weight", "BF16", {1, 5376});
    m.add("drafter_rest", "mtp.2.norm.weight", "BF16", {5120});
    m.add("other", "vision.blocks.weight", "BF16", {473895, 1024}); // 485,268,480 parameters, as published
    return m;
}

namespace {

std::vector<GgufValue> common_values(const std::string& architecture, const std::string& name, std::uint32_t layers,
                                     std::uint32_t hidden, std::uint32_t heads, std::uint32_t kv_heads,
                                     std::uint32_t head_dim, std::uint32_t ffn) {
    const std::string a = architecture + ".";
    return {gguf_string("general.architecture", architecture),
            gguf_string("general.name", name),
            gguf_u32(a + "block_count", layers),
            gguf_u32(a + "embedding_length", hidden),
            gguf_u32(a + "attention.head_count", heads),
            gguf_u32(a + "attention.head_count_kv", kv_heads),
            gguf_u32(a + "attention.key_length", head_dim),
            gguf_u32(a + "attention.value_length", head_dim),
            gguf_u32(a + "feed_forward_length", ffn)};
}

void add_experts_values(std::vector<GgufValue>& values, const std::string& architecture, std::uint32_t count,
                        std::uint32_t used, std::uint32_t width) {
    values.push_back(gguf_u32(architecture + ".expert_count", count));
    values.push_back(gguf_u32(architecture + ".expert_used_count", used));
    values.push_back(gguf_u32(architecture + ".expert_feed_forward_length", width));
}

} // namespace

ShapedModel qwen3_30b_gguf() {
    ShapedModel m;
    m.catalogue_id = "qwen3-30b-a3b";
    m.values = common_values("qwen3moe", "Qwen3 30B A3B", 48, 2048, 32, 4, 128, 6144);
    add_experts_values(m.values, "qwen3moe", 128, 8, 768);
    m.values.push_back(gguf_string("general.size_label", "30B-A3B"));
    m.add("embedding", "token_embd.weight", "Q4_K", {151936, 2048});
    m.add("embedding", "output.weight", "Q6_K", {151936, 2048});
    m.add("rest", "output_norm.weight", "F32", {2048});
    for (int i = 0; i < 48; ++i) {
        const std::string at = fmt::format("blk.{}.", i), wide = i % 2 == 0 ? "Q6_K" : "Q4_K";
        m.add("rest", at + "attn_q.weight", "Q4_K", {4096, 2048});
        m.add("rest", at + "attn_k.weight", "Q4_K", {512, 2048});
        m.add("rest", at + "attn_v.weight", wide, {512, 2048});
        m.add("rest", at + "attn_output.weight", "Q4_K", {2048, 4096});
        for (const char* name : {"attn_norm.weight", "ffn_norm.weight"}) m.add("rest", at + name, "F32", {2048});
        for (const char* name : {"attn_q_norm.weight", "attn_k_norm.weight"}) m.add("rest", at + name, "F32", {128});
        m.add("rest", at + "ffn_gate_inp.weight", "F32", {128, 2048});
        m.add("experts", at + "ffn_gate_exps.weight", "Q4_K", {128, 768, 2048});
        m.add("experts", at + "ffn_up_exps.weight", "Q4_K", {128, 768, 2048});
        m.add("experts_down", at + "ffn_down_exps.weight", wide, {128, 2048, 768});
    }
    return m;
}

ShapedModel gemma3_27b_gguf() {
    ShapedModel m;
    m.catalogue_id = "gemma-3-27b";
    m.values = common_values("gemma3", "Gemma 3 27b", 62, 5376, 32, 16, 128, 21504);
    m.values.push_back(gguf_u32("gemma3.attention.sliding_window", 1024));
    m.add("embedding", "token_embd.weight", "Q6_K", {262208, 5376});
    m.add("rest", "output_norm.weight", "F32", {5376});
    for (int i = 0; i < 62; ++i) {
        const std::string at = fmt::format("blk.{}.", i);
        m.add("rest", at + "attn_q.weight", "Q4_0", {4096, 5376});
        m.add("rest", at + "attn_k.weight", "Q4_0", {2048, 5376});
        m.add("rest", at + "attn_v.weight", "Q4_0", {2048, 5376});
        m.add("rest", at + "attn_output.weight", "Q4_0", {5376, 4096});
        for (const char* name : {"attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm"})
            m.add("rest", at + name + ".weight", "F32", {5376});
        for (const char* name : {"ffn_gate.weight", "ffn_up.weight"}) m.add("rest", at + name, "Q4_0", {21504, 5376});
        m.add("rest", at + "ffn_down.weight", "Q4_0", {5376, 21504});
    }
    return m;
}

namespace {

void add_glm_block(ShapedModel& m, int layer, const std::string& experts, const std::string& rest) {
    const std::string at = fmt::format("blk.{}.", layer);
    m.add(rest, at + "attn_q.weight", "Q8_0", {12288, 5120});
    m.add(rest, at + "attn_k.weight", "Q8_0", {1024, 5120});
    m.add(rest, at + "attn_v.weight", "Q8_0", {1024, 5120});
    m.add(rest, at + "attn_output.weight", "Q8_0", {5120, 12288});
    m.add(rest, at + "attn_q.bias", "F32", {12288});
    for (const char* name : {"attn_norm.weight", "post_attention_norm.weight"}) m.add(rest, at + name, "F32", {5120});
    if (layer < 3) {
        for (const char* name : {"ffn_gate.weight", "ffn_up.weight"}) m.add(rest, at + name, "Q8_0", {12288, 5120});
        m.add(rest, at + "ffn_down.weight", "Q8_0", {5120, 12288});
        return;
    }
    m.add(rest, at + "ffn_gate_inp.weight", "F32", {160, 5120});
    m.add(rest, at + "exp_probs_b.bias", "F32", {160});
    for (const char* name : {"ffn_gate_shexp.weight", "ffn_up_shexp.weight"})
        m.add(rest, at + name, "Q8_0", {1536, 5120});
    m.add(rest, at + "ffn_down_shexp.weight", "Q8_0", {5120, 1536});
    for (const char* name : {"ffn_gate_exps.weight", "ffn_up_exps.weight"})
        m.add(experts, at + name, "IQ4_XS", {160, 1536, 5120});
    m.add(experts == "experts" ? "experts_down" : experts, at + "ffn_down_exps.weight", "Q5_K", {160, 5120, 1536});
}

} // namespace

ShapedModel glm45_gguf() {
    ShapedModel m;
    m.catalogue_id = "glm-4.5-4.7";
    m.values = common_values("glm4moe", "GLM 4.5", 93, 5120, 96, 8, 128, 12288);
    add_experts_values(m.values, "glm4moe", 160, 8, 1536);
    for (const auto& [key, value] : std::vector<std::pair<std::string, std::uint32_t>>{
             {"expert_shared_count", 1}, {"leading_dense_block_count", 3}, {"nextn_predict_layers", 1}}) {
        m.values.push_back(gguf_u32("glm4moe." + key, value));
    }
    m.add("embedding", "token_embd.weight", "Q8_0", {151552, 5120});
    m.add("embedding", "output.weight", "Q6_K", {151552, 5120});
    m.add("rest", "output_norm.weight", "F32", {5120});
    for (int i = 0; i < 92; ++i) add_glm_block(m, i, "experts", "rest");
    add_glm_block(m, 92, "drafter_experts", "drafter_rest");
    for (const char* name : {"enorm", "hnorm", "shared_head_norm"})
        m.add("drafter_rest", fmt::format("blk.92.nextn.{}.weight", name), "F32", {5120});
    m.add("drafter_rest", "blk.92.nextn.eh_proj.weight", "Q8_0", {5120, 10240});
    m.add("drafter_rest", "blk.92.nextn.embed_tokens.weight", "Q4_K", {151552, 5120});
    m.add("drafter_rest", "blk.92.nextn.shared_head_head.weight", "Q4_K", {151552, 5120});
    return m;
}

} // namespace spillway::synthetic
