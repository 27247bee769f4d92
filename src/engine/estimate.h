// The result of evaluate(): plain numbers in base units, enums and note codes with values, no text. An empty
// optional is "unknown" or "not reached"; a note says which. Terms carry the operands they were computed from, so
// that what --explain prints is what the engine did.
#pragma once

#include "inputs/quantity.h"
#include "inputs/scenario.h"

#include <array>
#include <cassert>
#include <cstddef>
#include <optional>

namespace spillway {

// A list of at most N values without allocation. Adding beyond N is a mistake of ours.
template <class T, std::size_t N>
struct FixedList {
    std::array<T, N> items{};
    std::size_t size = 0;
    void add(const T& item) {
        assert(size < N);
        items[size++] = item;
    }
    const T* begin() const { return items.data(); }
    const T* end() const { return items.data() + size; }
};

// --- placement (physics.md section 4) ---------------------------------------------------------------------------

inline constexpr std::size_t kMaxPools = 4;

enum class Part { non_expert, embedding, drafter, other_parts, working_memory, reserve, experts, lookup_tables };

// Where a part lies. `pool` is an index into machine.memory.
inline constexpr int kOnStorage = -1;
inline constexpr int kNotLoaded = -2;

struct Component {
    Part part = Part::non_expert;
    std::optional<Bytes> bytes;
    int pool = 0;
};

// One memory pool's share.
struct Tier {
    Access access = Access::direct;
    Bytes fixed;                        // everything but experts charged here
    std::optional<Bytes> expert_budget; // what is left for experts, not below 0
    Bytes expert_bytes;                 // experts held
    double expert_share = 0.0;          // of the expert pool
    double layers = 0.0;                // layers whose other weights lie here
    double weight_share = 0.0;          // share of the layers' non-expert bytes that lies here
    double kv_share = 0.0;              // share of the KV cache that lies here
    double expert_layers = 0.0;         // layers with experts here (handoffs)
};

// Sizes that follow from shapes and bits alone. Empty where the quantization does not say the bits.
struct ModelBytes {
    std::optional<Bytes> layers;  // non-expert weights of all layers
    std::optional<Bytes> outside; // model-wide extra weights
    std::optional<Bytes> table;   // input embedding as stored (nothing extra if tied)
    std::optional<Bytes> head;    // output head, read whole per step
    std::optional<Bytes> experts; // routed experts of the backbone: the expert pool
    std::optional<Bytes> drafter; // with its experts and embedding copies
    std::optional<Bytes> other;   // vision and other parts
    std::optional<Bytes> tables;  // lookup tables
    double layer_count = 0.0;
    double moe_layers = 0.0;
};

struct Placement {
    ModelBytes sizes;
    std::optional<Bytes> usable;        // of the first pool
    std::optional<Bytes> left_for_os;   // capacity less usable, first pool
    std::optional<Bytes> expert_budget; // over all pools in use; negative never, see short_by
    std::optional<Bytes> expert_pool;   // routed experts of the backbone
    std::optional<double> pool_over_budget;
    std::optional<double> residency; // share of the expert pool in any memory
    double unforced_residency = 0.0; // of layers whose residency no range forces; equal to `residency` without ranges
    std::optional<double> slots_per_layer; // of the layers with the most experts
    std::optional<bool> fits;              // everything but experts fits
    Bytes short_by;                        // what does not fit
    std::optional<Seconds> load;           // time to read everything resident from the drive once
    Bytes kv_cache;
    Bytes scratch;
    std::optional<Bytes> page_cache; // buffered path: memory that the page cache has
    FixedList<Component, 10> components;
    FixedList<Tier, kMaxPools> tiers;
    double pools_in_use = 1.0;
};

// --- terms (sections 6 and 7) -----------------------------------------------------------------------------------

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
    storage_misses,
    page_cache,
    insertion,
    lookup,
    hidden,
    forced_compute,
    compute,
    memory_fixed,
    memory_experts,
    link_chunk,
    storage_chunk,
    storage_tail
};
inline constexpr std::size_t kTermIds = 23;

// How a term's seconds follow from its operands a, b, c, d.
enum class Form {
    given,   // a
    ratio,   // a / (b c)
    product, // a b
    work,    // (2 a b + c) / d
    negative // -a
};

// One named part of a step's time. Operands are in base units, unused ones are 1. `pool` is the pool concerned, or
// kOnStorage.
struct Term {
    TermId id = TermId::pass;
    Form form = Form::given;
    double a = 1.0, b = 1.0, c = 1.0, d = 1.0;
    int pool = 0;
    std::optional<Seconds> seconds; // empty: an operand is unknown
};

using Terms = FixedList<Term, 40>; // 6 per pool, 16 others

// The only place that turns operands into seconds.
Seconds seconds_of(Form form, double a, double b, double c, double d);

// What a step waits for most.
enum class Limit { storage, memory, link, compute, overhead };

struct Decode {
    std::optional<double> tokens_per_second;        // per sequence
    std::optional<double> tokens_per_second_total;  // over all sequences
    std::optional<double> no_overlap, full_overlap; // bounds
    std::optional<Seconds> step, resident, storage; // storage before hiding
    std::optional<Bytes> expert_bytes_per_token;
    std::optional<Bytes> missed_bytes_per_token;
    std::optional<double> miss_fraction;
    std::optional<Bytes> missed_bytes_per_layer;
    std::optional<Seconds> storage_per_layer, resident_per_layer;
    std::optional<double> bandwidth_bound;      // tok/s that no pool's bandwidth lets a step exceed
    std::optional<BytesPerSecond> storage_rate; // realised, at the piece size and depth of this step
    double reads_in_flight = 1.0;
    std::optional<Limit> limit;
    Terms terms;
};

struct Prefill {
    std::optional<double> tokens_per_second;
    std::optional<double> storage_limit; // tok/s if only reading took time; empty when nothing is read
    double chunk_tokens = 0.0;
    double chunks = 0.0;
    std::optional<Seconds> compute_per_chunk; // max(compute, memory) of the first chunk
    std::optional<Seconds> storage_per_chunk; // of the first chunk
    std::optional<Bytes> read_bytes_per_chunk;
    std::optional<Seconds> total;
    std::optional<Seconds> time_to_first_token;
    std::optional<Limit> limit;
    Terms terms; // of the first chunk
};

enum class State { holds, fails, depends, unknown };

struct Verdict {
    State decode = State::unknown;
    State prefill = State::unknown;
    State overall = State::unknown;
    std::optional<double> decode_shortfall; // tok/s
    std::optional<double> prefill_shortfall;
};

// What a measured locality would change.
struct Alternative {
    std::optional<double> tokens_per_second;
    std::optional<double> miss_fraction;
};

enum class NoteId {
    does_not_fit,           // value: bytes short
    not_limited_by_storage, // nothing is read, nothing else is priced
    unknown_usable,
    unknown_bandwidth,
    unknown_sustained,
    unknown_storage_rate,
    unknown_compute,
    unknown_bits,
    unknown_link_rate,
    unknown_layer_time,
    unknown_page_cache_rate,
    no_storage,                // experts must spill, the machine has no drive
    forced_pass_below_bound,   // value: tok/s bound
    uniform_routing,           // result leans on the worst case
    prefill_uniform,           // prefill prices uniform routing
    over_capacity,             // forced budget and parts exceed the usable memory; value: bytes over
    page_cache_short,          // buffered path: value: bytes below what the path needs
    fewer_slots_than_active,   // value: slots per layer
    union_upper_bound,         // several sequences: uniform unions are an upper bound
    sparse_attention_dense,    // attention arithmetic of compressed or sparse layers is a bound
    tables_small_reads,        // lookup rows priced at the drive's rate; no curve for small reads
    spills_to_storage_in_place // experts past the last pool are paged in while another processor computes
};

struct Note {
    NoteId id = NoteId::uniform_routing;
    double value = 0.0;
};

struct Estimate {
    Placement placement;
    Decode decode;
    Prefill prefill;
    Verdict verdict;
    std::optional<double> cost_ratio; // bytes of memory that one byte of storage costs in time
    FixedList<Alternative, 8> alternatives;
    FixedList<Note, 24> notes;
};

// The estimator: pure, no I/O, no clock, no exceptions. Takes a Case in range (load_case checks).
Estimate evaluate(const Case& c);

} // namespace spillway
