// What lies where: memory pools filled fast to slow, the expert budget, the residency.
// In: Case and the Sizes of its model and format. Out: Placement. A case in range is taken as it is; what is unknown
// (usable memory, bits) leaves empty what needs it. See docs/physics.md 5.
#pragma once

#include "engine/fixed_list.h"
#include "engine/sizes.h"
#include "inputs/scenario.h"

#include <optional>

namespace spillway {

inline constexpr std::size_t kMaxPools = 4;

enum class Part { non_expert, embedding, drafter, other_parts, working_memory, reserve, experts, lookup_tables };
inline constexpr std::size_t kParts = 8;

// Where a part lies. `pool` is an index into machine.memory.
inline constexpr int kOnStorage = -1;
inline constexpr int kNotLoaded = -2;

struct Component {
    Part part = Part::non_expert;
    std::optional<Bytes> bytes;
    int pool = 0;
};

// One memory pool's share.
struct Tier {
    Access access = Access::direct;
    Bytes fixed;                        // everything but experts charged here
    std::optional<Bytes> expert_budget; // what is left for experts, not below 0
    Bytes expert_bytes;                 // experts held
    double expert_share = 0.0;          // of the expert pool
    double layers = 0.0;                // layers whose other weights lie here
    double weight_share = 0.0;          // share of the layers' non-expert bytes that lies here
    double kv_share = 0.0;              // share of the KV cache that lies here
    double expert_layers = 0.0;         // layers with experts here (handoffs)
};

struct Placement {
    ModelBytes sizes;
    std::optional<Bytes> usable;        // of the first pool
    std::optional<Bytes> left_for_os;   // capacity less usable, first pool
    std::optional<Bytes> expert_budget; // over all pools in use; negative never, see short_by
    std::optional<Bytes> expert_pool;   // routed experts of the backbone
    std::optional<double> pool_over_budget;
    std::optional<double> residency; // share of the expert pool in any memory
    double unforced_residency = 0.0; // of layers whose residency no range forces; equal to `residency` without ranges
    std::optional<double> slots_per_layer; // of the layers with the most experts
    std::optional<bool> fits;              // everything but experts fits
    Bytes short_by;                        // what does not fit
    std::optional<Seconds> load;           // time to read everything resident from the drive once
    Bytes kv_cache;
    Bytes scratch;
    std::optional<Bytes> page_cache; // buffered path: memory that the page cache has
    FixedList<Component, 10> components;
    FixedList<Tier, kMaxPools> tiers;
    double pools_in_use = 1.0;
};

// A case with what was computed of it so far: what traffic and times are priced from. It only refers to the three.
struct PlacedCase {
    const Case& c;
    const Sizes& sizes;
    const Placement& placement;
};

// Tokens per prefill chunk: the scenario's, else the runtime's micro-batch.
double chunk_tokens(const Scenario& scenario);

// Experts per token that run: the scenario's cut, else the model's.
double active_experts(const Experts& experts, const Scenario& scenario);

// Residency forced on some layers of a block, averaged over its layers; `whole` for the others.
double block_residency(const Block& block, const Scenario& scenario, double whole);

Placement place(const Case& c, const Sizes& sizes);

} // namespace spillway
