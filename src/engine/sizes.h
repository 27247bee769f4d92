// What follows from a model's shapes and one of its formats alone: bytes and parameters, block by block and in all.
// In: Model, Quantization. Out: Sizes, computed once and shared by every case of the same model and format.
// Bytes are empty where the format does not say the bits. See docs/physics.md 2.1 and 2.3.
#pragma once

#include "inputs/model.h"

#include <optional>
#include <vector>

namespace spillway {

// Bits per weight as bytes: params x bits / 8. No parameters are no bytes, whatever the bits.
std::optional<Bytes> bytes_of(double params, std::optional<double> bits);

// Totals over the model.
struct ModelBytes {
    std::optional<Bytes> layers;  // non-expert weights of all layers
    std::optional<Bytes> outside; // model-wide extra weights
    std::optional<Bytes> table;   // input embedding as stored (nothing extra if tied)
    std::optional<Bytes> head;    // output head, read whole per step
    std::optional<Bytes> experts; // routed experts of the backbone: the expert pool
    std::optional<Bytes> drafter; // with its experts and embedding copies
    std::optional<Bytes> other;   // vision and other parts
    std::optional<Bytes> tables;  // lookup tables
    double layer_count = 0.0;
    double moe_layers = 0.0;
};

// Layers of one kind: a block of the model, or of its drafter. Widths and counts are per layer.
struct LayerKind {
    double layers = 0.0;
    double fixed_params = 0.0;      // read for every token
    std::optional<Bytes> fixed;     // of one layer
    std::optional<Bytes> all_fixed; // of all layers of the kind
    double experts = 0.0;           // routed experts; 0: none
    double active = 0.0;            // the model's own top-k
    double expert_params = 0.0;     // of one expert
    std::optional<Bytes> expert;    // of one expert
};

struct Sizes {
    ModelBytes bytes;
    std::vector<LayerKind> kinds; // in the order of model.blocks
    double drafter_layers = 0.0;
    Bytes drafter_pass; // weights that one pass of the drafter reads, without the head; unknown bits count as nothing
};

ModelBytes model_bytes(const Model& model, const Quantization& quantization);
Sizes sizes_of(const Model& model, const Quantization& quantization);

} // namespace spillway
