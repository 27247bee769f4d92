#include "engine/placement.h"
#include "engine/params.h"

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

std::optional<Bytes> sum(std::optional<Bytes> a, std::optional<Bytes> b) {
    return a && b ? std::optional(*a + *b) : std::nullopt;
}

double fixed_params_of(const std::vector<Block>& blocks, Count hidden) {
    double params = 0.0;
    for (const Block& block : blocks) params += layer_count(block) * layer_fixed_params(block, hidden);
    return params;
}

double expert_params_of(const std::vector<Block>& blocks) {
    double params = 0.0;
    for (const Block& block : blocks) {
        if (!block.experts) continue;
        params += layer_count(block) * static_cast<double>(block.experts->count) * expert_params(*block.experts);
    }
    return params;
}

std::optional<Bytes> expert_pool(const Model& model, const Quantization& q) {
    Bytes pool;
    for (const Block& block : model.blocks) {
        if (!block.experts) continue;
        const std::optional<Bytes> one = expert_bytes(*block.experts, q);
        if (!one) return std::nullopt;
        pool += layer_count(block) * static_cast<double>(block.experts->count) * *one;
    }
    return pool;
}

std::optional<Bytes> drafter_bytes(const Model& model, const Quantization& q) {
    if (!model.drafter) return Bytes(0.0);
    const Drafter& d = *model.drafter;
    const double fixed = fixed_params_of(d.blocks, model.hidden) + static_cast<double>(d.extra_params);
    const double copies = d.embedding_copies ? 2.0 * static_cast<double>(model.vocabulary * model.hidden) : 0.0;
    const auto experts = bytes_of(expert_params_of(d.blocks), q.drafter_experts ? q.drafter_experts : q.experts);
    const auto rest = bytes_of(fixed, q.drafter_rest ? q.drafter_rest : q.rest);
    return sum(sum(experts, rest), bytes_of(copies, q.embedding));
}

std::optional<Bytes> other_bytes(const Model& model, const Quantization& q) {
    double params = 0.0;
    for (const OtherPart& part : model.other_parts) {
        if (!part.params) return std::nullopt;
        params += static_cast<double>(*part.params);
    }
    return bytes_of(params, q.other);
}

std::optional<Bytes> table_bytes(const Model& model, const Quantization& q) {
    double params = 0.0;
    for (const LookupTable& table : model.tables) {
        params += static_cast<double>(table.rows) * static_cast<double>(table.row_params);
    }
    return bytes_of(params, q.tables);
}

double window_cells(const Attention& attention, const Scenario& s, double context) {
    const double batch = s.runtime.kv_window_holds_batch ? s.runtime.micro_batch : 0.0;
    const double multiple = s.runtime.kv_cell_multiple;
    const double cells = std::ceil((static_cast<double>(attention.window) + batch) / multiple) * multiple;
    return std::min(context, cells);
}

// Everything that must lie in memory beside the layers' weights and the experts, split into what can move with a
// layer (KV) and what stays in the first pool.
struct Charges {
    Bytes stays; // embedding, head, model-wide weights, drafter, other parts, reserve
    Bytes scratch;
    Bytes working_memory; // floor for KV + scratch
    Bytes kv;
};

// What one layer takes with it when it moves.
struct LayerLoad {
    Bytes weights;
    Bytes kv;
};

LayerLoad layer_load(const Case& c, const Block& block) {
    const auto weights = bytes_of(layer_fixed_params(block, c.model.hidden), c.quantization.rest);
    LayerLoad load{weights.value_or(Bytes(0.0)), Bytes(0.0)};
    if (block.attention) load.kv = kv_layer_bytes(*block.attention, c.scenario, c.scenario.context);
    return load;
}

// Moves whole layers, last ones first, from pool to pool until each pool's charge fits; the last pool in use takes
// what is left. Returns the bytes that fit nowhere.
Bytes pour_layers(const Case& c, const Charges& charges, Bytes layer_bytes, int pools, Placement& p) {
    std::array<Bytes, kMaxPools> weights{}, kv{};
    weights[0] = layer_bytes;
    kv[0] = charges.kv;
    const auto charge_of = [&](int i) {
        if (i > 0) return weights[i] + kv[i];
        return weights[0] + charges.stays + std::max(charges.working_memory, kv[0] + charges.scratch);
    };
    int block = static_cast<int>(c.model.blocks.size()) - 1;
    double left_in_block = block >= 0 ? layer_count(c.model.blocks[block]) : 0.0;
    for (int i = 0; i + 1 < pools; ++i) {
        const Bytes usable = c.machine.memory[i].usable.value_or(Bytes(0.0));
        double moved = 0.0;
        while (charge_of(i) > usable && block >= 0 && p.tiers.items[i].layers - moved >= 1.0) {
            if (left_in_block < 1.0) {
                if (--block >= 0) left_in_block = layer_count(c.model.blocks[block]);
                continue;
            }
            const LayerLoad load = layer_load(c, c.model.blocks[block]);
            weights[i] -= load.weights;
            weights[i + 1] += load.weights;
            kv[i] -= load.kv;
            kv[i + 1] += load.kv;
            left_in_block -= 1.0;
            moved += 1.0;
        }
        p.tiers.items[i].layers -= moved;
        p.tiers.items[i + 1].layers += moved;
        // What moved on into pool i + 1 starts again from the last block there.
        block = static_cast<int>(c.model.blocks.size()) - 1;
        left_in_block = block >= 0 ? layer_count(c.model.blocks[block]) : 0.0;
    }
    Bytes over;
    for (int i = 0; i < pools; ++i) {
        Tier& tier = p.tiers.items[i];
        tier.fixed = charge_of(i);
        tier.weight_share = layer_bytes.value > 0.0 ? weights[i] / layer_bytes : (i == 0 ? 1.0 : 0.0);
        tier.kv_share = charges.kv.value > 0.0 ? kv[i] / charges.kv : (i == 0 ? 1.0 : 0.0);
        const Bytes usable = c.machine.memory[i].usable.value_or(tier.fixed);
        if (tier.fixed > usable) over += tier.fixed - usable;
    }
    return over;
}

// Memory that a pool leaves for experts. A page-cached read path keeps its share of the capacity free, inside or
// outside the limit (physics.md section 3: the best cache is not the biggest that fits).
std::optional<Bytes> tier_budget(const Case& c, int pool, const Tier& tier) {
    const MemoryPool& memory = c.machine.memory[pool];
    if (!memory.usable) return std::nullopt;
    Bytes left = *memory.usable - tier.fixed;
    if (pool == 0 && c.scenario.runtime.page_cache_share > 0.0) {
        left = std::min(left, memory.capacity * (1.0 - c.scenario.runtime.page_cache_share) - tier.fixed);
    }
    return std::max(left, Bytes(0.0));
}

// Fills the pools like water, fastest first, with `total` bytes of experts. Static placement puts whole layers into
// every pool but the last one in use. Forced budgets may exceed what a pool has: the last pool takes the excess.
void pour_experts(const Case& c, Bytes total, bool forced, const ModelBytes& bytes, Placement& p) {
    const int pools = static_cast<int>(p.tiers.size);
    const Bytes layer = bytes.moe_layers > 0.0 ? *bytes.experts / bytes.moe_layers : Bytes(0.0);
    Bytes left = std::min(total, *bytes.experts);
    for (int i = 0; i < pools; ++i) {
        Tier& tier = p.tiers.items[i];
        const bool last = i + 1 == pools;
        Bytes held = last && forced ? left : std::min(left, tier.expert_budget.value_or(left));
        if (!last && c.scenario.runtime.policy == Policy::static_layers && layer.value > 0.0) {
            // The tolerance keeps a pool that holds exactly n layers at n despite rounding.
            held = std::min(held, std::floor(held / layer + 1e-9) * layer);
        }
        tier.expert_bytes = held;
        tier.expert_share = bytes.experts->value > 0.0 ? held / *bytes.experts : 0.0;
        const bool by_layers = c.scenario.runtime.policy == Policy::static_layers;
        tier.expert_layers = by_layers          ? bytes.moe_layers * tier.expert_share
                             : held.value > 0.0 ? bytes.moe_layers
                                                : 0.0;
        left -= held;
    }
}

Charges charges_of(const Case& c, const ModelBytes& bytes, const Placement& p) {
    const Scenario& s = c.scenario;
    Charges charges;
    charges.stays = *bytes.outside + *bytes.table + *bytes.head;
    if (s.positions > 1.0) charges.stays += bytes.drafter.value_or(Bytes(0.0));
    if (s.use_other_parts) charges.stays += bytes.other.value_or(Bytes(0.0));
    charges.stays += s.reserve.value_or(s.runtime.reserve.value_or(Bytes(0.0)));
    charges.kv = p.kv_cache;
    charges.scratch = p.scratch;
    if (s.working_memory) {
        charges.working_memory = *s.working_memory;
    } else if (s.runtime.working_memory) {
        charges.working_memory = *s.runtime.working_memory;
    } else if (s.runtime.working_memory_share && p.usable) {
        charges.working_memory = *s.runtime.working_memory_share * *p.usable;
    }
    return charges;
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
    const Bytes reserve = s.reserve.value_or(s.runtime.reserve.value_or(Bytes(0.0)));
    if (reserve.value > 0.0) p.components.add({Part::reserve, reserve, 0});
    if (bytes.moe_layers > 0.0) p.components.add({Part::experts, bytes.experts, 0});
    if (!c.model.tables.empty()) p.components.add({Part::lookup_tables, bytes.tables, kOnStorage});
}

// Layers with a forced residency take their share of the budget first; the other layers share what is left. Pinning
// more than the budget holds is possible, and noted (over_capacity).
void settle_ranges(const Case& c, const ModelBytes& bytes, Placement& p) {
    Bytes pinned, others;
    for (const Block& block : c.model.blocks) {
        if (!block.experts) continue;
        const double experts = layer_count(block) * static_cast<double>(block.experts->count);
        const Bytes block_pool = experts * expert_bytes(*block.experts, c.quantization).value_or(Bytes(0.0));
        const double with_none = block_residency(block, c.scenario, 0.0),
                     with_all = block_residency(block, c.scenario, 1.0);
        pinned += with_none * block_pool;
        others += (with_all - with_none) * block_pool;
    }
    const Bytes left = *p.residency * *bytes.experts - pinned;
    p.unforced_residency = others.value > 0.0 ? std::clamp(left / others, 0.0, 1.0) : 0.0;
    p.residency = (pinned + p.unforced_residency * others) / *bytes.experts;
    pour_experts(c, *p.residency * *bytes.experts, true, bytes, p);
}

void settle_residency(const Case& c, const ModelBytes& bytes, Placement& p) {
    const Scenario& s = c.scenario;
    std::optional<Bytes> budget = Bytes(0.0);
    for (std::size_t i = 0; i < p.tiers.size; ++i) budget = sum(budget, p.tiers.items[i].expert_budget);
    if (s.expert_budget) budget = s.expert_budget;
    p.expert_budget = budget;
    p.expert_pool = bytes.experts;
    if (bytes.moe_layers <= 0.0) {
        p.residency = 1.0;
        return;
    }
    if (budget && budget->value > 0.0) p.pool_over_budget = *bytes.experts / *budget;
    if (s.residency) {
        p.residency = *s.residency;
        pour_experts(c, *s.residency * *bytes.experts, true, bytes, p);
    } else if (budget) {
        pour_experts(c, *budget, s.expert_budget.has_value(), bytes, p);
        Bytes held;
        for (std::size_t i = 0; i < p.tiers.size; ++i) held += p.tiers.items[i].expert_bytes;
        // Exactly 1 when everything is held: the sum of the pools' parts may be an ulp short.
        p.residency = *budget >= *bytes.experts && held >= *bytes.experts * (1.0 - 1e-12) ? 1.0 : held / *bytes.experts;
    }
    p.unforced_residency = p.residency.value_or(0.0);
    if (!s.residency_ranges.empty() && p.residency) settle_ranges(c, bytes, p);
}

void settle_slots(const Case& c, Placement& p) {
    double most = 0.0;
    for (const Block& block : c.model.blocks) {
        if (block.experts) most = std::max(most, static_cast<double>(block.experts->count));
    }
    if (most > 0.0 && p.residency) p.slots_per_layer = most * *p.residency;
}

} // namespace

std::optional<Bytes> bytes_of(double params, std::optional<double> bits) {
    if (params == 0.0) return Bytes(0.0);
    if (!bits) return std::nullopt;
    return Bytes(params * *bits / 8.0);
}

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

Bytes kv_layer_bytes(const Attention& a, const Scenario& s, double context) {
    const double elements = kv_elements_per_token(a) * context + kv_window_elements(a) * window_cells(a, s, context);
    // Drafts can be rolled back only from copies of the state (physics.md section 8).
    const Bytes state = s.positions * state_bytes(a);
    return s.sequences * (Bytes(elements * kv_bytes_per_element(s.kv_format)) + state);
}

Bytes kv_cache_bytes(const Model& model, const Scenario& s, double context) {
    Bytes total;
    for (const Block& block : model.blocks) {
        if (block.attention) total += layer_count(block) * kv_layer_bytes(*block.attention, s, context);
    }
    if (model.drafter && s.positions > 1.0) {
        for (const Block& block : model.drafter->blocks) {
            if (block.attention) total += layer_count(block) * kv_layer_bytes(*block.attention, s, context);
        }
    }
    return total;
}

ModelBytes model_bytes(const Model& model, const Quantization& q) {
    ModelBytes bytes;
    const double table = static_cast<double>(model.vocabulary) * static_cast<double>(model.hidden);
    bytes.layers = bytes_of(fixed_params_of(model.blocks, model.hidden), q.rest);
    bytes.outside = bytes_of(static_cast<double>(model.extra_params), q.rest);
    bytes.head = bytes_of(table, q.embedding);
    bytes.table = model.tied_embedding ? Bytes(0.0) : bytes.head;
    bytes.experts = expert_pool(model, q);
    bytes.drafter = drafter_bytes(model, q);
    bytes.other = other_bytes(model, q);
    bytes.tables = table_bytes(model, q);
    for (const Block& block : model.blocks) {
        bytes.layer_count += layer_count(block);
        if (block.experts) bytes.moe_layers += layer_count(block);
    }
    return bytes;
}

Placement place(const Case& c) {
    Placement p;
    p.sizes = model_bytes(c.model, c.quantization);
    const ModelBytes& bytes = p.sizes;
    const MemoryPool& first = c.machine.memory.front();
    p.usable = first.usable;
    if (first.usable) p.left_for_os = first.capacity - *first.usable;
    p.kv_cache = kv_cache_bytes(c.model, c.scenario, c.scenario.context);
    // Logits and hidden state of one micro-batch in f32: a floor (physics.md section 8).
    p.scratch = Bytes(4.0 * static_cast<double>(c.model.vocabulary + c.model.hidden) * chunk_tokens(c.scenario));
    if (!bytes.layers || !bytes.head || !bytes.experts) return p;

    const int available = static_cast<int>(std::min(c.machine.memory.size(), kMaxPools));
    const int pools = c.scenario.runtime.spills ? available : 1;
    p.pools_in_use = pools;
    for (int i = 0; i < pools; ++i) {
        Tier tier;
        tier.access = i == 0 ? Access::direct : c.scenario.runtime.spill_access;
        tier.layers = i == 0 ? bytes.layer_count : 0.0;
        p.tiers.add(tier);
    }
    const Charges charges = charges_of(c, bytes, p);
    const Bytes over = pour_layers(c, charges, *bytes.layers, pools, p);
    bool known = true;
    for (int i = 0; i < pools; ++i) {
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
    settle_residency(c, bytes, p);
    settle_slots(c, p);
    if (c.scenario.runtime.read_path == ReadPath::buffered) {
        p.page_cache = std::max(Bytes(0.0), first.capacity - p.tiers.items[0].fixed - p.tiers.items[0].expert_bytes);
    }
    return p;
}

} // namespace spillway
