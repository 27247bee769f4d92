#include "engine/params.h"

namespace spillway {

namespace {

double as_double(Count count) { return static_cast<double>(count); }

// Queries through an optional low-rank bottleneck, one latent plus rope part, keys and values expanded from the
// latent, output. head_dim_k is the part without rope.
double latent_attention(const Attention& a, double hidden) {
    const double heads = as_double(a.heads), rank = as_double(a.q_lora_rank), latent = as_double(a.kv_lora_rank);
    const double rope = as_double(a.rope_dim), dk = as_double(a.head_dim_k), dv = as_double(a.head_dim_v);
    const double query_width = heads * (dk + rope);
    const double query = a.q_lora_rank > 0 ? hidden * rank + rank * query_width : hidden * query_width;
    return query + hidden * (latent + rope) + latent * heads * (dk + dv) + heads * dv * hidden;
}

// One shared latent per token is key and value; the output goes through groups of low-rank projections.
double compressed_attention(const Attention& a, double hidden) {
    const double heads = as_double(a.heads), rank = as_double(a.q_lora_rank), out = as_double(a.o_lora_rank);
    const double query = hidden * rank + rank * heads * as_double(a.head_dim_k);
    const double output = heads * as_double(a.head_dim_v) * out + as_double(a.o_groups) * out * hidden;
    return query + hidden * as_double(a.head_dim_k) + output;
}

double grouped_attention(const Attention& a, double hidden) {
    const double keys = as_double(a.kv_heads) * as_double(a.head_dim_k);
    const double values = a.value_is_key ? 0.0 : as_double(a.kv_heads) * as_double(a.head_dim_v);
    const double queries = as_double(a.heads) * as_double(a.head_dim_k);
    return hidden * (queries + keys + values) + as_double(a.heads) * as_double(a.head_dim_v) * hidden;
}

// Gated delta net: queries, keys, values, output gate, two scalars per value head, short convolution, output.
double gated_delta_net(const Attention& a, double hidden) {
    const double keys = as_double(a.key_heads) * as_double(a.head_dim_k);
    const double values = as_double(a.value_heads) * as_double(a.head_dim_v);
    return hidden * (2 * keys + 2 * values + 2 * as_double(a.value_heads)) +
           as_double(a.conv_kernel) * (2 * keys + values) + values * hidden;
}

// Kimi delta attention: four full projections, three short convolutions, a low-rank decay, one scalar per head.
double kimi_delta_attention(const Attention& a, double hidden) {
    const double inner = as_double(a.heads) * as_double(a.head_dim_k), rank = as_double(a.low_rank);
    const double low_rank_pair = hidden * rank + rank * inner;
    const double gate = a.gate == Gate::full ? hidden * inner : a.gate == Gate::low ? low_rank_pair : 0.0;
    return 4 * hidden * inner + 3 * as_double(a.conv_kernel) * inner + low_rank_pair + gate +
           hidden * as_double(a.heads) + inner;
}

double mamba2(const Attention& a, double hidden) {
    const double inner = as_double(a.heads) * as_double(a.head_dim_v);
    const double states = 2 * as_double(a.groups) * as_double(a.state_dim);
    return hidden * (2 * inner + states + as_double(a.heads)) + as_double(a.conv_kernel) * (inner + states) +
           inner * hidden;
}

double linear_attention(const Attention& a, double hidden) {
    switch (a.form) {
    case LinearForm::gdn: return gated_delta_net(a, hidden);
    case LinearForm::kda: return kimi_delta_attention(a, hidden);
    case LinearForm::mamba2: return mamba2(a, hidden);
    case LinearForm::none: return 0.0;
    }
    return 0.0;
}

double gate_params(const Attention& a, double hidden) {
    switch (a.gate) {
    case Gate::full: return hidden * as_double(a.heads) * as_double(a.head_dim_v);
    case Gate::head: return hidden * as_double(a.heads);
    case Gate::low: return as_double(a.low_rank) * (hidden + as_double(a.heads) * as_double(a.head_dim_v));
    case Gate::none: return 0.0;
    }
    return 0.0;
}

double index_params(const Indexer& index, double hidden) {
    double params = 0.0;
    if (index.owns_query) {
        params += as_double(index.query_width_in) * as_double(index.heads) * as_double(index.head_dim);
        if (index.head_weights) params += hidden * as_double(index.heads);
    }
    if (index.owns_keys) {
        const Count width = index.key_width > 0 ? index.key_width : index.head_dim;
        params += hidden * as_double(index.key_matrices) * as_double(width);
    }
    return params;
}

double core_attention(const Attention& a, double hidden) {
    switch (a.kind) {
    case AttentionKind::gqa:
    case AttentionKind::swa:
    case AttentionKind::chunked: return grouped_attention(a, hidden);
    case AttentionKind::mla:
    case AttentionKind::dsa: return latent_attention(a, hidden);
    case AttentionKind::csa: return compressed_attention(a, hidden);
    case AttentionKind::linear: return 0.0;
    }
    return 0.0;
}

} // namespace

double attention_params(const Attention& a, Count hidden_size) {
    const double hidden = as_double(hidden_size);
    if (a.kind == AttentionKind::linear) return linear_attention(a, hidden);
    double params = core_attention(a, hidden) + gate_params(a, hidden);
    params += hidden * as_double(a.heads) * as_double(a.relative_bias_dim);
    if (a.compressor) params += as_double(a.compressor->matrices) * as_double(a.compressor->width) * hidden;
    if (a.index) params += index_params(*a.index, hidden);
    return params;
}

double expert_params(const Experts& experts) {
    return as_double(experts.matrices) * as_double(experts.width_in) * as_double(experts.width);
}

double layer_fixed_params(const Block& block, Count hidden_size) {
    const double hidden = as_double(hidden_size);
    double params = as_double(block.extra_params) + 3.0 * hidden * as_double(block.dense_width);
    if (block.attention) params += attention_params(*block.attention, hidden_size);
    if (block.experts) params += hidden * as_double(block.experts->count); // router
    if (block.latent) params += as_double(block.latent->matrices) * hidden * as_double(block.latent->width);
    if (block.shared) {
        const SharedExperts& s = *block.shared;
        params += as_double(s.count) * as_double(s.matrices) * as_double(s.width_in) * as_double(s.width);
    }
    return params;
}

double embedding_params(const Model& model) {
    const double table = as_double(model.vocabulary) * as_double(model.hidden);
    return model.tied_embedding ? table : 2.0 * table;
}

double total_params(const Model& model) {
    double params = embedding_params(model) + as_double(model.extra_params);
    for (const Block& block : model.blocks) {
        double layer = layer_fixed_params(block, model.hidden);
        if (block.experts) layer += as_double(block.experts->count) * expert_params(*block.experts);
        params += layer_count(block) * layer;
    }
    return params;
}

double active_params(const Model& model) {
    double params = as_double(model.vocabulary) * as_double(model.hidden) + as_double(model.extra_params);
    for (const Block& block : model.blocks) {
        if (!runs_in_decode(block)) continue;
        double layer = layer_fixed_params(block, model.hidden);
        if (block.experts) layer += as_double(block.experts->active) * expert_params(*block.experts);
        params += layer_count(block) * layer;
    }
    return params;
}

double kv_elements_per_token(const Attention& a) {
    if (a.shares_kv) return 0.0;
    const double index_keys = a.index && a.index->owns_keys ? as_double(a.index->head_dim) : 0.0;
    switch (a.kind) {
    case AttentionKind::gqa:
        return as_double(a.kv_heads) * (as_double(a.head_dim_k) + as_double(a.head_dim_v)) + index_keys;
    case AttentionKind::mla:
    case AttentionKind::dsa: return as_double(a.kv_lora_rank) + as_double(a.rope_dim) + index_keys;
    case AttentionKind::csa:
        if (a.compress_ratio == 0) return 0.0;
        return (as_double(a.head_dim_k) + index_keys) / as_double(a.compress_ratio);
    case AttentionKind::swa:
    case AttentionKind::chunked:
    case AttentionKind::linear: return 0.0;
    }
    return 0.0;
}

double kv_window_elements(const Attention& a) {
    switch (a.kind) {
    case AttentionKind::swa:
    case AttentionKind::chunked:
        return a.shares_kv ? 0.0 : as_double(a.kv_heads) * (as_double(a.head_dim_k) + as_double(a.head_dim_v));
    case AttentionKind::csa: return a.window > 0 ? as_double(a.head_dim_k) : 0.0;
    default: return 0.0;
    }
}

Bytes state_bytes(const Attention& a) {
    if (a.kind != AttentionKind::linear) return Bytes(0.0);
    constexpr double f32 = 4.0;
    const double dk = as_double(a.head_dim_k), dv = as_double(a.head_dim_v), heads = as_double(a.heads);
    const double history = as_double(a.conv_kernel) - 1.0;
    switch (a.form) {
    case LinearForm::gdn: {
        const double width = 2 * as_double(a.key_heads) * dk + as_double(a.value_heads) * dv;
        return Bytes(f32 * (as_double(a.value_heads) * dk * dv + history * width));
    }
    case LinearForm::kda: return Bytes(f32 * (heads * dk * dv + 3 * history * heads * dk));
    case LinearForm::mamba2: {
        const double width = heads * dv + 2 * as_double(a.groups) * as_double(a.state_dim);
        return Bytes(f32 * (heads * dv * as_double(a.state_dim) + history * width));
    }
    case LinearForm::none: return Bytes(0.0);
    }
    return Bytes(0.0);
}

std::optional<Bytes> expert_bytes(const Experts& experts, const Quantization& q) {
    if (!q.experts) return std::nullopt;
    // Of the matrices exactly one is the down projection, which mixes may store wider.
    const double matrices = as_double(experts.matrices);
    const double bits = ((matrices - 1.0) * *q.experts + q.experts_down.value_or(*q.experts)) / matrices;
    return Bytes(expert_params(experts) * bits / 8.0);
}

} // namespace spillway
