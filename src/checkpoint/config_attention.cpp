// Attention of a layer as config.json describes it.
#include "checkpoint/config.h"

#include <algorithm>

namespace spillway {

namespace {

// Widths that differ between layers with a window and layers without.
void read_window_widths(ConfigReader& config, Attention& a) {
    a.heads = config.count("swa_num_attention_heads").value_or(a.heads);
    a.kv_heads = config.count({"swa_num_key_value_heads", "swa_num_kv_heads"}).value_or(a.kv_heads);
    a.head_dim_k = config.count("swa_head_dim").value_or(a.head_dim_k);
    a.head_dim_v = config.count({"swa_v_head_dim", "swa_head_dim"}).value_or(a.head_dim_v);
    const ConfigReader::json* const other = config.find("attention_other_setting");
    if (other == nullptr || !other->is_object()) return;
    const auto take = [&](const char* key, Count& to) {
        if (const auto found = other->find(key); found != other->end()) to = whole_number(*found).value_or(to);
    };
    take("num_attention_heads", a.heads);
    take("num_attention_groups", a.kv_heads);
    take("head_dim", a.head_dim_k);
    a.head_dim_v = a.head_dim_k;
}

void read_global_widths(ConfigReader& config, Attention& a) {
    if (const auto width = config.count("global_head_dim")) a.head_dim_k = a.head_dim_v = *width;
    a.kv_heads = config.count("num_global_key_value_heads").value_or(a.kv_heads);
    a.value_is_key = config.flag("attention_k_eq_v").value_or(false);
}

Gate read_gate(const ConfigReader& config, const Family& family) {
    if (config.flag("use_head_wise_attn_gate").value_or(false)) return Gate::head;
    if (config.text("gating_type") == "elementwise" || config.flag("mla_use_output_gate").value_or(false))
        return Gate::full;
    if (const auto stated = config.flag("attn_output_gate")) return *stated ? Gate::full : Gate::none;
    if (const auto stated = config.flag("attention_output_gate")) return *stated ? Gate::full : Gate::none;
    return family.gate;
}

// Whether a layer runs the indexer itself: layers that share another's selection hold none.
bool owns_indexer(const ConfigReader& config, int layer) {
    const std::vector<std::string> types = config.words("indexer_types");
    const auto at = static_cast<std::size_t>(layer);
    return types.empty() || at >= types.size() || types[at] != "shared";
}

std::optional<Indexer> latent_indexer(ConfigReader& config, const Attention& a, int layer) {
    const Count topk = config.count("index_topk").value_or(0);
    if (topk == 0) return std::nullopt;
    const bool owned = owns_indexer(config, layer);
    return Indexer{.heads = config.count("index_n_heads").value_or(1),
                   .head_dim = config.count("index_head_dim").value_or(1),
                   .query_width_in = a.q_lora_rank > 0 ? a.q_lora_rank : config.get_or_zero(ConfigField::hidden),
                   .head_weights = true,
                   .owns_query = owned,
                   .owns_keys = owned,
                   .topk = topk};
}

// Indexers beside grouped attention: their queries come from the hidden state, unweighted.
std::optional<Indexer> grouped_indexer(ConfigReader& config, int layer) {
    const Count hidden = config.get_or_zero(ConfigField::hidden);
    if (const auto heads = config.count("indexer_n_heads")) {
        return Indexer{.heads = *heads,
                       .head_dim = config.count("indexer_head_dim").value_or(1),
                       .query_width_in = hidden,
                       .owns_query = true,
                       .owns_keys = true,
                       .topk = config.count("indexer_budget").value_or(1)};
    }
    const ConfigReader::json* const sparse = config.find("sparse_attention_config");
    if (sparse == nullptr || !sparse->is_object()) return std::nullopt;
    const auto number = [&](const char* key) {
        const auto found = sparse->find(key);
        return found == sparse->end() ? 0 : whole_number(*found).value_or(0);
    };
    const auto frequency = sparse->find("sparse_attention_freq");
    const auto at = static_cast<std::size_t>(layer);
    if (frequency != sparse->end() && frequency->is_array() && at < frequency->size() && (*frequency)[at] == 0)
        return std::nullopt;
    const Count heads = number("sparse_num_index_heads"), width = number("sparse_index_dim");
    if (heads == 0 || width == 0) return std::nullopt;
    const Count blocks = number("sparse_topk_blocks"), size = number("sparse_block_size");
    constexpr Count kUsualTopk = 2048; // MiniMax M3: 16 blocks of 128
    return Indexer{.heads = heads,
                   .head_dim = width,
                   .query_width_in = hidden,
                   .owns_query = true,
                   .owns_keys = true,
                   .topk = blocks > 0 && size > 0 ? blocks * size : kUsualTopk};
}

Attention latent_attention(ConfigReader& config, const Family& family, int layer) {
    Attention a;
    a.kind = config.count("index_topk").value_or(0) > 0 ? AttentionKind::dsa : AttentionKind::mla;
    a.heads = a.kv_heads = config.get_or_zero(ConfigField::heads, layer);
    a.q_lora_rank = config.count("q_lora_rank").value_or(0);
    a.kv_lora_rank = config.count("kv_lora_rank").value_or(0);
    a.rope_dim = config.count("qk_rope_head_dim").value_or(0);
    a.head_dim_k = config.count("qk_nope_head_dim").value_or(0);
    a.head_dim_v = config.get(ConfigField::value_head_dim).value_or(a.head_dim_k);
    if (a.head_dim_k == 0)
        config.add_problem("qk_nope_head_dim", "nothing", "a whole number above 0",
                           "is missing: latent attention needs it");
    a.gate = read_gate(config, family);
    a.index = latent_indexer(config, a, layer);
    return a;
}

Attention grouped_attention(ConfigReader& config, const Family& family, Mixing mixing, int layer) {
    Attention a;
    a.heads = config.get_or_zero(ConfigField::heads, layer);
    a.kv_heads = config.get(ConfigField::kv_heads, layer).value_or(a.heads);
    const Count hidden = config.get_or_zero(ConfigField::hidden);
    a.head_dim_k = config.get(ConfigField::head_dim, layer).value_or(a.heads > 0 ? hidden / a.heads : 0);
    a.head_dim_v = config.get(ConfigField::value_head_dim, layer).value_or(a.head_dim_k);
    a.gate = read_gate(config, family);
    a.relative_bias_dim = config.count("d_rel").value_or(0);
    if (mixing == Mixing::full) {
        read_global_widths(config, a);
        a.index = grouped_indexer(config, layer);
        return a;
    }
    read_window_widths(config, a);
    a.kind = mixing == Mixing::chunk ? AttentionKind::chunked : AttentionKind::swa;
    a.window = mixing == Mixing::chunk ? config.count("attention_chunk_size").value_or(family.window)
                                       : config.get(ConfigField::window, layer).value_or(family.window);
    if (a.window == 0)
        config.add_problem("sliding_window", "nothing", "a whole number above 0",
                           "is missing: some layers have a window");
    return a;
}

// Kimi delta attention keeps its widths in an object of its own, gated delta nets beside the others.
Attention linear_attention(ConfigReader& config) {
    Attention a;
    a.kind = AttentionKind::linear;
    const ConfigReader::json* const nested = config.find("linear_attn_config");
    if (nested != nullptr && nested->is_object()) {
        const auto number = [&](const char* key, Count otherwise) {
            const auto found = nested->find(key);
            return found == nested->end() ? otherwise : whole_number(*found).value_or(otherwise);
        };
        a.form = LinearForm::kda;
        a.heads = number("num_heads", config.get_or_zero(ConfigField::heads));
        a.head_dim_k = a.head_dim_v = number("head_dim", 0);
        a.conv_kernel = number("short_conv_kernel_size", 4);
        a.low_rank = a.head_dim_k; // both low-rank pairs of the reference code pass through one head's width
        a.gate = number("use_full_rank_gate", 0) == 1 ? Gate::full : Gate::low;
        return a;
    }
    a.form = LinearForm::gdn;
    a.key_heads = config.count("linear_num_key_heads").value_or(0);
    a.value_heads = config.count("linear_num_value_heads").value_or(0);
    a.head_dim_k = config.count("linear_key_head_dim").value_or(0);
    a.head_dim_v = config.count("linear_value_head_dim").value_or(0);
    a.conv_kernel = config.count("linear_conv_kernel_dim").value_or(4);
    if (a.value_heads == 0)
        config.add_problem("linear_num_value_heads", "nothing", "a whole number above 0",
                           "is missing: some layers are linear");
    return a;
}

Attention mamba_attention(ConfigReader& config) {
    Attention a;
    a.kind = AttentionKind::linear;
    a.form = LinearForm::mamba2;
    a.heads = config.count({"mamba_num_heads", "mamba_n_heads"}).value_or(0);
    a.head_dim_v = config.count({"mamba_head_dim", "mamba_d_head"}).value_or(0);
    a.state_dim = config.count({"ssm_state_size", "mamba_d_state"}).value_or(0);
    a.groups = config.count({"n_groups", "mamba_n_groups"}).value_or(1);
    a.conv_kernel = config.count({"conv_kernel", "mamba_d_conv"}).value_or(4);
    if (a.heads == 0)
        config.add_problem("mamba_num_heads", "nothing", "a whole number above 0",
                           "is missing: some layers are Mamba layers");
    return a;
}

} // namespace

std::optional<Attention> read_attention(ConfigReader& config, const Family& family, Mixing mixing, int layer) {
    switch (mixing) {
    case Mixing::none: return std::nullopt;
    case Mixing::linear: return linear_attention(config);
    case Mixing::mamba: return mamba_attention(config);
    case Mixing::full:
        if (config.count("kv_lora_rank").value_or(0) > 0) return latent_attention(config, family, layer);
        return grouped_attention(config, family, mixing, layer);
    case Mixing::window:
    case Mixing::chunk: return grouped_attention(config, family, mixing, layer);
    }
    return std::nullopt;
}

bool has_compressed_attention(const ConfigReader& config) {
    const ConfigReader::json* const ratios = config.find("compress_ratios");
    return ratios != nullptr && ratios->is_array() && !ratios->empty();
}

Attention read_compressed_attention(ConfigReader& config, int layer) {
    const auto holds = [&](const char* key) {
        const std::vector<Count> ids = config.numbers(key);
        return std::find(ids.begin(), ids.end(), layer) != ids.end();
    };
    Attention a;
    a.kind = AttentionKind::csa;
    a.heads = config.get_or_zero(ConfigField::heads);
    a.kv_heads = config.get(ConfigField::kv_heads).value_or(1);
    a.head_dim_k = a.head_dim_v = config.get_or_zero(ConfigField::head_dim);
    a.rope_dim = config.count("qk_rope_head_dim").value_or(0);
    a.q_lora_rank = config.count("q_lora_rank").value_or(0);
    a.o_lora_rank = config.count("o_lora_rank").value_or(0);
    a.o_groups = config.count("o_groups").value_or(0);
    a.window = config.get_or_zero(ConfigField::window);
    const std::vector<Count> ratios = config.numbers("compress_ratios");
    const auto at = static_cast<std::size_t>(layer);
    a.compress_ratio = at < ratios.size() ? ratios[at] : 0;
    if (a.compress_ratio == 0) return a;
    Indexer index{.heads = config.count("index_n_heads").value_or(1),
                  .head_dim = config.count("index_head_dim").value_or(1),
                  .query_width_in = a.q_lora_rank,
                  .head_weights = true,
                  .owns_query = true,
                  .owns_keys = true,
                  .topk = config.count("index_topk").value_or(1)};
    if (config.find("kv_source_layer_ids") != nullptr) { // layers read the cache of the source before them
        a.shares_kv = !holds("kv_source_layer_ids");
        // A ratio of 1 projects each token by itself; above it a second matrix weighs the tokens of an entry.
        if (!a.shares_kv) a.compressor = Compressor{a.compress_ratio > 1 ? 2 : 1, a.head_dim_k};
        index.owns_keys = !a.shares_kv;
        if (holds("index_source_layer_ids")) a.index = index;
        return a;
    }
    // Every layer compresses for itself; at a ratio of 4 windows overlap, which doubles the projections' width, and
    // an indexer with compressed keys picks entries.
    const bool overlaps = a.compress_ratio == 4;
    a.compressor = Compressor{2, overlaps ? 2 * a.head_dim_k : a.head_dim_k};
    if (overlaps) {
        index.key_matrices = 2;
        index.key_width = 2 * index.head_dim;
        a.index = index;
    }
    return a;
}

} // namespace spillway
