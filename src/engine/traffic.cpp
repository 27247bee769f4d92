#include "engine/traffic.h"

#include "engine/expert_reads.h"
#include "engine/kv.h"

#include <algorithm>

namespace spillway {

namespace {

Access spill_access(const Runtime& r, const StepShape& step) {
    return step.prefill ? r.prefill_spill_access : r.spill_access;
}

// Where what was read from storage or copied is computed: beside the last pool if another processor computes there,
// else in the first.
std::size_t landing_pool(const PlacedCase& placed, const StepShape& step) {
    const Runtime& r = placed.c.scenario.runtime;
    const std::size_t pools = placed.placement.tiers.size;
    const bool beside = spill_access(r, step) == Access::in_place && r.policy != Policy::cache;
    return pools > 1 && beside ? pools - 1 : 0;
}

void add_experts(const PlacedCase& placed, const StepShape& step, const LayerReads& reads, const LayerKind& kind,
                 StepTraffic& t) {
    const bool copies = spill_access(placed.c.scenario.runtime, step) == Access::copied;
    const double layers = kind.layers;
    const Bytes per_expert = *kind.expert;
    double before = reads.touched;
    for (std::size_t i = 0; i < placed.placement.tiers.size; ++i) {
        const Bytes served = layers * (before - reads.beyond[i]) * per_expert;
        before = reads.beyond[i];
        const bool over_link = i > 0 && copies;
        t.pools[over_link ? 0 : i].experts += served;
        if (!over_link) continue;
        t.pools[i].over_link += served;
        if (served.value > 0.0) t.pools[i].transfers += layers;
    }
    t.experts += layers * reads.touched * per_expert;
    const Bytes lacking = layers * before * per_expert;
    t.pools[landing_pool(placed, step)].experts += lacking;
    t.missed += layers * reads.after_page_cache * per_expert;
    t.page_cache += lacking - layers * reads.after_page_cache * per_expert;
    t.missed_experts += layers * reads.after_page_cache;
    if (before > 0.0) t.missing_layers += layers;
}

// Non-expert weights and layers by pool. Layers that lie in a later pool are computed there, or copied to the first
// pool where prefill does so.
void add_fixed(const PlacedCase& placed, const StepShape& step, Bytes layer_weights, StepTraffic& t) {
    const Placement& p = placed.placement;
    const Runtime& r = placed.c.scenario.runtime;
    const bool copies = step.prefill && r.prefill_spill_access == Access::copied;
    const double all_layers = p.sizes.layer_count > 0.0 ? p.sizes.layer_count : 1.0;
    for (std::size_t i = 0; i < p.tiers.size; ++i) {
        const Bytes weights = p.tiers.items[i].weight_share * layer_weights;
        const double layers = t.layers * p.tiers.items[i].layers / all_layers;
        const std::size_t where = copies ? 0 : i;
        t.pools[where].fixed += weights;
        t.pools[where].layers += layers;
        if (copies && i > 0) {
            t.pools[i].over_link += weights;
            t.pools[i].transfers += layers;
        }
        const bool beside = i > 0 && !copies && r.spill_access == Access::in_place;
        if (beside && !step.prefill) t.pools[i].handoffs = p.tiers.items[i].expert_layers;
    }
    t.pools[0].fixed += *p.sizes.outside;
    // The head multiplies every decoded token, but only the last one of a prompt; the embedding is one row per token.
    if (!step.prefill) t.pools[0].fixed += *p.sizes.head;
}

void add_lookups(const Case& c, const StepShape& step, StepTraffic& t) {
    if (!c.quantization.tables) return;
    const double tokens = step.positions * step.sequences;
    for (const LookupTable& table : c.model.tables) {
        const double elements = static_cast<double>(table.rows_per_token) * static_cast<double>(table.row_params);
        t.lookup += Bytes(tokens * elements * *c.quantization.tables / 8.0);
        t.lookup_reads += tokens * static_cast<double>(table.reads_per_token);
    }
}

void add_kv(const PlacedCase& placed, StepTraffic& t) {
    const Scenario& s = placed.c.scenario;
    const Bytes kv = kv_cache_bytes(placed.c.model, s, s.depth);
    for (std::size_t i = 0; i < placed.placement.tiers.size; ++i) {
        t.pools[i].kv = placed.placement.tiers.items[i].kv_share * kv;
    }
}

} // namespace

bool takes_part(const Block& block, const Scenario& s, const StepShape& step) {
    if (!step.prefill) return runs_in_decode(block);
    if (step.decode_only_layers) return block.phases == Phases::decode;
    return runs_in_prefill(block) || s.prefill_all_layers;
}

StepTraffic traffic(const PlacedCase& placed, const Locality& locality, const StepShape& step) {
    const Case& c = placed.c;
    StepTraffic t;
    ExpertReads reads(placed, locality, step);
    Bytes layer_weights;
    for (std::size_t i = 0; i < c.model.blocks.size(); ++i) {
        const Block& block = c.model.blocks[i];
        if (!takes_part(block, c.scenario, step)) continue;
        const LayerKind& kind = placed.sizes.kinds[i];
        t.layers += kind.layers;
        t.params += kind.layers * kind.fixed_params;
        layer_weights += kind.all_fixed.value_or(Bytes(0.0));
        if (!block.experts) continue;
        t.moe_layers += kind.layers;
        t.params += kind.layers * active_experts(*block.experts, c.scenario) * kind.expert_params;
        if (kind.expert) add_experts(placed, step, reads.of(block), kind, t);
    }
    if (!step.decode_only_layers) t.params += static_cast<double>(c.model.extra_params);
    add_fixed(placed, step, layer_weights, t);
    if (!step.prefill) add_kv(placed, t);
    if (!step.decode_only_layers) add_lookups(c, step, t);
    return t;
}

} // namespace spillway
