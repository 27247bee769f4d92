#include "engine/decode.h"

#include "engine/reading.h"
#include "engine/traffic.h"
#include "engine/transfers.h"

#include <algorithm>

namespace spillway {

namespace {

std::size_t kind_of(const MemoryPool& pool) { return static_cast<std::size_t>(pool.processor); }

std::optional<BytesPerSecond> first_link_rate(const Machine& machine) {
    return machine.links.empty() ? std::nullopt : machine.links.front().rate;
}

void add_link(const Machine& machine, int pool, const PoolTraffic& traffic, Terms& terms) {
    if (traffic.over_link.value <= 0.0) return;
    add_transfer(terms, TermId::link_experts, pool, {traffic.over_link, first_link_rate(machine)});
    if (machine.links.empty() || !machine.links.front().latency) return;
    add(terms, repeated_time(TermId::link_latency, pool, traffic.transfers, machine.links.front().latency));
}

void add_pool_reads(const Case& c, const StepTraffic& t, std::size_t i, Terms& terms) {
    const MemoryPool& pool = c.machine.memory[i];
    const Runtime& r = c.scenario.runtime;
    const int index = static_cast<int>(i);
    const PoolTraffic& here = t.pools[i];
    add_transfer(terms, TermId::read_fixed, index, {here.fixed, pool.bandwidth, pool.sustained});
    add_transfer(terms, TermId::read_experts, index, {here.experts, pool.bandwidth, pool.sustained});
    add_transfer(terms, TermId::read_kv, index, {here.kv, pool.bandwidth, r.kv_share});
    add(terms, repeated_time(TermId::layers, index, here.layers, r.t_layer.values[kind_of(pool)]));
    if (r.handoff) add(terms, repeated_time(TermId::handoff, index, here.handoffs, r.handoff));
    add_link(c.machine, index, here, terms);
}

// The drafter's passes: its weights, its top-k experts and the head, from the first pool.
void add_drafter(const PlacedCase& placed, Terms& terms) {
    const Case& c = placed.c;
    const MemoryPool& pool = c.machine.memory.front();
    const double passes = c.model.drafter->drafts_block ? 1.0 : c.scenario.positions - 1.0;
    const Bytes read = passes * (placed.sizes.drafter_pass + *placed.sizes.bytes.head);
    add_transfer(terms, TermId::read_drafter, 0, {read, pool.bandwidth, pool.sustained});
    add(terms, repeated_time(TermId::layers, 0, passes * placed.sizes.drafter_layers,
                             c.scenario.runtime.t_layer.values[kind_of(pool)]));
}

void add_resident_terms(const PlacedCase& placed, const StepTraffic& t, Terms& terms) {
    const Scenario& s = placed.c.scenario;
    const Runtime& r = s.runtime;
    if (s.resident_pass) {
        add(terms, given_time(TermId::forced_pass, 0, *s.resident_pass));
        return;
    }
    for (std::size_t i = 0; i < placed.placement.tiers.size; ++i) add_pool_reads(placed.c, t, i, terms);
    if (r.t_layer_moe) add(terms, repeated_time(TermId::moe_layers, 0, t.moe_layers, r.t_layer_moe));
    if (r.t_sync) add(terms, repeated_time(TermId::sync, 0, t.missing_layers, r.t_sync));
    if (r.t_pass) add(terms, given_time(TermId::pass, 0, *r.t_pass));
    if (placed.c.model.drafter && s.positions > 1.0) add_drafter(placed, terms);
}

void add_storage_terms(const PlacedCase& placed, const StepTraffic& t, Decode& d) {
    const Runtime& r = placed.c.scenario.runtime;
    const StorageRead storage = storage_read(placed.c, placed.placement, misses_of(t));
    d.storage_rate = storage.rate;
    d.reads_in_flight = storage.in_flight;
    const double moved = r.prefetch_lookahead > 0.0 ? 1.0 + r.prefetch_waste : 1.0; // wrong guesses are read too
    add_transfer(d.terms, TermId::storage_misses, kOnStorage, {t.missed, storage.rate, 1.0, moved});
    if (t.page_cache.value > 0.0) {
        add_transfer(d.terms, TermId::page_cache, kOnStorage, {t.page_cache, r.page_cache_rate});
    }
    if (r.insertion_rate) {
        add_transfer(d.terms, TermId::insertion, kOnStorage, {t.missed + t.page_cache, r.insertion_rate});
    }
    if (t.lookup_reads > 0.0 && !placed.c.machine.storage.empty()) {
        add_transfer(d.terms, TermId::lookup, kOnStorage, {t.lookup, lookup_rate(placed.c, t)});
    }
}

// At most recall x lookahead layers' worth of compute hides each missing layer's read.
Seconds prefetch_bound(const Runtime& r, const StepTraffic& t, Seconds resident) {
    if (t.layers <= 0.0) return Seconds(0.0);
    return r.prefetch_recall * r.prefetch_lookahead * t.missing_layers * (resident / t.layers);
}

std::optional<double> bandwidth_bound(const PlacedCase& placed, const StepTraffic& t) {
    std::optional<double> bound;
    for (std::size_t i = 0; i < placed.placement.tiers.size; ++i) {
        const PoolTraffic& pool = t.pools[i];
        const Bytes read = pool.fixed + pool.experts + pool.kv;
        const auto& bandwidth = placed.c.machine.memory[i].bandwidth;
        if (read.value <= 0.0 || !bandwidth) continue;
        const double here = placed.c.scenario.accepted * (*bandwidth / read).value;
        bound = bound ? std::min(*bound, here) : here;
    }
    return bound;
}

bool is_reading(TermId id) { return info_of(id).limit == Limit::storage; }

void settle_layers(const StepTraffic& t, Decode& d) {
    if (t.layers > 0.0 && d.resident) d.resident_per_layer = *d.resident / t.layers;
    const auto misses = total(d.terms, [](TermId id) { return is_reading(id) && id != TermId::lookup; });
    if (t.missing_layers > 0.0 && misses) d.storage_per_layer = *misses / t.missing_layers;
}

void settle(const Scenario& s, const StepTraffic& t, Decode& d) {
    d.resident = total(d.terms, [](TermId id) { return !is_reading(id); });
    d.storage = total(d.terms, Limit::storage);
    settle_layers(t, d);
    if (!d.resident || !d.storage) {
        // Reading alone already bounds the speed when compute is unknown.
        if (d.storage && d.storage->value > 0.0) d.full_overlap = s.accepted / d.storage->value;
        return;
    }
    const Seconds shorter = std::min(*d.resident, *d.storage);
    const Seconds bound = std::max(s.runtime.overlap_decode * shorter, prefetch_bound(s.runtime, t, *d.resident));
    const Seconds hidden = std::min(shorter, bound);
    add(d.terms, hidden_time(hidden));
    d.step = *d.resident + *d.storage - hidden;
    const double factor = s.calibration_decode.value_or(1.0);
    const Term calibration = calibration_time(*d.step, factor);
    add(d.terms, calibration);
    *d.step += *calibration.seconds;
    d.limit = largest_limit(d.terms);
    if (d.step->value <= 0.0) return;
    d.tokens_per_second = s.accepted / d.step->value;
    d.tokens_per_second_total = s.sequences * *d.tokens_per_second;
    d.no_overlap = factor * s.accepted / (*d.resident + *d.storage).value;
    d.full_overlap = factor * s.accepted / std::max(*d.resident, *d.storage).value;
}

} // namespace

Decode decode_timing(const PlacedCase& placed, const Locality& locality) {
    Decode d;
    const Scenario& s = placed.c.scenario;
    const StepTraffic t = traffic(placed, locality, StepShape{s.positions, s.sequences, false, false});
    const double tokens = s.accepted * s.sequences;
    const Bytes missed = t.missed + t.page_cache;
    d.expert_bytes_per_token = t.experts / tokens;
    d.missed_bytes_per_token = missed / tokens;
    d.miss_fraction = t.experts.value > 0.0 ? missed / t.experts : 0.0;
    if (t.missing_layers > 0.0) d.missed_bytes_per_layer = missed / t.missing_layers;
    add_resident_terms(placed, t, d.terms);
    add_storage_terms(placed, t, d);
    d.bandwidth_bound = bandwidth_bound(placed, t);
    settle(s, t, d);
    return d;
}

} // namespace spillway
