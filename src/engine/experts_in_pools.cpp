#include "engine/experts_in_pools.h"

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

// Fills the pools like water, fastest first, with `total` bytes of experts. Static placement puts whole layers into
// every pool but the last one in use. Forced budgets may exceed what a pool has: the last pool takes the excess.
void pour_experts(const Case& c, Bytes total, bool forced, Placement& p) {
    const ModelBytes& bytes = p.sizes;
    const bool by_layers = c.scenario.runtime.policy == Policy::static_layers;
    const Bytes layer = bytes.moe_layers > 0.0 ? *bytes.experts / bytes.moe_layers : Bytes(0.0);
    Bytes left = std::min(total, *bytes.experts);
    for (std::size_t i = 0; i < p.tiers.size; ++i) {
        Tier& tier = p.tiers.items[i];
        const bool last = i + 1 == p.tiers.size;
        Bytes held = last && forced ? left : std::min(left, tier.expert_budget.value_or(left));
        if (!last && by_layers && layer.value > 0.0) {
            // The tolerance keeps a pool that holds exactly n layers at n despite rounding.
            held = std::min(held, std::floor(held / layer + 1e-9) * layer);
        }
        tier.expert_bytes = held;
        tier.expert_share = bytes.experts->value > 0.0 ? held / *bytes.experts : 0.0;
        const double layers_here = held.value > 0.0 ? bytes.moe_layers : 0.0;
        tier.expert_layers = by_layers ? bytes.moe_layers * tier.expert_share : layers_here;
        left -= held;
    }
}

// The share of the experts that the scenario states for the first pool; empty if it states none, or there is no other.
std::optional<double> first_pool_share(const Scenario& s, const Placement& p) {
    if (p.tiers.size < 2 || p.sizes.moe_layers <= 0.0) return std::nullopt;
    if (s.cpu_moe_layers) return 1.0 - std::min(1.0, *s.cpu_moe_layers / p.sizes.moe_layers);
    return s.first_pool_experts;
}

// The first pool holds its stated share, whatever it has room for; the others fill with the rest.
void pour_stated(double first_share, Placement& p) {
    const Bytes experts = *p.sizes.experts;
    Bytes left = experts;
    for (std::size_t i = 0; i < p.tiers.size; ++i) {
        Tier& tier = p.tiers.items[i];
        tier.expert_bytes = i == 0 ? first_share * experts : std::min(left, tier.expert_budget.value_or(left));
        tier.expert_share = tier.expert_bytes / experts;
        tier.expert_layers = p.sizes.moe_layers * tier.expert_share;
        left -= tier.expert_bytes;
    }
    p.residency = left.value <= 1e-12 * experts.value ? 1.0 : 1.0 - left / experts;
}

// Layers with a forced residency take their share of the budget first; the other layers share what is left. Pinning
// more than the budget holds is possible, and noted (over_capacity).
void settle_ranges(const Case& c, const Sizes& sizes, Placement& p) {
    Bytes pinned, others;
    for (std::size_t i = 0; i < sizes.kinds.size(); ++i) {
        const LayerKind& kind = sizes.kinds[i];
        if (kind.experts <= 0.0) continue;
        const Bytes pool = kind.layers * kind.experts * kind.expert.value_or(Bytes(0.0));
        const double with_none = block_residency(c.model.blocks[i], c.scenario, 0.0);
        const double with_all = block_residency(c.model.blocks[i], c.scenario, 1.0);
        pinned += with_none * pool;
        others += (with_all - with_none) * pool;
    }
    const Bytes experts = *sizes.bytes.experts;
    const Bytes left = *p.residency * experts - pinned;
    p.unforced_residency = others.value > 0.0 ? std::clamp(left / others, 0.0, 1.0) : 0.0;
    p.residency = (pinned + p.unforced_residency * others) / experts;
    pour_experts(c, *p.residency * experts, true, p);
}

// The scenario's own budget, else what all pools in use leave; empty if one of them is unknown.
std::optional<Bytes> whole_budget(const Scenario& s, const Placement& p) {
    if (s.expert_budget) return s.expert_budget;
    Bytes budget;
    for (const Tier& tier : p.tiers) {
        if (!tier.expert_budget) return std::nullopt;
        budget += *tier.expert_budget;
    }
    return budget;
}

double held_share(const Placement& p, Bytes budget) {
    const Bytes experts = *p.sizes.experts;
    Bytes held;
    for (const Tier& tier : p.tiers) held += tier.expert_bytes;
    // Exactly 1 when everything is held: the sum of the pools' parts may be an ulp short.
    return budget >= experts && held >= experts * (1.0 - 1e-12) ? 1.0 : held / experts;
}

} // namespace

// A page-cached read path keeps its share of the capacity free, inside or outside the limit: the best cache is not the
// biggest that fits.
std::optional<Bytes> tier_budget(const Case& c, std::size_t pool, const Tier& tier) {
    const MemoryPool& memory = c.machine.memory[pool];
    if (!memory.usable) return std::nullopt;
    Bytes left = *memory.usable - tier.fixed;
    const double for_cache = c.scenario.runtime.page_cache_share;
    if (pool == 0 && for_cache > 0.0) left = std::min(left, memory.capacity * (1.0 - for_cache) - tier.fixed);
    return std::max(left, Bytes(0.0));
}

void settle_residency(const Case& c, const Sizes& sizes, Placement& p) {
    const Scenario& s = c.scenario;
    const std::optional<Bytes> experts = sizes.bytes.experts, budget = whole_budget(s, p);
    p.expert_budget = budget;
    p.expert_pool = experts;
    if (sizes.bytes.moe_layers <= 0.0) {
        p.residency = 1.0;
        return;
    }
    if (budget && budget->value > 0.0) p.pool_over_budget = *experts / *budget;
    if (const std::optional<double> first_share = first_pool_share(s, p)) {
        pour_stated(*first_share, p);
    } else if (s.residency) {
        p.residency = *s.residency;
        pour_experts(c, *s.residency * *experts, true, p);
    } else if (budget) {
        pour_experts(c, *budget, s.expert_budget.has_value(), p);
        p.residency = held_share(p, *budget);
    }
    p.unforced_residency = p.residency.value_or(0.0);
    if (!s.residency_ranges.empty() && p.residency) settle_ranges(c, sizes, p);
}

} // namespace spillway
