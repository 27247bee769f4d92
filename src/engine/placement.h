// What lies where: (Machine, Model, Scenario) -> tiers, budget, residency (physics.md section 4).
#pragma once

#include "engine/estimate.h"
#include "inputs/scenario.h"

#include <optional>

namespace spillway {

ModelBytes model_bytes(const Model& model, const Quantization& quantization);

// Bits per weight of a part as bytes per parameter; empty if unknown.
std::optional<Bytes> bytes_of(double params, std::optional<double> bits);

// Bytes of the KV cache and recurrent state of the backbone for `context` tokens and all sequences; window layers
// keep min(context, window) cells, rounded as the runtime does.
Bytes kv_cache_bytes(const Model& model, const Scenario& scenario, double context);

// KV bytes of one layer of a block, all sequences.
Bytes kv_layer_bytes(const Attention& attention, const Scenario& scenario, double context);

// Tokens per prefill chunk: the scenario's, else the runtime's micro-batch.
double chunk_tokens(const Scenario& scenario);

// Experts per token that run: the scenario's cut, else the model's.
double active_experts(const Experts& experts, const Scenario& scenario);

// Residency forced on some layers of a block, averaged over its layers; `whole` for the others.
double block_residency(const Block& block, const Scenario& scenario, double whole);

Placement place(const Case& c);

} // namespace spillway
