#include "engine/sizes.h"

#include "engine/params.h"

namespace spillway {

namespace {

std::optional<Bytes> sum(std::optional<Bytes> a, std::optional<Bytes> b) {
    return a && b ? std::optional(*a + *b) : std::nullopt;
}

LayerKind layer_kind(const Block& block, Count hidden, const Quantization& q) {
    LayerKind kind;
    kind.layers = layer_count(block);
    kind.fixed_params = layer_fixed_params(block, hidden);
    kind.fixed = bytes_of(kind.fixed_params, q.rest);
    kind.all_fixed = bytes_of(kind.layers * kind.fixed_params, q.rest);
    if (!block.experts) return kind;
    kind.experts = static_cast<double>(block.experts->count);
    kind.active = static_cast<double>(block.experts->active);
    kind.expert_params = expert_params(*block.experts);
    kind.expert = expert_bytes(*block.experts, q);
    return kind;
}

std::vector<LayerKind> layer_kinds(const std::vector<Block>& blocks, Count hidden, const Quantization& q) {
    std::vector<LayerKind> kinds;
    kinds.reserve(blocks.size());
    for (const Block& block : blocks) kinds.push_back(layer_kind(block, hidden, q));
    return kinds;
}

// Parameters over layers: all that every token reads, and `experts` of the routed ones of each layer.
struct Params {
    double fixed = 0.0, routed = 0.0;
};
Params params_of(const std::vector<LayerKind>& kinds, double LayerKind::*experts) {
    Params params;
    for (const LayerKind& kind : kinds) {
        params.fixed += kind.layers * kind.fixed_params;
        if (kind.experts > 0.0) params.routed += kind.layers * kind.*experts * kind.expert_params;
    }
    return params;
}

std::optional<Bytes> expert_pool(const std::vector<LayerKind>& kinds) {
    Bytes pool;
    for (const LayerKind& kind : kinds) {
        if (kind.experts <= 0.0) continue;
        if (!kind.expert) return std::nullopt;
        pool += kind.layers * kind.experts * *kind.expert;
    }
    return pool;
}

// The drafter's own formats, where it has any.
struct DrafterBits {
    std::optional<double> experts, rest;
};
DrafterBits drafter_bits(const Quantization& q) {
    return {q.drafter_experts ? q.drafter_experts : q.experts, q.drafter_rest ? q.drafter_rest : q.rest};
}

// Of a model with a drafter.
std::optional<Bytes> drafter_bytes(const Model& model, const std::vector<LayerKind>& kinds, const Quantization& q) {
    const Drafter& d = *model.drafter;
    const Params params = params_of(kinds, &LayerKind::experts);
    const double fixed = params.fixed + static_cast<double>(d.extra_params);
    const double copies = d.embedding_copies ? 2.0 * static_cast<double>(model.vocabulary * model.hidden) : 0.0;
    const DrafterBits bits = drafter_bits(q);
    return sum(sum(bytes_of(params.routed, bits.experts), bytes_of(fixed, bits.rest)), bytes_of(copies, q.embedding));
}

Bytes drafter_pass(const Drafter& drafter, const std::vector<LayerKind>& kinds, const Quantization& q) {
    const Params params = params_of(kinds, &LayerKind::active);
    const double fixed = static_cast<double>(drafter.extra_params) + params.fixed;
    const DrafterBits bits = drafter_bits(q);
    return bytes_of(fixed, bits.rest).value_or(Bytes(0.0)) + bytes_of(params.routed, bits.experts).value_or(Bytes(0.0));
}

std::optional<Bytes> other_bytes(const Model& model, const Quantization& q) {
    double params = 0.0;
    for (const OtherPart& part : model.other_parts) {
        if (!part.params) return std::nullopt;
        params += static_cast<double>(*part.params);
    }
    return bytes_of(params, q.other);
}

std::optional<Bytes> table_bytes(const Model& model, const Quantization& q) {
    double params = 0.0;
    for (const LookupTable& table : model.tables) {
        params += static_cast<double>(table.rows) * static_cast<double>(table.row_params);
    }
    return bytes_of(params, q.tables);
}

} // namespace

std::optional<Bytes> bytes_of(double params, std::optional<double> bits) {
    if (params == 0.0) return Bytes(0.0);
    if (!bits) return std::nullopt;
    return Bytes(params * *bits / 8.0);
}

Sizes sizes_of(const Model& model, const Quantization& q) {
    Sizes sizes;
    sizes.kinds = layer_kinds(model.blocks, model.hidden, q);
    ModelBytes& bytes = sizes.bytes;
    const double table = static_cast<double>(model.vocabulary) * static_cast<double>(model.hidden);
    bytes.layers = bytes_of(params_of(sizes.kinds, &LayerKind::experts).fixed, q.rest);
    bytes.outside = bytes_of(static_cast<double>(model.extra_params), q.rest);
    bytes.head = bytes_of(table, q.embedding);
    bytes.table = model.tied_embedding ? Bytes(0.0) : bytes.head;
    bytes.experts = expert_pool(sizes.kinds);
    bytes.other = other_bytes(model, q);
    bytes.tables = table_bytes(model, q);
    for (const LayerKind& kind : sizes.kinds) {
        bytes.layer_count += kind.layers;
        if (kind.experts > 0.0) bytes.moe_layers += kind.layers;
    }
    bytes.drafter = Bytes(0.0);
    if (!model.drafter) return sizes;
    const std::vector<LayerKind> kinds = layer_kinds(model.drafter->blocks, model.hidden, q);
    bytes.drafter = drafter_bytes(model, kinds, q);
    sizes.drafter_pass = drafter_pass(*model.drafter, kinds, q);
    for (const LayerKind& kind : kinds) sizes.drafter_layers += kind.layers;
    return sizes;
}

ModelBytes model_bytes(const Model& model, const Quantization& q) { return sizes_of(model, q).bytes; }

} // namespace spillway
