// Sizes and operations of a model written a second time, matrix by matrix and kind by kind, as a reader of the model
// card would count them. Nothing here calls the engine: the properties compare the two.
#pragma once

#include "inputs/scenario.h"

#include <cstddef>

namespace spillway::by_hand {

// Parameters of one layer that every token reads.
double layer_params(const Block& block, Count hidden);
// Parameters and bytes of one routed expert.
double expert_params(const Experts& experts);
double expert_bytes(const Experts& experts, const Quantization& quantization);
// Bytes of all weights but experts, embedding, head and model-wide extras that a step runs through.
double layer_bytes(const Case& c, bool prefill);
// Bytes that one layer keeps of `context` tokens for one sequence, recurrent state included.
double kv_layer_bytes(const Attention& attention, const Scenario& scenario, double context);
// The same over the model (and the drafter where one is loaded) and all sequences.
double kv_bytes(const Case& c, double context);
// FLOP of one layer's scores and weighted sums for `tokens` queries behind `before` others.
double attention_flops(const Attention& attention, double tokens, double before);
// FLOP of a prefill chunk at that place of the prompt, through the layers that ordinary chunks run.
double chunk_flops(const Case& c, double tokens, double before);
// Expert bytes that a chunk of independent uniformly routed tokens touches.
double chunk_expert_bytes(const Case& c, double tokens);
// Experts per token that run.
double active(const Experts& experts, const Scenario& scenario);
bool runs(const Block& block, const Scenario& scenario, bool prefill);

} // namespace spillway::by_hand
