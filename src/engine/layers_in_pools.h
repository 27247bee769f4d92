// What lies beside the experts: charges to the first pool, and whole layers that move on where it is too small.
// In: Case, its Sizes, a Placement with its tiers opened. Out: tiers with their fixed bytes and shares.
// See docs/physics.md 5.1 and 5.2.
#pragma once

#include "engine/placement.h"

namespace spillway {

// Everything that must lie in memory beside the layers' weights and the experts, split into what can move with a
// layer (KV) and what stays in the first pool.
struct Charges {
    Bytes stays; // embedding, head, model-wide weights, drafter, other parts, reserve
    Bytes scratch;
    Bytes working_memory; // floor for KV + scratch
    Bytes kv;
};

// Needs known bits of layers, head and experts.
Charges charges_of(const Case& c, const ModelBytes& bytes, const Placement& placement);

// What the OS keeps inside the usable limit.
Bytes reserve_of(const Scenario& scenario);

// Moves whole layers, last ones first, from pool to pool until each pool's charge fits; the last pool in use takes
// what is left. Returns the bytes that fit nowhere.
Bytes pour_layers(const Case& c, const Sizes& sizes, const Charges& charges, Placement& placement);

} // namespace spillway
