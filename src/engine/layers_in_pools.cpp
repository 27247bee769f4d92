#include "engine/layers_in_pools.h"

#include "engine/kv.h"

#include <algorithm>

namespace spillway {

namespace {

// The layers of a model from the last one back, one at a time.
class LastLayers {
public:
    explicit LastLayers(const std::vector<LayerKind>& kinds) : kinds_(kinds), kind_(kinds.size()) {}

    // The index of the next layer's kind; empty when there is none left.
    std::optional<std::size_t> next() {
        while (left_ < 1.0) {
            if (kind_ == 0) return std::nullopt;
            left_ = kinds_[--kind_].layers;
        }
        left_ -= 1.0;
        return kind_;
    }

private:
    const std::vector<LayerKind>& kinds_;
    std::size_t kind_;
    double left_ = 0.0;
};

// What of the layers each pool holds.
struct Load {
    std::array<Bytes, kMaxPools> weights{}, kv{};

    Bytes charge(std::size_t pool, const Charges& charges) const {
        if (pool > 0) return weights[pool] + kv[pool];
        return weights[0] + charges.stays + std::max(charges.working_memory, kv[0] + charges.scratch);
    }
};

Bytes layer_kv(const Case& c, std::size_t kind) {
    const auto& attention = c.model.blocks[kind].attention;
    return attention ? kv_layer_bytes(*attention, c.scenario, c.scenario.context) : Bytes(0.0);
}

} // namespace

Bytes reserve_of(const Scenario& s) { return s.reserve.value_or(s.runtime.reserve.value_or(Bytes(0.0))); }

Charges charges_of(const Case& c, const ModelBytes& bytes, const Placement& p) {
    const Scenario& s = c.scenario;
    Charges charges;
    charges.stays = *bytes.outside + *bytes.table + *bytes.head;
    if (s.positions > 1.0) charges.stays += bytes.drafter.value_or(Bytes(0.0));
    if (s.use_other_parts) charges.stays += bytes.other.value_or(Bytes(0.0));
    charges.stays += reserve_of(s);
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

Bytes pour_layers(const Case& c, const Sizes& sizes, const Charges& charges, Placement& p) {
    const Bytes all = *sizes.bytes.layers;
    Load load;
    load.weights[0] = all;
    load.kv[0] = charges.kv;
    for (std::size_t i = 0; i + 1 < p.tiers.size; ++i) {
        const Bytes usable = c.machine.memory[i].usable.value_or(Bytes(0.0));
        // What moved on into the next pool starts again from the last layer there.
        LastLayers last(sizes.kinds);
        while (load.charge(i, charges) > usable && p.tiers.items[i].layers >= 1.0) {
            const std::optional<std::size_t> kind = last.next();
            if (!kind) break;
            const Bytes weights = sizes.kinds[*kind].fixed.value_or(Bytes(0.0)), kv = layer_kv(c, *kind);
            load.weights[i] -= weights;
            load.weights[i + 1] += weights;
            load.kv[i] -= kv;
            load.kv[i + 1] += kv;
            p.tiers.items[i].layers -= 1.0;
            p.tiers.items[i + 1].layers += 1.0;
        }
    }
    Bytes over;
    for (std::size_t i = 0; i < p.tiers.size; ++i) {
        Tier& tier = p.tiers.items[i];
        const double first = i == 0 ? 1.0 : 0.0;
        tier.fixed = load.charge(i, charges);
        tier.weight_share = all.value > 0.0 ? load.weights[i] / all : first;
        tier.kv_share = charges.kv.value > 0.0 ? load.kv[i] / charges.kv : first;
        const Bytes usable = c.machine.memory[i].usable.value_or(tier.fixed);
        if (tier.fixed > usable) over += tier.fixed - usable;
    }
    return over;
}

} // namespace spillway
