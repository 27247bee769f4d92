#include "engine/timing.h"
#include "engine/params.h"

#include "engine/drive.h"

#include <algorithm>

namespace spillway {

namespace {

// A page cache that is squeezed out altogether leaves page faults: 0.035-0.07 of a drive (efficiency record
// "mmap-fault-share", n = 3). Basis of the linear fall to that floor: guess.
constexpr double kSqueezedPageCacheShare = 0.05;

std::size_t kind_of(const MemoryPool& pool) { return static_cast<std::size_t>(pool.processor); }

std::optional<double> value_of(std::optional<BytesPerSecond> rate) {
    return rate ? std::optional(rate->value) : std::nullopt;
}
std::optional<double> value_of(std::optional<Seconds> time) { return time ? std::optional(time->value) : std::nullopt; }

// Adds a term unless it is zero; an unknown operand makes its seconds unknown.
void add_term(Terms& terms, TermId id, Form form, int pool, std::optional<double> a, std::optional<double> b = 1.0,
              std::optional<double> c = 1.0, std::optional<double> d = 1.0) {
    if (a && *a == 0.0 && form != Form::given) return;
    if (form == Form::product && b && *b == 0.0) return;
    Term term{id, form, a.value_or(0.0), b.value_or(0.0), c.value_or(0.0), d.value_or(0.0), pool, std::nullopt};
    if (a && b && c && d) term.seconds = seconds_of(form, *a, *b, *c, *d);
    terms.add(term);
}

bool is_storage(TermId id) {
    return id == TermId::storage_misses || id == TermId::page_cache || id == TermId::insertion ||
           id == TermId::lookup || id == TermId::storage_chunk || id == TermId::storage_tail;
}

// Sum of the terms that `wanted` accepts; empty as soon as one of them is unknown.
template <class Wanted>
std::optional<Seconds> total(const Terms& terms, Wanted wanted) {
    Seconds sum;
    for (const Term& term : terms) {
        if (!wanted(term.id)) continue;
        if (!term.seconds) return std::nullopt;
        sum += *term.seconds;
    }
    return sum;
}

Limit group_of(TermId id) {
    switch (id) {
    case TermId::forced_pass:
    case TermId::read_fixed:
    case TermId::read_experts:
    case TermId::read_kv:
    case TermId::read_drafter:
    case TermId::memory_fixed:
    case TermId::memory_experts: return Limit::memory;
    case TermId::link_experts:
    case TermId::link_chunk: return Limit::link;
    case TermId::compute:
    case TermId::forced_compute: return Limit::compute;
    case TermId::storage_misses:
    case TermId::page_cache:
    case TermId::insertion:
    case TermId::lookup:
    case TermId::storage_chunk:
    case TermId::storage_tail: return Limit::storage;
    case TermId::layers:
    case TermId::moe_layers:
    case TermId::pass:
    case TermId::sync:
    case TermId::handoff:
    case TermId::hidden: return Limit::overhead;
    }
    return Limit::overhead;
}

Limit largest_group(const Terms& terms) {
    std::array<double, 5> seconds{};
    for (const Term& term : terms) {
        if (term.id == TermId::hidden || !term.seconds) continue;
        seconds[static_cast<std::size_t>(group_of(term.id))] += term.seconds->value;
    }
    const auto largest = std::max_element(seconds.begin(), seconds.end());
    return static_cast<Limit>(largest - seconds.begin());
}

void add_pool_reads(const Case& c, const StepTraffic& t, std::size_t i, Decode& d) {
    const MemoryPool& pool = c.machine.memory[i];
    const Runtime& r = c.scenario.runtime;
    const int index = static_cast<int>(i);
    const auto bandwidth = value_of(pool.bandwidth);
    const PoolTraffic& traffic_here = t.pools[i];
    add_term(d.terms, TermId::read_fixed, Form::ratio, index, traffic_here.fixed.value, bandwidth, pool.sustained);
    add_term(d.terms, TermId::read_experts, Form::ratio, index, traffic_here.experts.value, bandwidth, pool.sustained);
    add_term(d.terms, TermId::read_kv, Form::ratio, index, traffic_here.kv.value, bandwidth, r.kv_share);
    if (traffic_here.layers > 0.0) {
        add_term(d.terms, TermId::layers, Form::product, index, traffic_here.layers,
                 value_of(r.t_layer.values[kind_of(pool)]));
    }
    if (r.handoff) add_term(d.terms, TermId::handoff, Form::product, index, traffic_here.handoffs, r.handoff->value);
    if (traffic_here.over_link.value > 0.0) {
        const auto rate = c.machine.links.empty() ? std::nullopt : value_of(c.machine.links.front().rate);
        add_term(d.terms, TermId::link_experts, Form::ratio, index, traffic_here.over_link.value, rate);
    }
}

// One pass of the drafter: its fixed weights, its top-k experts and the head, from the first pool.
Bytes drafter_pass_bytes(const Case& c, const Placement& p) {
    const Drafter& drafter = *c.model.drafter;
    const Quantization& q = c.quantization;
    double fixed = static_cast<double>(drafter.extra_params), routed = 0.0;
    for (const Block& block : drafter.blocks) {
        fixed += layer_count(block) * layer_fixed_params(block, c.model.hidden);
        if (!block.experts) continue;
        routed += layer_count(block) * static_cast<double>(block.experts->active) * expert_params(*block.experts);
    }
    const auto fixed_bytes = bytes_of(fixed, q.drafter_rest ? q.drafter_rest : q.rest);
    const auto routed_bytes = bytes_of(routed, q.drafter_experts ? q.drafter_experts : q.experts);
    return fixed_bytes.value_or(Bytes(0.0)) + routed_bytes.value_or(Bytes(0.0)) + *p.sizes.head;
}

void add_drafter(const Case& c, const Placement& p, Decode& d) {
    const MemoryPool& pool = c.machine.memory.front();
    const Drafter& drafter = *c.model.drafter;
    const double passes = drafter.drafts_block ? 1.0 : c.scenario.positions - 1.0;
    double layers = 0.0;
    for (const Block& block : drafter.blocks) layers += layer_count(block);
    const Bytes read = passes * drafter_pass_bytes(c, p);
    add_term(d.terms, TermId::read_drafter, Form::ratio, 0, read.value, value_of(pool.bandwidth), pool.sustained);
    add_term(d.terms, TermId::layers, Form::product, 0, passes * layers,
             value_of(c.scenario.runtime.t_layer.values[kind_of(pool)]));
}

void add_resident_terms(const Case& c, const Placement& p, const StepTraffic& t, Decode& d) {
    const Runtime& r = c.scenario.runtime;
    if (c.scenario.resident_pass) {
        add_term(d.terms, TermId::forced_pass, Form::given, 0, c.scenario.resident_pass->value);
        return;
    }
    for (std::size_t i = 0; i < p.tiers.size; ++i) add_pool_reads(c, t, i, d);
    if (r.t_layer_moe) add_term(d.terms, TermId::moe_layers, Form::product, 0, t.moe_layers, r.t_layer_moe->value);
    if (r.t_sync) add_term(d.terms, TermId::sync, Form::product, 0, t.missing_layers, r.t_sync->value);
    if (r.t_pass) add_term(d.terms, TermId::pass, Form::given, 0, r.t_pass->value);
    if (c.model.drafter && c.scenario.positions > 1.0) add_drafter(c, p, d);
}

void add_storage_terms(const Case& c, const Placement& p, const StepTraffic& t, Decode& d) {
    const Runtime& r = c.scenario.runtime;
    const double wrong = r.prefetch_lookahead > 0.0 ? 1.0 + r.prefetch_waste : 1.0;
    const Bytes read = wrong * t.missed;
    const StorageRead storage = storage_read(c, p, t.missed, t.missed_experts, t.missing_layers);
    d.storage_rate = storage.rate;
    d.reads_in_flight = storage.in_flight;
    add_term(d.terms, TermId::storage_misses, Form::ratio, kOnStorage, read.value, value_of(storage.rate));
    if (t.page_cache.value > 0.0) {
        add_term(d.terms, TermId::page_cache, Form::ratio, kOnStorage, t.page_cache.value, value_of(r.page_cache_rate));
    }
    if (r.insertion_rate) {
        const Bytes inserted = t.missed + t.page_cache;
        add_term(d.terms, TermId::insertion, Form::ratio, kOnStorage, inserted.value, r.insertion_rate->value);
    }
    if (t.lookup_reads > 0.0 && !c.machine.storage.empty()) {
        const double in_flight = std::max(1.0, std::min(r.lanes, t.lookup_reads));
        const auto rate = read_rate(c.machine.storage.front(), t.lookup / t.lookup_reads, in_flight);
        add_term(d.terms, TermId::lookup, Form::ratio, kOnStorage, t.lookup.value, value_of(rate));
    }
}

// At most recall x lookahead layers' worth of compute hides each missing layer's read (physics.md section 9).
Seconds prefetch_bound(const Runtime& r, const StepTraffic& t, Seconds resident) {
    if (t.layers <= 0.0) return Seconds(0.0);
    return r.prefetch_recall * r.prefetch_lookahead * t.missing_layers * (resident / t.layers);
}

std::optional<double> bandwidth_bound(const Case& c, const Placement& p, const StepTraffic& t) {
    std::optional<double> bound;
    for (std::size_t i = 0; i < p.tiers.size; ++i) {
        const PoolTraffic& pool = t.pools[i];
        const Bytes read = pool.fixed + pool.experts + pool.kv;
        if (read.value <= 0.0 || !c.machine.memory[i].bandwidth) continue;
        const double here = c.scenario.accepted * (*c.machine.memory[i].bandwidth / read).value;
        bound = bound ? std::min(*bound, here) : here;
    }
    return bound;
}

void settle_decode(const Case& c, const StepTraffic& t, Decode& d) {
    const Scenario& s = c.scenario;
    d.resident = total(d.terms, [](TermId id) { return !is_storage(id); });
    d.storage = total(d.terms, is_storage);
    if (t.layers > 0.0 && d.resident) d.resident_per_layer = *d.resident / t.layers;
    const auto misses = total(d.terms, [](TermId id) { return is_storage(id) && id != TermId::lookup; });
    if (t.missing_layers > 0.0 && misses) d.storage_per_layer = *misses / t.missing_layers;
    if (!d.resident || !d.storage) {
        // Reading alone already bounds the speed when compute is unknown.
        if (d.storage && d.storage->value > 0.0) d.full_overlap = s.accepted / d.storage->value;
        return;
    }
    const Seconds shorter = std::min(*d.resident, *d.storage);
    const Seconds bound = std::max(s.runtime.overlap_decode * shorter, prefetch_bound(s.runtime, t, *d.resident));
    const Seconds hidden = std::min(shorter, bound);
    add_term(d.terms, TermId::hidden, Form::negative, kOnStorage, hidden.value);
    d.step = *d.resident + *d.storage - hidden;
    d.limit = largest_group(d.terms);
    if (d.step->value <= 0.0) return;
    d.tokens_per_second = s.accepted / d.step->value;
    d.tokens_per_second_total = s.sequences * *d.tokens_per_second;
    d.no_overlap = s.accepted / (*d.resident + *d.storage).value;
    d.full_overlap = s.accepted / std::max(*d.resident, *d.storage).value;
}

} // namespace

Seconds seconds_of(Form form, double a, double b, double c, double d) {
    switch (form) {
    case Form::given: return Seconds(a);
    case Form::ratio: return Seconds(a / (b * c));
    case Form::product: return Seconds(a * b);
    case Form::work: return Seconds((2.0 * a * b + c) / d);
    case Form::negative: return Seconds(-a);
    }
    return Seconds(0.0);
}

StorageRead storage_read(const Case& c, const Placement& p, Bytes bytes, double experts, double layers) {
    StorageRead read;
    const Runtime& r = c.scenario.runtime;
    if (c.machine.storage.empty() || experts <= 0.0 || layers <= 0.0) return read;
    read.in_flight = std::max(1.0, std::min(r.lanes, experts / layers * r.pieces));
    const auto rate = read_rate(c.machine.storage.front(), bytes / (experts * r.pieces), read.in_flight);
    if (!rate) return read;
    double share = r.realised_share;
    if (p.page_cache && r.page_cache_share > 0.0) {
        const Bytes needed = r.page_cache_share * c.machine.memory.front().capacity;
        share *= std::clamp(*p.page_cache / needed, kSqueezedPageCacheShare, 1.0);
    }
    read.rate = share * *rate;
    return read;
}

Decode decode_timing(const Case& c, const Placement& p, const Locality& locality) {
    Decode d;
    const Scenario& s = c.scenario;
    const StepTraffic t = traffic(c, p, locality, StepShape{s.positions, s.sequences, false, false});
    const double tokens = s.accepted * s.sequences;
    d.expert_bytes_per_token = t.experts / tokens;
    d.missed_bytes_per_token = (t.missed + t.page_cache) / tokens;
    d.miss_fraction = t.experts.value > 0.0 ? (t.missed + t.page_cache) / t.experts : 0.0;
    if (t.missing_layers > 0.0) d.missed_bytes_per_layer = (t.missed + t.page_cache) / t.missing_layers;
    add_resident_terms(c, p, t, d);
    add_storage_terms(c, p, t, d);
    d.bandwidth_bound = bandwidth_bound(c, p, t);
    settle_decode(c, t, d);
    return d;
}

} // namespace spillway
