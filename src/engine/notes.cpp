// Notes of an estimate (verdict.h).
#include "engine/verdict.h"

#include <algorithm>
#include <array>

namespace spillway {

namespace {

// Values of the pools in use that are not known. A forced pass needs no bandwidth, unless prefill is priced by memory.
void note_pools(const Case& c, const Placement& p, Notes& list) {
    bool usable = false, bandwidth = false, sustained = false;
    const auto pools = std::min<std::size_t>(c.machine.memory.size(), static_cast<std::size_t>(p.pools_in_use));
    for (std::size_t i = 0; i < pools; ++i) {
        const MemoryPool& pool = c.machine.memory[i];
        usable = usable || !pool.usable;
        bandwidth = bandwidth || !pool.bandwidth;
        sustained = sustained || !pool.sustained;
    }
    const bool reads_memory = !c.scenario.resident_pass || !c.scenario.prefill_compute;
    if (usable) list.add({NoteId::unknown_usable, 0.0});
    if (bandwidth && reads_memory) list.add({NoteId::unknown_bandwidth, 0.0});
    if (sustained && reads_memory) list.add({NoteId::unknown_sustained, 0.0});
}

// Each note of a term that is not known, once, in the order of the terms' table.
void note_terms(const Case& c, const Computed& e, Notes& list) {
    std::array<bool, kTerms.size()> unknown{};
    for (const Terms* terms : {&e.decode.terms, &e.prefill.terms}) {
        for (const Term& term : *terms) unknown[static_cast<std::size_t>(term.id)] |= !term.seconds;
    }
    for (const TermInfo& info : kTerms) {
        if (!unknown[static_cast<std::size_t>(info.id)] || !info.unknown) continue;
        const bool no_drive = *info.unknown == NoteId::unknown_storage_rate && c.machine.storage.empty();
        const NoteId id = no_drive ? NoteId::no_storage : *info.unknown;
        const bool noted = std::any_of(list.begin(), list.end(), [id](const Note& note) { return note.id == id; });
        if (!noted) list.add({id, 0.0});
    }
}

void note_unknowns(const Case& c, const Computed& e, Notes& list) {
    const ModelBytes& sizes = e.placement.sizes;
    if (!sizes.layers || !sizes.head || !sizes.experts) list.add({NoteId::unknown_bits, 0.0});
    note_pools(c, e.placement, list);
    note_terms(c, e, list);
}

// Sparse and compressed layers: engines may compute them densely, and their indexer's own arithmetic is not priced.
bool has_sparse_attention(const Model& model) {
    return std::any_of(model.blocks.begin(), model.blocks.end(), [](const Block& block) {
        return block.attention && (block.attention->index || block.attention->kind == AttentionKind::csa);
    });
}

double most_active(const Case& c) {
    double most = 0.0;
    for (const Block& block : c.model.blocks) {
        if (block.experts) most = std::max(most, active_experts(*block.experts, c.scenario));
    }
    return most;
}

// What a forced budget and a page cache lack.
void note_memory(const Case& c, const Placement& p, bool spills, Notes& list) {
    const Scenario& s = c.scenario;
    const bool forced = s.expert_budget || s.first_pool_experts || s.cpu_moe_layers;
    if (forced && p.usable && p.tiers.size > 0) {
        const Bytes over = p.tiers.items[0].fixed + p.tiers.items[0].expert_bytes - *p.usable;
        if (over.value > 0.0) list.add({NoteId::over_capacity, over.value});
    }
    if (p.page_cache && s.runtime.page_cache_share > 0.0) {
        const Bytes lacking = s.runtime.page_cache_share * c.machine.memory.front().capacity - *p.page_cache;
        if (lacking.value > 1.0 && spills) list.add({NoteId::page_cache_short, lacking.value});
    }
    if (spills && p.slots_per_layer && *p.slots_per_layer < most_active(c)) {
        list.add({NoteId::fewer_slots_than_active, *p.slots_per_layer});
    }
}

// Figures that are a bound, or leave something out.
void note_bounds(const Case& c, const Computed& e, bool spills, Notes& list) {
    const Scenario& s = c.scenario;
    const bool uniform = s.locality.kind == LocalityKind::uniform && !states_misses(s);
    if (spills && !uniform) list.add({NoteId::prefill_uniform, 0.0});
    const bool beside = s.runtime.spill_access == Access::in_place && s.runtime.policy != Policy::cache;
    if (spills && e.placement.tiers.size > 1 && beside) list.add({NoteId::spills_to_storage_in_place, 0.0});
    if (!s.prefill_compute && e.prefill.compute_per_chunk && has_sparse_attention(c.model)) {
        list.add({NoteId::sparse_attention_dense, 0.0});
    }
    if (s.sequences > 1.0) list.add({NoteId::union_upper_bound, 0.0});
    if (!c.model.tables.empty() && !c.machine.storage.empty() && c.machine.storage.front().curve.empty()) {
        list.add({NoteId::tables_small_reads, 0.0});
    }
}

} // namespace

Notes notes(const Case& c, const Computed& e) {
    Notes list;
    const Placement& p = e.placement;
    const Scenario& s = c.scenario;
    if (p.fits && !*p.fits) list.add({NoteId::does_not_fit, p.short_by.value});
    note_unknowns(c, e, list);
    if (e.prefill.total && e.prefill.total->value <= 0.0) list.add({NoteId::not_limited_by_storage, 0.0});
    const auto& bound = e.decode.bandwidth_bound;
    if (s.resident_pass && bound && s.accepted / s.resident_pass->value > *bound) {
        list.add({NoteId::forced_pass_below_bound, *bound});
    }
    const bool spills = p.residency && *p.residency < 1.0;
    const bool by_curve = !states_misses(s);
    if (spills && by_curve && s.locality.kind == LocalityKind::uniform) list.add({NoteId::uniform_routing, 0.0});
    note_memory(c, p, spills, list);
    note_bounds(c, e, spills, list);
    return list;
}

} // namespace spillway
