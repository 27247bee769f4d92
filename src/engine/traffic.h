// Bytes that one step moves: from each memory pool, over the link, from storage. A step is a decode step of n positions
// or a prefill chunk of C tokens; both are counted by the same function.
// In: a placed case with known bits and residency, a locality, the shape of the step. Out: StepTraffic.
// See docs/physics.md 7.1.
#pragma once

#include "engine/placement.h"

namespace spillway {

// What one pool gives in a step.
struct PoolTraffic {
    Bytes fixed;   // non-expert weights read
    Bytes experts; // expert weights read by the processor on this pool, those just inserted included
    Bytes kv;
    Bytes over_link;        // expert and layer weights copied from this pool to the first one
    double transfers = 0.0; // copies over the link, at least one for each layer with weights to copy
    double layers = 0.0;    // layers computed on this pool
    double handoffs = 0.0;
};

struct StepTraffic {
    std::array<PoolTraffic, kMaxPools> pools{};
    Bytes experts;             // expert bytes that the step touches, over all pools and storage
    Bytes missed;              // expert bytes that no memory pool holds
    double missed_experts = 0; // number of experts behind `missed`, all layers
    double missing_layers = 0; // layers whose experts may miss
    double moe_layers = 0;
    double layers = 0;
    Bytes page_cache; // part of what memory lacks that the OS page cache serves; not in `missed`
    Bytes lookup;     // lookup rows
    double lookup_reads = 0;
    double params = 0; // parameters that one token multiplies with, without embedding and head
};

// Which layers run, and how.
struct StepShape {
    double positions = 1.0; // tokens per sequence in this step
    double sequences = 1.0;
    bool prefill = false;
    bool decode_only_layers = false; // prefill: only the layers that ordinary chunks skip (the prompt's tail)
};

// Whether the layers of a block run in such a step.
bool takes_part(const Block& block, const Scenario& scenario, const StepShape& step);

StepTraffic traffic(const PlacedCase& placed, const Locality& locality, const StepShape& step);

} // namespace spillway
