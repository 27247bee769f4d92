#include "support/by_hand.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace spillway::by_hand {

namespace {

using Matrix = std::pair<Count, Count>; // rows, columns

double sum_of(std::initializer_list<Matrix> matrices) {
    double sum = 0.0;
    for (const auto& [rows, columns] : matrices) sum += static_cast<double>(rows) * static_cast<double>(columns);
    return sum;
}

bool is_latent(const Attention& a) { return a.kind == AttentionKind::mla || a.kind == AttentionKind::dsa; }
bool is_windowed(const Attention& a) { return a.kind == AttentionKind::swa || a.kind == AttentionKind::chunked; }

double linear_params(const Attention& a, Count h) {
    if (a.form == LinearForm::gdn) {
        const Count q = a.key_heads * a.head_dim_k, v = a.value_heads * a.head_dim_v;
        return sum_of({{h, q}, {h, q}, {h, v}, {h, v}, {h, a.value_heads}, {h, a.value_heads}, {v, h}}) +
               sum_of({{a.conv_kernel, q}, {a.conv_kernel, q}, {a.conv_kernel, v}});
    }
    if (a.form == LinearForm::kda) {
        const Count inner = a.heads * a.head_dim_k;
        double gate = 0.0;
        if (a.gate == Gate::full) gate = sum_of({{h, inner}});
        if (a.gate == Gate::low) gate = sum_of({{h, a.low_rank}, {a.low_rank, inner}});
        return sum_of({{h, inner}, {h, inner}, {h, inner}, {inner, h}}) + gate +
               sum_of({{a.conv_kernel, inner}, {a.conv_kernel, inner}, {a.conv_kernel, inner}}) +
               sum_of({{h, a.low_rank}, {a.low_rank, inner}, {h, a.heads}, {1, inner}});
    }
    const Count inner = a.heads * a.head_dim_v, states = a.groups * a.state_dim;
    return sum_of({{h, inner}, {h, inner}, {h, states}, {h, states}, {h, a.heads}, {inner, h}}) +
           sum_of({{a.conv_kernel, inner}, {a.conv_kernel, states}, {a.conv_kernel, states}});
}

double mixing_params(const Attention& a, Count h) {
    const Count q = a.heads * a.head_dim_k, out = a.heads * a.head_dim_v;
    if (is_latent(a)) {
        const Count wide = a.heads * (a.head_dim_k + a.rope_dim);
        const double query =
            a.q_lora_rank > 0 ? sum_of({{h, a.q_lora_rank}, {a.q_lora_rank, wide}}) : sum_of({{h, wide}});
        return query +
               sum_of({{h, a.kv_lora_rank}, {h, a.rope_dim}, {a.kv_lora_rank, q}, {a.kv_lora_rank, out}, {out, h}});
    }
    if (a.kind == AttentionKind::csa) {
        return sum_of({{h, a.q_lora_rank},
                       {a.q_lora_rank, q},
                       {h, a.head_dim_k},
                       {out, a.o_lora_rank},
                       {a.o_groups * a.o_lora_rank, h}});
    }
    return sum_of(
        {{h, q}, {h, a.kv_heads * a.head_dim_k}, {h, a.value_is_key ? 0 : a.kv_heads * a.head_dim_v}, {out, h}});
}

double extra_attention_params(const Attention& a, Count h) {
    double params = sum_of({{h, a.heads * a.relative_bias_dim}});
    if (a.gate == Gate::full) params += sum_of({{h, a.heads * a.head_dim_v}});
    if (a.gate == Gate::head) params += sum_of({{h, a.heads}});
    if (a.gate == Gate::low) params += sum_of({{h, a.low_rank}, {a.low_rank, a.heads * a.head_dim_v}});
    if (a.compressor) params += sum_of({{a.compressor->matrices * h, a.compressor->width}});
    if (!a.index) return params;
    const Indexer& i = *a.index;
    if (i.owns_query) params += sum_of({{i.query_width_in, i.heads * i.head_dim}, {i.head_weights ? h : 0, i.heads}});
    if (i.owns_keys) params += sum_of({{h, i.key_matrices * (i.key_width > 0 ? i.key_width : i.head_dim)}});
    return params;
}

// f32 state of one sequence and, before the short convolutions, the last inputs of each channel.
double state(const Attention& a) {
    if (a.kind != AttentionKind::linear) return 0.0;
    if (a.form == LinearForm::gdn) {
        const Count channels = 2 * a.key_heads * a.head_dim_k + a.value_heads * a.head_dim_v;
        return 4.0 * sum_of({{a.value_heads * a.head_dim_k, a.head_dim_v}, {a.conv_kernel - 1, channels}});
    }
    if (a.form == LinearForm::kda) {
        const Count channels = 3 * a.heads * a.head_dim_k;
        return 4.0 * sum_of({{a.heads * a.head_dim_k, a.head_dim_v}, {a.conv_kernel - 1, channels}});
    }
    const Count channels = a.heads * a.head_dim_v + 2 * a.groups * a.state_dim;
    return 4.0 * sum_of({{a.heads * a.head_dim_v, a.state_dim}, {a.conv_kernel - 1, channels}});
}

double element_bytes(KvFormat format) {
    switch (format) {
    case KvFormat::f32: return 4.0;
    case KvFormat::f16: return 2.0;
    case KvFormat::q8_0: return 1.0625; // 32 bytes and a 2-byte scale
    case KvFormat::q4_0: return 0.5625; // 16 bytes and a 2-byte scale
    case KvFormat::fp8: return 1.0;
    }
    return 0.0;
}

// Tokens that a window keeps of `context`: padded to whole cells, with a micro-batch beside it where the runtime says
// so.
double window_tokens(const Attention& a, const Scenario& s, double context) {
    double kept = static_cast<double>(a.window);
    if (s.runtime.kv_window_holds_batch) kept += s.runtime.micro_batch;
    const double over = std::fmod(kept, s.runtime.kv_cell_multiple);
    if (over > 0.0) kept += s.runtime.kv_cell_multiple - over;
    return kept < context ? kept : context;
}

double kv_elements(const Attention& a, const Scenario& s, double context) {
    const double key = static_cast<double>(a.head_dim_k), value = static_cast<double>(a.head_dim_v);
    const double pair = static_cast<double>(a.kv_heads) * (key + value);
    const double index = a.index && a.index->owns_keys ? static_cast<double>(a.index->head_dim) : 0.0;
    if (a.kind == AttentionKind::linear) return 0.0;
    if (a.kind == AttentionKind::csa) {
        const double window = a.window > 0 ? key * window_tokens(a, s, context) : 0.0;
        const bool compressed = a.compress_ratio > 0 && !a.shares_kv;
        return window + (compressed ? (key + index) * context / static_cast<double>(a.compress_ratio) : 0.0);
    }
    if (a.shares_kv) return 0.0;
    if (is_windowed(a)) return pair * window_tokens(a, s, context);
    if (is_latent(a)) return (static_cast<double>(a.kv_lora_rank + a.rope_dim) + index) * context;
    return (pair + index) * context;
}

// Tokens that a query sees which has `seen` before it.
double attended(const Attention& a, double seen) {
    const double window = static_cast<double>(a.window);
    const double topk = a.index ? static_cast<double>(a.index->topk) : 1e300;
    if (a.kind == AttentionKind::linear) return 0.0;
    if (is_windowed(a)) return std::min(window, seen);
    if (a.kind != AttentionKind::csa) return std::min(topk, seen);
    const double entries = a.compress_ratio > 0 ? seen / static_cast<double>(a.compress_ratio) : 0.0;
    return std::min(window, seen) + std::min(topk, entries);
}

} // namespace

double layer_params(const Block& block, Count hidden) {
    double params = static_cast<double>(block.extra_params) +
                    sum_of({{hidden, block.dense_width}, {hidden, block.dense_width}, {block.dense_width, hidden}});
    if (block.attention) {
        const Attention& a = *block.attention;
        const bool linear = a.kind == AttentionKind::linear;
        params += linear ? linear_params(a, hidden) : mixing_params(a, hidden) + extra_attention_params(a, hidden);
    }
    if (block.experts) params += sum_of({{hidden, block.experts->count}});
    if (block.latent) params += sum_of({{block.latent->matrices * hidden, block.latent->width}});
    if (block.shared) {
        const SharedExperts& s = *block.shared;
        params += sum_of({{s.count * s.matrices * s.width_in, s.width}});
    }
    return params;
}

double expert_params(const Experts& e) { return sum_of({{e.matrices * e.width_in, e.width}}); }

double expert_bytes(const Experts& e, const Quantization& q) {
    const double matrix = sum_of({{e.width_in, e.width}});
    const double down = q.experts_down.value_or(*q.experts);
    return (static_cast<double>(e.matrices - 1) * matrix * *q.experts + matrix * down) / 8.0;
}

bool runs(const Block& block, const Scenario& s, bool prefill) {
    if (!prefill) return block.phases != Phases::prefill;
    return block.phases != Phases::decode || s.prefill_all_layers;
}

double active(const Experts& e, const Scenario& s) {
    const double own = static_cast<double>(e.active), most = static_cast<double>(e.count);
    return s.active_experts ? std::min(*s.active_experts, most) : own;
}

double layer_bytes(const Case& c, bool prefill) {
    double bytes = 0.0;
    for (const Block& block : c.model.blocks) {
        if (!runs(block, c.scenario, prefill)) continue;
        bytes += static_cast<double>(block.layers.numbers.size()) * layer_params(block, c.model.hidden) *
                 *c.quantization.rest / 8.0;
    }
    return bytes;
}

double kv_layer_bytes(const Attention& a, const Scenario& s, double context) {
    return kv_elements(a, s, context) * element_bytes(s.kv_format) + s.positions * state(a);
}

double kv_bytes(const Case& c, double context) {
    double one = 0.0;
    const auto add = [&](const std::vector<Block>& blocks) {
        for (const Block& block : blocks) {
            if (!block.attention) continue;
            one += static_cast<double>(block.layers.numbers.size()) *
                   kv_layer_bytes(*block.attention, c.scenario, context);
        }
    };
    add(c.model.blocks);
    if (c.model.drafter && c.scenario.positions > 1.0) add(c.model.drafter->blocks);
    return c.scenario.sequences * one;
}

double attention_flops(const Attention& a, double tokens, double before) {
    Count width = a.head_dim_k + a.head_dim_v;
    if (is_latent(a)) width += a.rope_dim;
    return 2.0 * static_cast<double>(a.heads * width) * tokens * attended(a, before + 0.5 * tokens);
}

double chunk_flops(const Case& c, double tokens, double before) {
    double flops = 2.0 * static_cast<double>(c.model.extra_params) * tokens;
    for (const Block& block : c.model.blocks) {
        if (!runs(block, c.scenario, true)) continue;
        double layer = 2.0 * layer_params(block, c.model.hidden) * tokens;
        if (block.experts) layer += 2.0 * active(*block.experts, c.scenario) * expert_params(*block.experts) * tokens;
        if (block.attention) layer += attention_flops(*block.attention, tokens, before);
        flops += static_cast<double>(block.layers.numbers.size()) * layer;
    }
    return flops;
}

double chunk_expert_bytes(const Case& c, double tokens) {
    double bytes = 0.0;
    for (const Block& block : c.model.blocks) {
        if (!block.experts || !runs(block, c.scenario, true)) continue;
        const double count = static_cast<double>(block.experts->count);
        const double left_alone = std::pow(1.0 - active(*block.experts, c.scenario) / count, tokens);
        bytes += static_cast<double>(block.layers.numbers.size()) * count * (1.0 - left_alone) *
                 expert_bytes(*block.experts, c.quantization);
    }
    return bytes;
}

} // namespace spillway::by_hand
