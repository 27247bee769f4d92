#include "engine/traffic.h"
#include "engine/params.h"
#include "engine/routing.h"

#include <algorithm>

namespace spillway {

namespace {

bool takes_part(const Block& block, const Case& c, const StepShape& step) {
    if (!step.prefill) return runs_in_decode(block);
    if (step.decode_only_layers) return block.phases == Phases::decode;
    return runs_in_prefill(block) || c.scenario.prefill_all_layers;
}

// Experts of one layer that a step needs, by where they come from. `beyond[i]` is what pools 0..i do not serve.
struct LayerReads {
    double touched = 0.0;
    std::array<double, kMaxPools> beyond{};
    double after_page_cache = 0.0;
};

class Reads {
public:
    Reads(const Case& c, const Placement& placement, const Locality& locality, const StepShape& step)
        : case_(c), placement_(placement), locality_(locality), step_(step) {}

    // Recomputed only when shape or residency differ from the last block's: most models have one expert shape.
    const LayerReads& of(const Block& block) {
        const RoutedStep routed{static_cast<double>(block.experts->count),
                                active_experts(*block.experts, case_.scenario), step_.positions, step_.sequences};
        const double whole = placement_.residency.value_or(0.0);
        const double residency = block_residency(block, case_.scenario, placement_.unforced_residency);
        if (routed.experts != last_.experts || routed.active != last_.active || residency != residency_) {
            last_ = routed;
            residency_ = residency;
            compute(residency, whole);
        }
        return reads_;
    }

private:
    // Experts that a memory holding the share r does not serve. A cache follows use; what was placed at load serves
    // its share of bytes, and so does any memory in prefill, where the chunk touches what it touches.
    double beyond(double r) const {
        if (r >= 1.0) return 0.0;
        if (step_.prefill || case_.scenario.runtime.policy != Policy::cache) return reads_.touched * (1.0 - r);
        return missed_experts(locality_, last_, r);
    }

    void compute(double residency, double whole) {
        reads_.touched = touched_experts(locality_, last_);
        const double scale = whole > 0.0 ? residency / whole : 0.0;
        double held = 0.0;
        const std::size_t pools = placement_.tiers.size;
        for (std::size_t i = 0; i < pools; ++i) {
            held += placement_.tiers.items[i].expert_share * scale;
            const bool all = i + 1 == pools;
            reads_.beyond[i] = beyond(all ? residency : held);
        }
        reads_.after_page_cache = reads_.beyond[pools - 1];
        if (placement_.page_cache && placement_.expert_pool && placement_.expert_pool->value > 0.0) {
            // Inclusive caches: pages that the engine keeps in its own slots stay in the page cache too, so that it
            // adds only what it holds beyond them.
            const double cached = std::min(1.0, *placement_.page_cache / *placement_.expert_pool);
            if (cached > residency) reads_.after_page_cache = beyond(cached);
        }
    }

    const Case& case_;
    const Placement& placement_;
    const Locality& locality_;
    const StepShape& step_;
    RoutedStep last_{};
    double residency_ = -1.0;
    LayerReads reads_;
};

// Where what was read from storage or copied is computed: beside the last pool if another processor computes there,
// else in the first.
std::size_t landing_pool(const Case& c, const Placement& p, const StepShape& step) {
    const Runtime& r = c.scenario.runtime;
    const Access access = step.prefill ? r.prefill_spill_access : r.spill_access;
    return p.tiers.size > 1 && access == Access::in_place && r.policy != Policy::cache ? p.tiers.size - 1 : 0;
}

void add_experts(const Case& c, const Placement& p, const StepShape& step, const LayerReads& reads, Bytes per_expert,
                 double layers, StepTraffic& t) {
    const Runtime& r = c.scenario.runtime;
    const Access spill = step.prefill ? r.prefill_spill_access : r.spill_access;
    double before = reads.touched;
    for (std::size_t i = 0; i < p.tiers.size; ++i) {
        const Bytes served = layers * (before - reads.beyond[i]) * per_expert;
        before = reads.beyond[i];
        if (i > 0 && spill == Access::copied) {
            t.pools[i].over_link += served;
            t.pools[0].experts += served;
        } else {
            t.pools[i].experts += served;
        }
    }
    t.experts += layers * reads.touched * per_expert;
    const Bytes lacking = layers * before * per_expert;
    t.pools[landing_pool(c, p, step)].experts += lacking;
    t.missed += layers * reads.after_page_cache * per_expert;
    t.page_cache += lacking - layers * reads.after_page_cache * per_expert;
    t.missed_experts += layers * reads.after_page_cache;
    if (before > 0.0) t.missing_layers += layers;
}

// Non-expert weights and layers by pool. Layers that lie in a later pool are computed there, or copied to the first
// pool where prefill does so.
void add_fixed(const Case& c, const Placement& p, const StepShape& step, Bytes layer_weights, StepTraffic& t) {
    const ModelBytes& bytes = p.sizes;
    const bool copies = step.prefill && c.scenario.runtime.prefill_spill_access == Access::copied;
    const double all_layers = bytes.layer_count > 0.0 ? bytes.layer_count : 1.0;
    for (std::size_t i = 0; i < p.tiers.size; ++i) {
        const Bytes weights = p.tiers.items[i].weight_share * layer_weights;
        const double layers = t.layers * p.tiers.items[i].layers / all_layers;
        const std::size_t where = copies ? 0 : i;
        t.pools[where].fixed += weights;
        t.pools[where].layers += layers;
        if (copies && i > 0) t.pools[i].over_link += weights;
        const bool beside = i > 0 && !copies && c.scenario.runtime.spill_access == Access::in_place;
        if (beside && !step.prefill) t.pools[i].handoffs = p.tiers.items[i].expert_layers;
    }
    t.pools[0].fixed += *bytes.outside;
    // The head multiplies every decoded token, but only the last one of a prompt; the embedding is one row per token.
    if (!step.prefill) t.pools[0].fixed += *bytes.head;
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

} // namespace

StepTraffic traffic(const Case& c, const Placement& p, const Locality& locality, const StepShape& step) {
    StepTraffic t;
    Reads reads(c, p, locality, step);
    Bytes layer_weights;
    for (const Block& block : c.model.blocks) {
        if (!takes_part(block, c, step)) continue;
        const double layers = layer_count(block);
        const double fixed = layer_fixed_params(block, c.model.hidden);
        t.layers += layers;
        t.params += layers * fixed;
        layer_weights += bytes_of(layers * fixed, c.quantization.rest).value_or(Bytes(0.0));
        if (!block.experts) continue;
        t.moe_layers += layers;
        t.params += layers * active_experts(*block.experts, c.scenario) * expert_params(*block.experts);
        const auto per_expert = expert_bytes(*block.experts, c.quantization);
        if (per_expert) add_experts(c, p, step, reads.of(block), *per_expert, layers, t);
    }
    if (!step.decode_only_layers) t.params += static_cast<double>(c.model.extra_params);
    add_fixed(c, p, step, layer_weights, t);
    if (!step.prefill) {
        const Bytes kv = kv_cache_bytes(c.model, c.scenario, c.scenario.depth);
        for (std::size_t i = 0; i < p.tiers.size; ++i) t.pools[i].kv = p.tiers.items[i].kv_share * kv;
    }
    if (!step.decode_only_layers) add_lookups(c, step, t);
    return t;
}

} // namespace spillway
