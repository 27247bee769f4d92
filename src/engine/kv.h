// The KV cache and recurrent state. In: a model's attention, the scenario. Out: bytes over all sequences.
// See docs/physics.md 2.4 and 2.5.
#pragma once

#include "inputs/scenario.h"

namespace spillway {

// Bytes of the KV cache and recurrent state of the backbone for `context` tokens and all sequences, with the
// drafter's where the scenario speculates; window layers keep min(context, window) cells, rounded as the runtime does.
Bytes kv_cache_bytes(const Model& model, const Scenario& scenario, double context);

// KV bytes of one layer of a block, all sequences.
Bytes kv_layer_bytes(const Attention& attention, const Scenario& scenario, double context);

} // namespace spillway
