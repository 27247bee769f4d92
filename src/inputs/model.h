// A model as shapes: blocks of like layers, experts, attention, drafter, lookup tables, quantizations. Bytes are
// never stored; they follow from shapes and bits per weight (model.cpp), so that no total can disagree with its
// parts. Integers are counts or widths in elements; 0 means "there is none".
#pragma once

#include "inputs/fields.h"
#include "inputs/quantity.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillway {

using Count = std::int64_t;
inline constexpr double kMaxCount = 1e13;

// How a layer mixes tokens. gqa: grouped heads over the whole context; swa: the same inside a sliding window;
// chunked: the same inside fixed chunks; mla: one latent and one rope part per token; dsa: mla that reads only the
// top-k tokens an indexer picks; csa: one shared latent per token, compressed by a ratio, beside a window;
// linear: a state of fixed size.
enum class AttentionKind { gqa, swa, chunked, mla, dsa, csa, linear };
template <>
struct EnumNames<AttentionKind> {
    static constexpr std::array<std::string_view, 7> names = {"gqa", "swa", "chunked", "mla", "dsa", "csa", "linear"};
};

// Form of a linear layer: Kimi delta attention, gated delta net, Mamba 2. `none` for every other kind.
enum class LinearForm { none, kda, gdn, mamba2 };
template <>
struct EnumNames<LinearForm> {
    static constexpr std::array<std::string_view, 4> names = {"none", "kda", "gdn", "mamba2"};
};

// Output gate of an attention layer: none, one value per output element, a low-rank pair, one value per head.
enum class Gate { none, full, low, head };
template <>
struct EnumNames<Gate> {
    static constexpr std::array<std::string_view, 4> names = {"none", "full", "low", "head"};
};

// The indexer of a sparse layer. A layer may run it (owns_query) without storing keys of its own (owns_keys).
struct Indexer {
    Count heads = 0;
    Count head_dim = 0;
    Count query_width_in = 0; // width of the vector its queries are projected from
    bool head_weights = false;
    bool owns_query = false;
    bool owns_keys = false;
    Count topk = 0;         // tokens that a query then attends to
    Count key_matrices = 1; // projections that make a key (2 where keys are compressed with a gate)
    Count key_width = 0;    // output width of each; 0 means head_dim
};

template <class Visitor>
void fields(Visitor& visit, Indexer& index) {
    visit("heads", index.heads, FieldInfo{"indexer heads", Presence::required, 1, kMaxCount});
    visit("head_dim", index.head_dim, FieldInfo{"width of an indexer key", Presence::required, 1, kMaxCount});
    visit("query_width_in", index.query_width_in,
          FieldInfo{"input width of the query projection", Presence::required, 1, kMaxCount});
    visit("head_weights", index.head_weights, FieldInfo{"whether a projection weighs the heads"});
    visit("owns_query", index.owns_query, FieldInfo{"whether these layers run the indexer"});
    visit("owns_keys", index.owns_keys, FieldInfo{"whether these layers store indexer keys"});
    visit("topk", index.topk, FieldInfo{"tokens attended to", Presence::required, 1, kMaxCount});
    visit("key_matrices", index.key_matrices, optional_field("projections per key", 1, 16));
    visit("key_width", index.key_width, optional_field("output width of a key projection; 0: head_dim", 0, kMaxCount));
}

// Projections that compress the keys and values of several tokens into one entry (csa).
struct Compressor {
    Count matrices = 0;
    Count width = 0;
};

template <class Visitor>
void fields(Visitor& visit, Compressor& compressor) {
    visit("matrices", compressor.matrices, FieldInfo{"projections", Presence::required, 1, 16});
    visit("width", compressor.width, FieldInfo{"output width of each", Presence::required, 1, kMaxCount});
}

// Attention of one kind of layer. Members that a kind does not use stay 0.
struct Attention {
    AttentionKind kind = AttentionKind::gqa;
    Count heads = 0;
    Count kv_heads = 0;
    Count head_dim_k = 0; // without the rope part where rope_dim is separate (mla, dsa)
    Count head_dim_v = 0;
    Count rope_dim = 0;
    Count q_lora_rank = 0;
    Count kv_lora_rank = 0;
    Count o_lora_rank = 0;
    Count o_groups = 0;
    Count window = 0;            // tokens kept by swa, chunked and csa
    Count compress_ratio = 0;    // csa: tokens per entry; 0: window only
    bool shares_kv = false;      // reads another layer's cache, stores none
    bool value_is_key = false;   // no value projection
    Count relative_bias_dim = 0; // per-head relative position projection
    Gate gate = Gate::none;
    std::optional<Compressor> compressor;
    std::optional<Indexer> index;
    LinearForm form = LinearForm::none;
    Count key_heads = 0;
    Count value_heads = 0;
    Count conv_kernel = 0;
    Count low_rank = 0;
    Count state_dim = 0;
    Count groups = 0;
};

template <class Visitor>
void fields(Visitor& visit, Attention& a) {
    visit("kind", a.kind, FieldInfo{"kind of attention"});
    visit("heads", a.heads, optional_field("query heads", 0, kMaxCount));
    visit("kv_heads", a.kv_heads, optional_field("key and value heads", 0, kMaxCount));
    visit("head_dim_k", a.head_dim_k,
          optional_field("width of a key head, without a separate rope part", 0, kMaxCount));
    visit("head_dim_v", a.head_dim_v, optional_field("width of a value head", 0, kMaxCount));
    visit("rope_dim", a.rope_dim, optional_field("width of the separate rope part (mla, dsa)", 0, kMaxCount));
    visit("q_lora_rank", a.q_lora_rank, optional_field("rank of the query projection; 0: full", 0, kMaxCount));
    visit("kv_lora_rank", a.kv_lora_rank, optional_field("width of the cached latent (mla, dsa)", 0, kMaxCount));
    visit("o_lora_rank", a.o_lora_rank, optional_field("rank of the output projection per group (csa)", 0, kMaxCount));
    visit("o_groups", a.o_groups, optional_field("groups of the output projection (csa)", 0, kMaxCount));
    visit("window", a.window, optional_field("tokens kept by a window or chunk", 0, kMaxCount));
    visit("compress_ratio", a.compress_ratio,
          optional_field("tokens per cache entry (csa); 0: window only", 0, kMaxCount));
    visit("shares_kv", a.shares_kv, optional_field("reads another layer's cache and stores none"));
    visit("value_is_key", a.value_is_key, optional_field("no value projection: values are the keys"));
    visit("relative_bias_dim", a.relative_bias_dim,
          optional_field("width of a relative position projection per head", 0, kMaxCount));
    visit("gate", a.gate, optional_field("output gate"));
    visit("compressor", a.compressor, optional_field("projections that compress the cache (csa)"));
    visit("index", a.index, optional_field("indexer of a sparse layer"));
    visit("form", a.form, optional_field("form of a linear layer"));
    visit("key_heads", a.key_heads, optional_field("key heads (gdn)", 0, kMaxCount));
    visit("value_heads", a.value_heads, optional_field("value heads (gdn)", 0, kMaxCount));
    visit("conv_kernel", a.conv_kernel, optional_field("width of the short convolution", 0, kMaxCount));
    visit("low_rank", a.low_rank, optional_field("rank of low-rank gates (kda)", 0, kMaxCount));
    visit("state_dim", a.state_dim, optional_field("state width (mamba2)", 0, kMaxCount));
    visit("groups", a.groups, optional_field("state groups (mamba2)", 0, kMaxCount));
}

// Routed experts of one kind of layer. Parameters of one expert = matrices x width_in x width.
struct Experts {
    Count count = 0;    // E
    Count active = 0;   // k, per token
    Count matrices = 3; // gate, up and down; 2 without a gate
    Count width_in = 0; // may differ from the hidden size (latent mixture of experts)
    Count width = 0;
};

template <class Visitor>
void fields(Visitor& visit, Experts& experts) {
    visit("count", experts.count, FieldInfo{"routed experts per layer", Presence::required, 1, 1e6});
    visit("active", experts.active, FieldInfo{"experts per token (top-k)", Presence::required, 1, 1e6});
    visit("matrices", experts.matrices, FieldInfo{"matrices per expert", Presence::required, 1, 16});
    visit("width_in", experts.width_in, FieldInfo{"input width", Presence::required, 1, 1e9});
    visit("width", experts.width, FieldInfo{"inner width", Presence::required, 1, 1e9});
}

// Shared experts: read for every token.
struct SharedExperts {
    Count count = 0;
    Count matrices = 3;
    Count width_in = 0;
    Count width = 0;
};

template <class Visitor>
void fields(Visitor& visit, SharedExperts& shared) {
    visit("count", shared.count, FieldInfo{"shared experts per layer", Presence::required, 1, 1e6});
    visit("matrices", shared.matrices, FieldInfo{"matrices per expert", Presence::required, 1, 16});
    visit("width_in", shared.width_in, FieldInfo{"input width", Presence::required, 1, 1e9});
    visit("width", shared.width, FieldInfo{"inner width", Presence::required, 1, 1e9});
}

// A projection between the hidden size and a narrower one that the experts work in: matrices x hidden x width.
struct LatentProjection {
    Count matrices = 2;
    Count width = 0;
};

template <class Visitor>
void fields(Visitor& visit, LatentProjection& latent) {
    visit("matrices", latent.matrices, FieldInfo{"projections", Presence::required, 1, 16});
    visit("width", latent.width, FieldInfo{"latent width", Presence::required, 1, 1e9});
}

// The phases in which a block runs.
enum class Phases { both, prefill, decode };
template <>
struct EnumNames<Phases> {
    static constexpr std::array<std::string_view, 3> names = {"both", "prefill", "decode"};
};

// Layer numbers of a block, in a file as text: "0-2, 6".
struct LayerSet {
    std::vector<int> numbers; // ascending, distinct
    friend bool operator==(const LayerSet&, const LayerSet&) = default;
};

// Like layers. A block without `attention` has none; without `experts` it is dense (or attention only).
struct Block {
    LayerSet layers;
    Phases phases = Phases::both;
    std::optional<Attention> attention;
    std::optional<Experts> experts;
    std::optional<SharedExperts> shared;
    std::optional<LatentProjection> latent;
    Count dense_width = 0;  // inner width of a gated feed-forward network of three matrices
    Count extra_params = 0; // per layer, read for every token
    std::string extra_what; // what they are
};

template <class Visitor>
void fields(Visitor& visit, Block& block) {
    visit("layers", block.layers, FieldInfo{"layer numbers, as \"0-2, 6\""});
    visit("phases", block.phases, optional_field("phases in which these layers run"));
    visit("attention", block.attention, optional_field("attention of each layer"));
    visit("experts", block.experts, optional_field("routed experts of each layer"));
    visit("shared", block.shared, optional_field("shared experts of each layer"));
    visit("latent", block.latent, optional_field("projection into the experts' width"));
    visit("dense_width", block.dense_width, optional_field("inner width of a dense feed-forward network", 0, 1e9));
    visit("extra_params", block.extra_params, optional_field("other parameters per layer", 0, kMaxCount));
    visit("extra_what", block.extra_what, optional_field("what the other parameters are"));
}

// A drafter (MTP layers or a separate block drafter). It is charged and read only if a scenario speculates.
struct Drafter {
    std::string kind;
    std::vector<Block> blocks;
    Count extra_params = 0;
    std::string extra_what;
    bool in_checkpoint = true;
    bool embedding_copies = false; // the checkpoint stores embedding and head again
    bool drafts_block = false;     // one pass drafts all positions; otherwise one pass per position
};

template <class Visitor>
void fields(Visitor& visit, Drafter& drafter) {
    visit("kind", drafter.kind, FieldInfo{"what it is (mtp, dspark, ...)"});
    visit("blocks", drafter.blocks, FieldInfo{"its layers"});
    visit("extra_params", drafter.extra_params, optional_field("parameters outside the layers", 0, kMaxCount));
    visit("extra_what", drafter.extra_what, optional_field("what they are"));
    visit("in_checkpoint", drafter.in_checkpoint, optional_field("whether the model's files hold it"));
    visit("embedding_copies", drafter.embedding_copies, optional_field("whether embedding and head are stored again"));
    visit("drafts_block", drafter.drafts_block, optional_field("whether one pass drafts all positions"));
}

// Lookup tables addressed by token ids (n-gram or per-layer embeddings): read from the file, never in the budget.
struct LookupTable {
    std::string name;
    Count rows = 0;
    Count row_params = 0;
    Count rows_per_token = 0;
    Count reads_per_token = 0;
};

template <class Visitor>
void fields(Visitor& visit, LookupTable& table) {
    visit("name", table.name, FieldInfo{"name"});
    visit("rows", table.rows, FieldInfo{"rows over all tables of this kind", Presence::required, 1, kMaxCount});
    visit("row_params", table.row_params, FieldInfo{"elements per row", Presence::required, 1, kMaxCount});
    visit("rows_per_token", table.rows_per_token, FieldInfo{"rows read per token", Presence::required, 0, kMaxCount});
    visit("reads_per_token", table.reads_per_token,
          FieldInfo{"separate reads per token", Presence::required, 0, kMaxCount});
}

// A part outside the text path (vision tower). Empty `params`: it exists, its size is not known.
struct OtherPart {
    std::string name;
    std::optional<Count> params;
};

template <class Visitor>
void fields(Visitor& visit, OtherPart& part) {
    visit("name", part.name, FieldInfo{"name"});
    visit("params", part.params, FieldInfo{"parameters; null: not known", Presence::required, 0, kMaxCount});
}

// Bits per stored weight, scales included, part by part. Empty: not known.
struct Quantization {
    std::string name;
    std::optional<double> experts;         // routed experts of the backbone, gate and up matrices
    std::optional<double> experts_down;    // their down matrix; empty: as `experts`
    std::optional<double> rest;            // every other backbone weight but embedding and head
    std::optional<double> embedding;       // input embedding and output head
    std::optional<double> drafter_experts; // empty: as `experts`
    std::optional<double> drafter_rest;    // empty: as `rest`
    std::optional<double> other;           // vision and the like
    std::optional<double> tables;          // lookup tables
    std::string note;
};

template <class Visitor>
void fields(Visitor& visit, Quantization& q) {
    constexpr double lowest = 0.5, highest = 64.0;
    visit("name", q.name, FieldInfo{"name, as given to -q"});
    visit("experts", q.experts, FieldInfo{"bits per weight of routed experts", Presence::required, lowest, highest});
    visit("experts_down", q.experts_down,
          optional_field("bits of the experts' down matrix; default: as experts", lowest, highest));
    visit("rest", q.rest,
          FieldInfo{"bits per weight of the other backbone weights", Presence::required, lowest, highest});
    visit("embedding", q.embedding,
          FieldInfo{"bits per weight of embedding and head", Presence::required, lowest, highest});
    visit("drafter_experts", q.drafter_experts,
          optional_field("bits of the drafter's experts; default: as experts", lowest, highest));
    visit("drafter_rest", q.drafter_rest,
          optional_field("bits of the drafter's other weights; default: as rest", lowest, highest));
    visit("other", q.other, optional_field("bits per weight of other parts", lowest, highest));
    visit("tables", q.tables, optional_field("bits per weight of lookup tables", lowest, highest));
    visit("note", q.note, optional_field("where the widths come from"));
}

// The whole model.
struct Model {
    std::string name;
    Count hidden = 0;
    Count vocabulary = 0;
    bool tied_embedding = false;
    std::vector<Block> blocks;
    Count extra_params = 0; // outside the layers, read for every token
    std::string extra_what;
    Count prefill_tail_tokens = 0; // last prompt tokens that run the decode-only layers too
    std::optional<Drafter> drafter;
    std::vector<LookupTable> tables;
    std::vector<OtherPart> other_parts;
    std::vector<Quantization> quantizations;
};

template <class Visitor>
void fields(Visitor& visit, Model& model) {
    visit("name", model.name, FieldInfo{"name for people"});
    visit("hidden", model.hidden, FieldInfo{"hidden size", Presence::required, 1, 1e9});
    visit("vocabulary", model.vocabulary, FieldInfo{"rows of the embedding", Presence::required, 1, 1e9});
    visit("tied_embedding", model.tied_embedding, FieldInfo{"whether the head is the embedding"});
    visit("blocks", model.blocks, FieldInfo{"blocks of like layers"});
    visit("extra_params", model.extra_params,
          optional_field("parameters outside layers, embedding and head", 0, kMaxCount));
    visit("extra_what", model.extra_what, optional_field("what they are"));
    visit("prefill_tail_tokens", model.prefill_tail_tokens,
          optional_field("last prompt tokens that also run decode-only layers", 0, 1e9));
    visit("drafter", model.drafter, optional_field("drafter or MTP head"));
    visit("tables", model.tables, optional_field("lookup tables"));
    visit("other_parts", model.other_parts, optional_field("parts outside the text path"));
    visit("quantizations", model.quantizations, FieldInfo{"named quantizations"});
}

// Numbers of layers of a block as a double, for formulas.
inline double layer_count(const Block& block) { return static_cast<double>(block.layers.numbers.size()); }
inline bool runs_in_decode(const Block& block) { return block.phases != Phases::prefill; }
inline bool runs_in_prefill(const Block& block) { return block.phases != Phases::decode; }

} // namespace spillway
