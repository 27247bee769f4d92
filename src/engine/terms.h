// The named parts of a step's time, each with the operands that it was computed from, so that what --explain prints is
// what the engine did. A term is one row of kTerms and one call of a constructor below; the types check that bytes meet
// a rate. In: operands, empty where unknown. Out: Terms, whose sums are the step.
// See docs/physics.md 7.2, 7.3, 8.2 and 8.3.
#pragma once

#include "engine/fixed_list.h"
#include "engine/note.h"
#include "inputs/quantity.h"

#include <array>
#include <optional>
#include <string_view>

namespace spillway {

// What a step waits for most.
enum class Limit { storage, memory, link, compute, overhead };
inline constexpr std::size_t kLimits = 5;

enum class TermId {
    forced_pass,
    read_fixed,
    read_experts,
    read_kv,
    read_drafter,
    layers,
    moe_layers,
    pass,
    sync,
    handoff,
    link_experts,
    link_latency,
    link_chunk,
    page_cache,
    forced_compute,
    compute,
    memory_fixed,
    memory_experts,
    storage_misses,
    insertion,
    lookup,
    storage_chunk,
    storage_tail,
    hidden,
    calibration
};

// What is said of a term, once: its name in JSON, its label for people, what its seconds are spent on, the note of an
// estimate that does not know it, and what then is not known ({pool} and {drive} are filled in).
struct TermInfo {
    TermId id;
    std::string_view name, label;
    Limit limit;
    std::optional<NoteId> unknown;
    std::string_view lacks;
};

inline constexpr std::string_view kLacksBandwidth = "the bandwidth of pool {pool} or its sustained share is unknown";
inline constexpr std::string_view kLacksLink = "the rate of the link is unknown";
inline constexpr std::string_view kLacksDrive = "the read rate of drive {drive} is unknown";

// In the order of TermId; of several unknown terms the notes come in this order. What the bandwidth of a pool leaves
// unknown is noted by pool (verdict.cpp).
inline constexpr std::array kTerms = std::to_array<TermInfo>({
    {TermId::forced_pass, "forced_pass", "resident pass (forced)", Limit::memory, {}, kLacksBandwidth},
    {TermId::read_fixed, "read_fixed", "read non-expert weights", Limit::memory, {}, kLacksBandwidth},
    {TermId::read_experts, "read_experts", "read experts from memory", Limit::memory, {}, kLacksBandwidth},
    {TermId::read_kv, "read_kv", "read KV cache", Limit::memory, {}, kLacksBandwidth},
    {TermId::read_drafter, "read_drafter", "read drafter", Limit::memory, {}, kLacksBandwidth},
    {TermId::layers, "layers", "fixed time per layer", Limit::overhead, NoteId::unknown_layer_time,
     "the fixed time per layer in pool {pool} is unknown"},
    {TermId::moe_layers, "moe_layers", "fixed time per MoE layer", Limit::overhead, {}, kLacksBandwidth},
    {TermId::pass, "pass", "fixed time per step", Limit::overhead, {}, kLacksBandwidth},
    {TermId::sync, "sync", "router read-back per layer", Limit::overhead, {}, kLacksBandwidth},
    {TermId::handoff, "handoff", "handoffs between processors", Limit::overhead, {}, kLacksBandwidth},
    {TermId::link_experts, "link_experts", "copy experts over the link", Limit::link, NoteId::unknown_link_rate,
     kLacksLink},
    {TermId::link_latency, "link_latency", "start transfers on the link", Limit::link, {}, kLacksLink},
    {TermId::link_chunk, "link_chunk", "copy weights over the link", Limit::link, NoteId::unknown_link_rate,
     kLacksLink},
    {TermId::page_cache, "page_cache", "read from the page cache", Limit::storage, NoteId::unknown_page_cache_rate,
     "the rate of the page cache is unknown"},
    {TermId::forced_compute, "forced_compute", "arithmetic (forced)", Limit::compute, {}, kLacksBandwidth},
    {TermId::compute, "compute", "arithmetic", Limit::compute, NoteId::unknown_compute,
     "the arithmetic rate is unknown"},
    {TermId::memory_fixed, "memory_fixed", "read non-expert weights", Limit::memory, {}, kLacksBandwidth},
    {TermId::memory_experts, "memory_experts", "read experts from memory", Limit::memory, {}, kLacksBandwidth},
    {TermId::storage_misses, "storage_misses", "read missing experts", Limit::storage, NoteId::unknown_storage_rate,
     kLacksDrive},
    {TermId::insertion, "insertion", "insert read experts into memory", Limit::storage, {}, kLacksBandwidth},
    {TermId::lookup, "lookup", "read lookup rows", Limit::storage, NoteId::unknown_storage_rate, kLacksDrive},
    {TermId::storage_chunk, "storage_chunk", "read missing experts", Limit::storage, NoteId::unknown_storage_rate,
     kLacksDrive},
    {TermId::storage_tail, "storage_tail", "read missing experts", Limit::storage, NoteId::unknown_storage_rate,
     kLacksDrive},
    {TermId::hidden, "hidden", "hidden by overlap", Limit::overhead, {}, kLacksBandwidth},
    {TermId::calibration, "calibration", "own runs against the estimate", Limit::overhead, {}, kLacksBandwidth},
});

consteval bool terms_in_order() {
    for (std::size_t i = 0; i < kTerms.size(); ++i) {
        if (static_cast<std::size_t>(kTerms[i].id) != i || kTerms[i].name.empty() || kTerms[i].label.empty()) {
            return false;
        }
    }
    return static_cast<std::size_t>(TermId::calibration) + 1 == kTerms.size();
}
static_assert(terms_in_order(), "kTerms has a row for each TermId, in the order of the enum");

constexpr const TermInfo& info_of(TermId id) { return kTerms[static_cast<std::size_t>(id)]; }

// Whether a term corrects the sum of the others instead of being spent on something.
constexpr bool is_correction(TermId id) { return id == TermId::hidden || id == TermId::calibration; }

// How a term's seconds follow from its operands a, b, c, d.
enum class Form {
    given,    // a
    ratio,    // a d / (b c)
    product,  // a b
    work,     // (2 a b + c) / d
    negative, // -a
    scaling   // a (1 / b - 1)
};

// One named part of a step's time. Operands are in base units, unused ones are 1, unknown ones 0. `pool` is the pool
// concerned, or kOnStorage.
struct Term {
    TermId id = TermId::pass;
    Form form = Form::given;
    double a = 1.0, b = 1.0, c = 1.0, d = 1.0;
    int pool = 0;
    std::optional<Seconds> seconds; // empty: an operand is unknown
};

using Terms = FixedList<Term, 48>; // 7 per pool, 16 others

// The only place that turns operands into seconds.
Seconds seconds_of(Form form, double a, double b, double c, double d);

// The constructors. A time as it is.
Term given_time(TermId id, int pool, Seconds time);
// Bytes over a rate; `share` is the part of the rate that is reached, `factor` how often the bytes are moved.
struct Transfer {
    Bytes bytes;
    std::optional<BytesPerSecond> rate;
    std::optional<double> share = 1.0;
    double factor = 1.0;
};
Term transfer_time(TermId id, int pool, const Transfer& transfer);
// So many times the same time.
Term repeated_time(TermId id, int pool, double count, std::optional<Seconds> each);
// Arithmetic: two operations for each parameter and token, and those of attention.
struct Work {
    double params = 0.0, tokens = 0.0;
    Flops attention;
    std::optional<FlopsPerSecond> rate;
};
Term work_time(TermId id, const Work& work);
// What overlap takes off.
Term hidden_time(Seconds time);
// What turns a time into the one at which the speed is `factor` times as high.
Term calibration_time(Seconds time, double factor);

// Adds a term unless nothing is moved, done or hidden.
void add(Terms& terms, const Term& term);

// Sum over the terms that `wanted` accepts; empty as soon as one of them is unknown.
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
std::optional<Seconds> total(const Terms& terms, Limit limit);

// On what most of the time is spent; what overlap hides does not count.
Limit largest_limit(const Terms& terms);

} // namespace spillway
