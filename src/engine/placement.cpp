#include "engine/placement.h"

#include "engine/experts_in_pools.h"
#include "engine/kv.h"
#include "engine/layers_in_pools.h"

#include <algorithm>

namespace spillway {

namespace {

std::optional<Bytes> sum(std::optional<Bytes> a, std::optional<Bytes> b) {
    return a && b ? std::optional(*a + *b) : std::nullopt;
}

void list_components(const Case& c, const ModelBytes& bytes, const Charges& charges, Placement& p) {
    const Scenario& s = c.scenario;
    p.components.add({Part::non_expert, sum(bytes.layers, bytes.outside), 0});
    p.components.add({Part::embedding, *bytes.table + *bytes.head, 0});
    if (c.model.drafter) p.components.add({Part::drafter, bytes.drafter, s.positions > 1.0 ? 0 : kNotLoaded});
    if (!c.model.other_parts.empty()) {
        p.components.add({Part::other_parts, bytes.other, s.use_other_parts ? 0 : kNotLoaded});
    }
    p.components.add({Part::working_memory, std::max(charges.working_memory, charges.kv + charges.scratch), 0});
    const Bytes reserve = reserve_of(s);
    if (reserve.value > 0.0) p.components.add({Part::reserve, reserve, 0});
    if (bytes.moe_layers > 0.0) p.components.add({Part::experts, bytes.experts, 0});
    if (!c.model.tables.empty()) p.components.add({Part::lookup_tables, bytes.tables, kOnStorage});
}

// Pools that may hold weights, empty as yet; all layers lie in the first.
void open_tiers(const Case& c, Placement& p) {
    const Runtime& r = c.scenario.runtime;
    const std::size_t pools = r.spills ? std::min(c.machine.memory.size(), kMaxPools) : 1;
    p.pools_in_use = static_cast<double>(pools);
    for (std::size_t i = 0; i < pools; ++i) {
        Tier tier;
        tier.access = i == 0 ? Access::direct : r.spill_access;
        tier.layers = i == 0 ? p.sizes.layer_count : 0.0;
        p.tiers.add(tier);
    }
}

void settle_slots(const Sizes& sizes, Placement& p) {
    double most = 0.0;
    for (const LayerKind& kind : sizes.kinds) most = std::max(most, kind.experts);
    if (most > 0.0 && p.residency) p.slots_per_layer = most * *p.residency;
}

// Sizes and limits that are known whatever the bits are.
Placement unplaced(const Case& c, const Sizes& sizes) {
    Placement p;
    p.sizes = sizes.bytes;
    const MemoryPool& first = c.machine.memory.front();
    p.usable = first.usable;
    if (first.usable) p.left_for_os = first.capacity - *first.usable;
    p.kv_cache = kv_cache_bytes(c.model, c.scenario, c.scenario.context);
    // Logits and hidden state of one micro-batch in f32: a floor.
    p.scratch = Bytes(4.0 * static_cast<double>(c.model.vocabulary + c.model.hidden) * chunk_tokens(c.scenario));
    return p;
}

} // namespace

double chunk_tokens(const Scenario& s) { return s.chunk.value_or(s.runtime.micro_batch); }

double active_experts(const Experts& experts, const Scenario& s) {
    const double active = static_cast<double>(experts.active);
    return s.active_experts ? std::min(*s.active_experts, static_cast<double>(experts.count)) : active;
}

double block_residency(const Block& block, const Scenario& s, double whole) {
    if (s.residency_ranges.empty()) return whole;
    double kept = 0.0;
    for (const int layer : block.layers.numbers) {
        double residency = whole;
        for (const ResidencyRange& range : s.residency_ranges) {
            const auto& numbers = range.layers.numbers;
            if (std::find(numbers.begin(), numbers.end(), layer) != numbers.end()) residency = range.residency;
        }
        kept += residency;
    }
    return kept / layer_count(block);
}

Placement place(const Case& c, const Sizes& sizes) {
    Placement p = unplaced(c, sizes);
    const ModelBytes& bytes = sizes.bytes;
    if (!bytes.layers || !bytes.head || !bytes.experts) return p;
    open_tiers(c, p);
    const Charges charges = charges_of(c, bytes, p);
    const Bytes over = pour_layers(c, sizes, charges, p);
    bool known = true;
    for (std::size_t i = 0; i < p.tiers.size; ++i) {
        p.tiers.items[i].expert_budget = tier_budget(c, i, p.tiers.items[i]);
        known = known && c.machine.memory[i].usable.has_value();
    }
    list_components(c, bytes, charges, p);
    const bool forced = c.scenario.expert_budget || c.scenario.residency;
    if (known) p.fits = over.value <= 0.0 || forced;
    if (known && !*p.fits) {
        p.short_by = over;
        p.expert_pool = bytes.experts;
        p.expert_budget = Bytes(0.0);
        return p;
    }
    settle_residency(c, sizes, p);
    settle_slots(sizes, p);
    if (c.scenario.runtime.read_path == ReadPath::buffered) {
        const Tier& first = p.tiers.items[0];
        p.page_cache = std::max(Bytes(0.0), c.machine.memory.front().capacity - first.fixed - first.expert_bytes);
    }
    return p;
}

} // namespace spillway
