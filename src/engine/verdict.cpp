#include "engine/verdict.h"

#include "engine/drive.h"
#include "engine/placement.h"

#include <algorithm>
#include <array>

namespace spillway {

namespace {

State decode_state(const Case& c, const Estimate& e) {
    const double target = c.scenario.target_decode;
    if (e.placement.fits && !*e.placement.fits) return State::fails;
    if (!e.decode.tokens_per_second) {
        const bool bound_fails = e.decode.full_overlap && *e.decode.full_overlap < target;
        return bound_fails ? State::fails : State::unknown;
    }
    if (*e.decode.tokens_per_second >= target) return State::holds;
    for (const Alternative& a : e.alternatives) {
        if (a.tokens_per_second && *a.tokens_per_second >= target) return State::depends;
    }
    return State::fails;
}

State prefill_state(const Case& c, const Estimate& e) {
    const double target = c.scenario.target_prefill;
    if (e.placement.fits && !*e.placement.fits) return State::fails;
    if (e.prefill.tokens_per_second) return *e.prefill.tokens_per_second >= target ? State::holds : State::fails;
    if (e.prefill.total) return State::holds; // nothing takes time: not limited by storage
    if (e.prefill.storage_limit && *e.prefill.storage_limit < target) return State::fails;
    return State::unknown;
}

State worse(State a, State b) {
    for (const State state : {State::fails, State::unknown, State::depends}) {
        if (a == state || b == state) return state;
    }
    return State::holds;
}

void note_unknowns(const Case& c, const Estimate& e, FixedList<Note, 24>& list) {
    const Placement& p = e.placement;
    const ModelBytes& sizes = p.sizes;
    if (!sizes.layers || !sizes.head || !sizes.experts) list.add({NoteId::unknown_bits, 0.0});
    bool usable = false, bandwidth = false, sustained = false;
    const auto pools = std::min<std::size_t>(c.machine.memory.size(), static_cast<std::size_t>(p.pools_in_use));
    for (std::size_t i = 0; i < pools; ++i) {
        usable = usable || !c.machine.memory[i].usable;
        bandwidth = bandwidth || !c.machine.memory[i].bandwidth;
        sustained = sustained || !c.machine.memory[i].sustained;
    }
    if (usable) list.add({NoteId::unknown_usable, 0.0});
    // A forced pass needs neither, unless prefill is priced by memory too.
    const bool reads_memory = !c.scenario.resident_pass || !c.scenario.prefill_compute;
    if (bandwidth && reads_memory) list.add({NoteId::unknown_bandwidth, 0.0});
    if (sustained && reads_memory) list.add({NoteId::unknown_sustained, 0.0});
    std::array<bool, kTermIds> unknown{};
    for (const Terms* terms : {&e.decode.terms, &e.prefill.terms}) {
        for (const Term& term : *terms) unknown[static_cast<std::size_t>(term.id)] |= !term.seconds;
    }
    const auto is_unknown = [&](TermId id) { return unknown[static_cast<std::size_t>(id)]; };
    if (is_unknown(TermId::layers)) list.add({NoteId::unknown_layer_time, 0.0});
    if (is_unknown(TermId::link_experts) || is_unknown(TermId::link_chunk)) list.add({NoteId::unknown_link_rate, 0.0});
    if (is_unknown(TermId::page_cache)) list.add({NoteId::unknown_page_cache_rate, 0.0});
    if (is_unknown(TermId::compute)) list.add({NoteId::unknown_compute, 0.0});
    if (is_unknown(TermId::storage_misses) || is_unknown(TermId::lookup) || is_unknown(TermId::storage_chunk) ||
        is_unknown(TermId::storage_tail)) {
        list.add({c.machine.storage.empty() ? NoteId::no_storage : NoteId::unknown_storage_rate, 0.0});
    }
}

// Sparse and compressed layers: engines may compute them densely, and their indexer's own arithmetic is not priced.
bool has_sparse_attention(const Model& model) {
    return std::any_of(model.blocks.begin(), model.blocks.end(), [](const Block& block) {
        return block.attention && (block.attention->index || block.attention->kind == AttentionKind::csa);
    });
}

} // namespace

Verdict judge(const Case& c, const Estimate& e) {
    Verdict v;
    v.decode = decode_state(c, e);
    v.prefill = prefill_state(c, e);
    v.overall = worse(v.decode, v.prefill);
    if (e.decode.tokens_per_second && *e.decode.tokens_per_second < c.scenario.target_decode) {
        v.decode_shortfall = c.scenario.target_decode - *e.decode.tokens_per_second;
    }
    if (e.prefill.tokens_per_second && *e.prefill.tokens_per_second < c.scenario.target_prefill) {
        v.prefill_shortfall = c.scenario.target_prefill - *e.prefill.tokens_per_second;
    }
    return v;
}

FixedList<Note, 24> notes(const Case& c, const Estimate& e) {
    FixedList<Note, 24> list;
    const Placement& p = e.placement;
    const Scenario& s = c.scenario;
    if (p.fits && !*p.fits) list.add({NoteId::does_not_fit, p.short_by.value});
    note_unknowns(c, e, list);
    if (e.prefill.total && e.prefill.total->value <= 0.0) list.add({NoteId::not_limited_by_storage, 0.0});
    if (s.resident_pass && e.decode.bandwidth_bound &&
        s.accepted / s.resident_pass->value > *e.decode.bandwidth_bound) {
        list.add({NoteId::forced_pass_below_bound, *e.decode.bandwidth_bound});
    }
    const bool spills = p.residency && *p.residency < 1.0;
    if (spills && s.locality.kind == LocalityKind::uniform) list.add({NoteId::uniform_routing, 0.0});
    if (s.expert_budget && p.usable && p.tiers.size > 0) {
        const Bytes over = p.tiers.items[0].fixed + p.tiers.items[0].expert_bytes - *p.usable;
        if (over.value > 0.0) list.add({NoteId::over_capacity, over.value});
    }
    if (p.page_cache && s.runtime.page_cache_share > 0.0) {
        const Bytes lacking = s.runtime.page_cache_share * c.machine.memory.front().capacity - *p.page_cache;
        if (lacking.value > 1.0 && spills) list.add({NoteId::page_cache_short, lacking.value});
    }
    double most_active = 0.0;
    for (const Block& block : c.model.blocks) {
        if (block.experts) most_active = std::max(most_active, active_experts(*block.experts, s));
    }
    if (spills && p.slots_per_layer && *p.slots_per_layer < most_active) {
        list.add({NoteId::fewer_slots_than_active, *p.slots_per_layer});
    }
    if (spills && s.locality.kind != LocalityKind::uniform) list.add({NoteId::prefill_uniform, 0.0});
    if (spills && p.tiers.size > 1 && s.runtime.spill_access == Access::in_place && s.runtime.policy != Policy::cache) {
        list.add({NoteId::spills_to_storage_in_place, 0.0});
    }
    if (!s.prefill_compute && e.prefill.compute_per_chunk && has_sparse_attention(c.model)) {
        list.add({NoteId::sparse_attention_dense, 0.0});
    }
    if (s.sequences > 1.0) list.add({NoteId::union_upper_bound, 0.0});
    if (!c.model.tables.empty() && !c.machine.storage.empty() && c.machine.storage.front().curve.empty()) {
        list.add({NoteId::tables_small_reads, 0.0});
    }
    return list;
}

std::optional<double> storage_cost_ratio(const Case& c) {
    const MemoryPool& pool = c.machine.memory.front();
    if (c.machine.storage.empty() || !pool.bandwidth || !pool.sustained) return std::nullopt;
    const auto rate = ceiling_rate(c.machine.storage.front());
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
