// Feed-forward networks of a layer, and what only few families have: residual mixers, lookup tables, drafters.
#include "checkpoint/config.h"

#include <algorithm>
#include <numeric>

namespace spillway {

namespace {

Count matrices(const Family& family) { return family.two_matrices ? 2 : 3; }

std::optional<SharedExperts> read_shared(ConfigReader& config, const Family& family, int layer, Count expert_width) {
    const Count hidden = config.get_or_zero(ConfigField::hidden);
    const Count count = config.get_or_zero(ConfigField::shared_experts);
    SharedExperts shared{1, matrices(family), hidden, config.get_or_zero(ConfigField::shared_width, layer)};
    if (shared.width == 0 && family.shared_is_ffn) shared.width = config.get_or_zero(ConfigField::ffn_width, layer);
    if (shared.width == 0 && count > 0) {
        shared.count = count;
        shared.width = expert_width;
    }
    return shared.width > 0 ? std::optional(shared) : std::nullopt;
}

void read_experts(ConfigReader& config, const Family& family, int layer, Block& block) {
    const Count hidden = config.need(ConfigField::hidden);
    const Count latent = config.get_or_zero(ConfigField::latent_width);
    const Count width =
        config.get(ConfigField::expert_width, layer).value_or(config.get_or_zero(ConfigField::ffn_width, layer));
    if (width == 0)
        config.add_problem("moe_intermediate_size", "nothing", "a whole number above 0",
                           "is missing: the width of an expert");
    block.experts = Experts{.count = config.need(ConfigField::experts),
                            .active = config.need(ConfigField::active_experts),
                            .matrices = matrices(family),
                            .width_in = latent > 0 ? latent : hidden,
                            .width = width};
    if (latent > 0) block.latent = LatentProjection{2, latent};
    block.shared = read_shared(config, family, layer, width);
}

// The model knows gated networks of three matrices; one without a gate is counted as other parameters.
void read_dense(ConfigReader& config, const Family& family, int layer, Block& block) {
    const Count width =
        config.get(ConfigField::dense_width, layer).value_or(config.get_or_zero(ConfigField::ffn_width, layer));
    if (width == 0)
        config.add_problem("intermediate_size", "nothing", "a whole number above 0",
                           "is missing: the feed-forward width");
    if (!family.two_matrices) {
        block.dense_width = width;
        return;
    }
    block.extra_params += product({2, config.get_or_zero(ConfigField::hidden), width});
    block.extra_what = "feed-forward network of two matrices";
}

void add_extra(Block& block, Count params, const char* what) {
    if (params == 0) return;
    block.extra_params += params;
    block.extra_what += block.extra_what.empty() ? what : std::string("; ") + what;
}

// Parameters of a layer's two residual mixers (attention and feed-forward).
Count mixer_params(const ConfigReader& config, const Family& family, Count hidden) {
    if (const Count streams = config.count("hc_mult").value_or(0); streams > 0) {
        return product({2, streams, family.mixer_rows, streams, hidden});
    }
    const Count streams = config.count("hc_count").value_or(0), rank = config.count("hc_lowrank").value_or(0);
    return product({2, streams, hidden, 2 * rank + streams}); // down, up, and one weight per stream
}

// N-gram tables of DeepSeek V4.1: one per order above 1, head and layer; their rows are projected to a key and a value
// per stream.
void read_engram(ConfigReader& config, Model& model) {
    const std::vector<Count> layers = config.numbers("engram_layer_ids"),
                             rows = config.numbers("engram_num_embeddings");
    const Count width = config.count("engram_head_dim").value_or(0);
    if (layers.empty() || rows.empty() || width == 0) return;
    const Count orders = config.count("engram_max_ngram_size").value_or(2) - 1;
    const Count per_layer = product({orders, config.count("engram_n_heads").value_or(1)});
    const Count reads = per_layer * static_cast<Count>(layers.size());
    model.tables.push_back({"Engram", std::accumulate(rows.begin(), rows.end(), Count{0}), width, reads, reads});
    const Count streams = config.count("hc_mult").value_or(1);
    model.extra_params += product({static_cast<Count>(layers.size()), streams + 1, model.hidden, per_layer, width});
    model.extra_what = "projections of lookup table rows";
}

void read_ngram_table(ConfigReader& config, Model& model) {
    const Count width = config.count("ple_embed_dim").value_or(0),
                base = config.count("ngram_vocab_size_base").value_or(0);
    const Count tables = (config.count("ngram_size").value_or(1) - 1) * config.count("heads_per_ngram").value_or(0);
    if (width == 0 || base == 0 || tables <= 0) return;
    // Each table has a prime number of rows just above the base; tensors give the exact sum.
    model.tables.push_back({"PLE n-gram", product({base, tables}), width / tables, tables, tables});
}

void read_layer_embeddings(ConfigReader& config, Count layers, Model& model) {
    const Count width = config.count("hidden_size_per_layer_input").value_or(0);
    if (width == 0) return;
    const Count rows = config.count("vocab_size_per_layer_input").value_or(model.vocabulary);
    model.tables.push_back({"per-layer embeddings", rows, product({layers, width}), 1, 1});
}

// Layers beyond the last one that fills a cache only read it: prompts end there, but for the last window of tokens.
void read_phases(ConfigReader& config, Declared& d) {
    const std::vector<Count> sources = config.numbers("kv_source_layer_ids");
    if (sources.empty()) return;
    const Count last = *std::max_element(sources.begin(), sources.end());
    if (last <= 0 || last + 1 >= static_cast<Count>(d.layers.size())) return;
    for (std::size_t i = static_cast<std::size_t>(last); i < d.layers.size(); ++i) d.layers[i].phases = Phases::decode;
    d.model.prefill_tail_tokens = config.get_or_zero(ConfigField::window);
}

// A block drafter with experts of its own (DSpark).
void read_block_drafter(ConfigReader& config, Declared& d) {
    d.drafter_kind = "dspark";
    d.drafts_block = true;
    for (Block& block : d.drafter) {
        if (!block.experts) continue;
        block.experts->count = config.count("dspark_n_routed_experts").value_or(block.experts->count);
        block.experts->active = config.count("dspark_num_experts_per_tok").value_or(block.experts->active);
    }
    const auto targets = static_cast<Count>(config.numbers("dspark_target_layer_ids").size());
    const Count rank = config.count("dspark_markov_rank").value_or(0);
    d.drafter_extra = product({targets, d.model.hidden, d.model.hidden}) + product({2, d.model.vocabulary, rank});
    d.drafter_extra_what = "projection of target layers, two Markov matrices";
}

} // namespace

void read_feed_forward(ConfigReader& config, const Family& family, FeedForward kind, int layer, Block& block) {
    if (kind == FeedForward::experts) read_experts(config, family, layer, block);
    if (kind == FeedForward::dense) read_dense(config, family, layer, block);
}

void read_extras(ConfigReader& config, Declared& d) {
    const Count mixers = mixer_params(config, d.family, d.model.hidden);
    for (Block& block : d.layers) add_extra(block, mixers, "hyper-connection mixers");
    for (Block& block : d.drafter) add_extra(block, mixers, "hyper-connection mixers");
    if (const Count rank = config.count("hc_lowrank").value_or(0); rank > 0) {
        d.model.extra_params += product({2, config.count("hc_count").value_or(0), d.model.hidden, rank});
        d.model.extra_what = "final hyper-connection mixer";
    }
    read_engram(config, d.model);
    read_ngram_table(config, d.model);
    read_layer_embeddings(config, static_cast<Count>(d.layers.size()), d.model);
    read_phases(config, d);
}

void read_drafter(ConfigReader& config, const std::vector<LayerRole>& roles, Declared& d) {
    const std::size_t first = d.layers.size();
    for (std::size_t i = first; i < roles.size(); ++i) {
        LayerRole role = roles[i];
        // A drafter attends to everything unless a list says otherwise.
        if (role.mixing == Mixing::linear || role.mixing == Mixing::mamba) role.mixing = Mixing::full;
        const int layer = static_cast<int>(i);
        Block block;
        block.layers.numbers = {static_cast<int>(i - first)};
        block.attention = has_compressed_attention(config) ? std::optional(read_compressed_attention(config, layer))
                                                           : read_attention(config, d.family, role.mixing, layer);
        read_feed_forward(config, d.family, role.feed_forward, layer, block);
        d.drafter.push_back(block);
    }
    if (d.drafter.empty()) return;
    if (config.count("dspark_block_size").value_or(0) > 0) return read_block_drafter(config, d);
    const Count declared = std::max<Count>(1, config.get_or_zero(ConfigField::drafter_layers));
    d.drafter_extra = product({declared, 2, d.model.hidden, d.model.hidden});
    d.drafter_extra_what = "projection of hidden state and embedding";
}

} // namespace spillway
