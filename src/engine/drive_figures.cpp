#include "engine/drive_figures.h"

#include "engine/drive.h"

namespace spillway {

std::optional<double> storage_cost_ratio(const Machine& machine) {
    const MemoryPool& pool = machine.memory.front();
    if (machine.storage.empty() || !pool.bandwidth || !pool.sustained) return std::nullopt;
    const auto rate = ceiling_rate(machine.storage.front());
    if (!rate) return std::nullopt;
    return *pool.bandwidth * *pool.sustained / *rate;
}

std::optional<Seconds> load_time(const Case& c, const Placement& p) {
    if (c.machine.storage.empty() || !p.residency || !p.sizes.layers) return std::nullopt;
    const auto rate = ceiling_rate(c.machine.storage.front());
    if (!rate) return std::nullopt;
    Bytes resident = *p.sizes.layers + *p.sizes.outside + *p.sizes.table + *p.sizes.head;
    if (c.scenario.positions > 1.0) resident += p.sizes.drafter.value_or(Bytes(0.0));
    if (c.scenario.use_other_parts) resident += p.sizes.other.value_or(Bytes(0.0));
    for (const Tier& tier : p.tiers) resident += tier.expert_bytes;
    return resident / *rate;
}

} // namespace spillway
