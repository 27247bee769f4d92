// What follows from a model's shapes: parameters, cache elements and recurrent state per layer. In: a part of a Model.
// Out: counts of elements, and bytes where the format is known. No range is checked: a Model is in range when loaded.
// See docs/physics.md 2.2 to 2.5.
#pragma once

#include "inputs/model.h"

#include <optional>

namespace spillway {

// Parameters of one layer's attention, biases and norms left out (they are below 0.01 % of a layer).
double attention_params(const Attention& attention, Count hidden);
// Parameters of one routed expert.
double expert_params(const Experts& experts);
// Parameters of one layer that every token reads: attention, router, shared experts, dense network, extra.
double layer_fixed_params(const Block& block, Count hidden);
// Parameters of embedding plus head, each counted once if tied.
double embedding_params(const Model& model);
// All backbone parameters (no drafter, lookup table or other part) and those that one decode token reads
// (routed top-k and everything else but the input embedding).
double total_params(const Model& model);
double active_params(const Model& model);

// Cache elements that one layer adds per token of context, without a bound.
double kv_elements_per_token(const Attention& attention);
// Cache elements per token of a window or chunk, and how many tokens it keeps at most (0: no such part).
double kv_window_elements(const Attention& attention);
// Bytes of recurrent state (f32) of one layer and sequence.
Bytes state_bytes(const Attention& attention);

// Bytes of one routed expert; empty where the bits are unknown.
std::optional<Bytes> expert_bytes(const Experts& experts, const Quantization& quantization);

} // namespace spillway
