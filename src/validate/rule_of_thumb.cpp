#include "validate/rule_of_thumb.h"

namespace spillway {

namespace {

bool is_weight_read(TermId id) {
    return id == TermId::read_fixed || id == TermId::read_experts || id == TermId::link_experts;
}

} // namespace

std::optional<double> thumb_decode(const Case& c, const Estimate& e) {
    if (c.scenario.positions > 1.0 || c.scenario.sequences > 1.0 || !e.decode.missed_bytes_per_token)
        return std::nullopt;
    Seconds step;
    for (const Term& term : e.decode.terms) {
        if (!is_weight_read(term.id)) continue;
        const auto& rated = c.machine.memory[static_cast<std::size_t>(term.pool)].bandwidth;
        if (!rated) return std::nullopt;
        step += Bytes(term.a) / (kThumbBandwidthShare * *rated);
    }
    const Bytes missed = *e.decode.missed_bytes_per_token;
    if (missed.value > 0.0) {
        if (c.machine.storage.empty() || !c.machine.storage.front().rate) return std::nullopt;
        step += missed / *c.machine.storage.front().rate;
    }
    return step.value > 0.0 ? std::optional(1.0 / step.value) : std::nullopt;
}

std::optional<double> thumb_prefill(const Case& c, const Estimate& e) {
    const bool reads = e.prefill.read_bytes_per_chunk && e.prefill.read_bytes_per_chunk->value > 0.0;
    if (!c.machine.compute.rated || reads) return std::nullopt;
    for (std::size_t i = 1; i < e.placement.tiers.size; ++i) {
        const Tier& tier = e.placement.tiers.items[i];
        if (tier.layers > 0.0 || tier.expert_bytes.value > 0.0) return std::nullopt;
    }
    for (const Term& term : e.prefill.terms) {
        if (term.id == TermId::compute && term.a > 0.0)
            return kThumbComputeShare * c.machine.compute.rated->value / (2.0 * term.a);
    }
    return std::nullopt;
}

} // namespace spillway
