// What is asked of a model on a machine (Scenario) and how the engine that runs it behaves (Runtime). Plain values
// in base units. An empty optional is "unknown" where the comment says so, otherwise "not forced".
//
// The room src/inputs: what a user can state, as plain structs. It sees nothing but itself.
// In: nothing. Out: Case (below), which is all that evaluate() takes.
// Read first: quantity.h (bytes, seconds and their quotients), machine.h and model.h, locality.h, then this file; Case
// at its end joins them. fields.h says how a struct describes itself: its fields(visit, object) list is what reading,
// writing, --set, sweep axes, schemas and "did you mean" are made of, so that a new input is a member and one line.
#pragma once

#include "inputs/fields.h"
#include "inputs/locality.h"
#include "inputs/machine.h"
#include "inputs/model.h"
#include "inputs/quantity.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace spillway {

// How a processor gets at expert bytes that lie in a pool. direct: computes on them at the pool's bandwidth;
// in_place: another processor computes beside them (bytes / its bandwidth + a handoff); copied: over the link first.
enum class Access { direct, in_place, copied };
template <>
struct EnumNames<Access> {
    static constexpr std::array<std::string_view, 3> names = {"direct", "in_place", "copied"};
};

// What decides which experts a pool holds. cache: contents follow use; static_layers: chosen at load, whole layers;
// static_heat: chosen at load by measured use, serves its share of bytes.
enum class Policy { cache, static_layers, static_heat };
template <>
struct EnumNames<Policy> {
    static constexpr std::array<std::string_view, 3> names = {"cache", "static-layers", "static-heat"};
};

// How misses are read from the drive.
enum class ReadPath { direct, buffered, mmap };
template <>
struct EnumNames<ReadPath> {
    static constexpr std::array<std::string_view, 3> names = {"direct", "buffered", "mmap"};
};

// A value per kind of processor; an empty entry is unknown for that kind.
template <class T>
struct PerProcessor {
    std::array<std::optional<T>, kProcessorKinds> values;
};

// What an entry of such a table is. Plain numbers are shares of a rated figure.
inline constexpr std::string_view kProcessorEntryDoc = "value for this kind of processor; left out: not known";
template <class T>
inline constexpr FieldInfo kProcessorEntry = with_empty(Empty::unknown, optional_field(kProcessorEntryDoc, 0.0, 1e6));
template <>
inline constexpr FieldInfo
    kProcessorEntry<double> = as_share(with_empty(Empty::unknown, optional_field(kProcessorEntryDoc, 1e-6, 1.0)));

template <class Visitor, class T>
void fields(Visitor& visit, PerProcessor<T>& table) {
    for (std::size_t kind = 0; kind < static_cast<std::size_t>(kProcessorKinds); ++kind) {
        visit(EnumNames<Processor>::names[kind], table.values[kind], kProcessorEntry<T>);
    }
}

// An inference engine as data: fixed times, read path, overlap, memory it takes. See docs/physics.md 4.1 to 4.3; the
// sources of each value stand in scenarios/runtimes/.
struct Runtime {
    std::string name;
    // Per step and per layer.
    PerProcessor<double> sustained;     // share of rated bandwidth; replaces the pool's own where given
    PerProcessor<Seconds> t_layer;      // every layer
    std::optional<Seconds> t_layer_moe; // on top, every layer with routed experts; none if empty
    std::optional<Seconds> t_pass;      // once per step; none if empty
    std::optional<Seconds> t_sync;      // layers whose experts may miss; none if empty
    double kv_share = 1.0;              // share of the rated bandwidth that reading the KV cache reaches
    PerProcessor<double> compute_share; // share of rated FLOP/s in prefill, where the machine's own rate is unknown
    // Reading what is not in memory.
    ReadPath read_path = ReadPath::direct;
    double lanes = 1.0;          // reads that the engine can keep in flight
    double pieces = 1.0;         // reads per expert
    double realised_share = 1.0; // of the drive's rate at that piece size and depth
    double overlap_decode = 0.0; // share of the shorter of compute and reading that is hidden
    double overlap_prefill = 0.0;
    std::optional<BytesPerSecond> insertion_rate;  // copy of a read record into the pool; none if empty
    std::optional<BytesPerSecond> page_cache_rate; // buffered: reads that the OS page cache serves
    double prefetch_lookahead = 0.0;               // layers ahead
    double prefetch_recall = 0.0;                  // share of the experts guessed right
    double prefetch_waste = 0.0;                   // wrong bytes read per missed byte
    // Memory.
    std::optional<Bytes> working_memory;        // scratch and staging, absolute
    std::optional<double> working_memory_share; // or as a share of the first pool's usable memory
    std::optional<Bytes> reserve;               // what the OS needs beside; none if empty
    double page_cache_share = 0.0; // buffered: share of the capacity that the page cache needs to keep its rate
    // Experts outside the first pool.
    Policy policy = Policy::cache;
    bool spills = false;                          // whether pools after the first hold weights
    Access spill_access = Access::in_place;       // decode
    Access prefill_spill_access = Access::copied; // prefill
    std::optional<Seconds> handoff;               // per layer whose experts another processor computes; none if empty
    double micro_batch = 512.0;                   // tokens per prefill chunk unless the scenario says otherwise
    double kv_cell_multiple = 1.0;                // cells of a window cache are rounded up to a multiple of this
    bool kv_window_holds_batch = false;           // a window cache also holds one micro-batch
    // Flags that realise a placement, with {layers}, {cache_bytes}, {cache_gib}, {slots} filled in by the report.
    std::string flags;
};

template <class Visitor>
void fields(Visitor& visit, Runtime& r) {
    visit("name", r.name, FieldInfo{"name"});
    visit("sustained", r.sustained,
          optional_field("share of rated bandwidth by kind of processor; default: the pool's own"));
    visit("t_layer", r.t_layer, FieldInfo{"fixed time of every layer by kind of processor"});
    visit("t_layer_moe", r.t_layer_moe, optional_field("fixed time on top for layers with routed experts", 0.0, 10.0));
    visit("t_pass", r.t_pass, optional_field("fixed time per step", 0.0, 100.0));
    visit("t_sync", r.t_sync, optional_field("router read-back of layers whose experts may miss", 0.0, 10.0));
    visit("kv_share", r.kv_share,
          as_share(FieldInfo{"share of rated bandwidth when reading the KV cache", Presence::required, 1e-3, 1.0}));
    visit("compute_share", r.compute_share, optional_field("share of rated FLOP/s in prefill by kind of processor"));
    visit("read_path", r.read_path, FieldInfo{"how misses are read"});
    visit("lanes", r.lanes, FieldInfo{"reads the engine can keep in flight", Presence::required, 1.0, 1e6});
    visit("pieces", r.pieces, FieldInfo{"reads per expert", Presence::required, 1.0, 1e6});
    visit("realised_share", r.realised_share,
          as_share(FieldInfo{"share of the drive's rate that decode reaches", Presence::required, 1e-6, 1.0}));
    visit("overlap_decode", r.overlap_decode,
          as_share(
              FieldInfo{"share of the shorter of compute and reading hidden in decode", Presence::required, 0.0, 1.0}));
    visit("overlap_prefill", r.overlap_prefill,
          as_share(FieldInfo{"the same in prefill", Presence::required, 0.0, 1.0}));
    visit("insertion_rate", r.insertion_rate, optional_field("copy of a read expert into its pool", 1.0, 1e15));
    visit("page_cache_rate", r.page_cache_rate, optional_field("reads that the page cache serves", 1.0, 1e15));
    visit("prefetch_lookahead", r.prefetch_lookahead, optional_field("layers that a prefetch runs ahead", 0.0, 1e4));
    visit("prefetch_recall", r.prefetch_recall,
          as_share(optional_field("share of the experts that it guesses", 0.0, 1.0)));
    visit("prefetch_waste", r.prefetch_waste, optional_field("wrong bytes read per missed byte", 0.0, 1e3));
    visit("working_memory", r.working_memory, optional_field("scratch and staging", 0.0, 1e15));
    visit("working_memory_share", r.working_memory_share,
          as_share(optional_field("scratch and staging as a share of the first pool's usable memory", 0.0, 1.0)));
    visit("reserve", r.reserve, optional_field("memory to leave for the OS inside the usable limit", 0.0, 1e15));
    visit("page_cache_share", r.page_cache_share,
          as_share(optional_field("share of the capacity that the page cache needs to keep its rate", 0.0, 1.0)));
    visit("policy", r.policy, FieldInfo{"what decides which experts a pool holds"});
    visit("spills", r.spills, FieldInfo{"whether pools after the first hold weights"});
    visit("spill_access", r.spill_access, optional_field("how decode gets at experts outside the first pool"));
    visit("prefill_spill_access", r.prefill_spill_access, optional_field("how prefill gets at them"));
    visit("handoff", r.handoff, optional_field("per layer whose experts another processor computes", 0.0, 10.0));
    visit("micro_batch", r.micro_batch, FieldInfo{"tokens per prefill chunk", Presence::required, 1.0, 1e6});
    visit("kv_cell_multiple", r.kv_cell_multiple,
          optional_field("cells of a window cache are rounded up to this", 1.0, 1e6));
    visit("kv_window_holds_batch", r.kv_window_holds_batch,
          optional_field("whether a window cache also holds one micro-batch"));
    visit("flags", r.flags, optional_field("flags that realise a placement"));
}

// Element formats of the KV cache; bits per element in kv_bytes_per_element().
enum class KvFormat { f32, f16, q8_0, q4_0, fp8 };
template <>
struct EnumNames<KvFormat> {
    static constexpr std::array<std::string_view, 5> names = {"f32", "f16", "q8_0", "q4_0", "fp8"};
};

// f16 2, q8_0 34 bytes per 32, q4_0 18 bytes per 32 (docs/physics.md 2.4).
constexpr double kv_bytes_per_element(KvFormat format) {
    constexpr std::array<double, 5> bytes = {4.0, 2.0, 34.0 / 32.0, 18.0 / 32.0, 1.0};
    return bytes[static_cast<std::size_t>(format)];
}

// A forced residency of some layers (the rest keep the model's).
struct ResidencyRange {
    LayerSet layers;
    double residency = 0.0;
};

template <class Visitor>
void fields(Visitor& visit, ResidencyRange& range) {
    visit("layers", range.layers, FieldInfo{"layer numbers, as \"0-2, 6\""});
    visit("residency", range.residency,
          as_share(FieldInfo{"share of their experts kept", Presence::required, 0.0, 1.0}));
}

inline constexpr double kMaxLayerCount = 10000;

// The question. At most one of expert_budget, residency, residency_ranges, first_pool_experts and cpu_moe_layers may be
// given, and at most one of hit_rate and missed_bytes.
struct Scenario {
    std::string name;
    std::string build;      // of the engine, or its date; what a measured run states
    double context = 32768; // tokens the KV cache is allocated for, per sequence
    double depth = 0;       // tokens already in the cache when decode or the prompt is priced
    double sequences = 1;
    double prompt = 2048;
    std::optional<double> chunk; // tokens per prefill chunk; empty: the runtime's micro-batch
    double positions = 1;        // positions per step; more than 1 is a verify block of a drafter
    double accepted = 1;         // tokens accepted per step
    bool use_other_parts = false;
    KvFormat kv_format = KvFormat::f16;
    std::optional<double> active_experts; // engine runs with fewer experts than the model's top-k
    std::optional<Bytes> expert_budget;
    std::optional<double> residency;
    std::vector<ResidencyRange> residency_ranges;
    std::optional<double> first_pool_experts; // share of the expert pool that the first memory pool holds
    std::optional<double> cpu_moe_layers;     // layers whose experts lie in the next pool (llama.cpp's --n-cpu-moe)
    std::optional<double> hit_rate;           // share of a decode step's expert reads that memory serves, as measured
    std::optional<Bytes> missed_bytes;        // or the expert bytes that a decoded token reads from the drive
    std::optional<Seconds> resident_pass;
    std::optional<Seconds> prefill_compute; // per chunk, replaces compute and memory time
    bool prefill_all_layers = false;
    bool alternatives = true;            // list the model's measured localities
    std::optional<Bytes> working_memory; // replaces the runtime's
    std::optional<Bytes> reserve;        // replaces the runtime's
    double target_decode = 10;           // tok/s per sequence
    double target_prefill = 100;         // tok/s
    // Measured over predicted speed of own runs (io/calibration.h); none if empty.
    std::optional<double> calibration_decode, calibration_prefill;
    Locality locality;
    Runtime runtime;
};

template <class Visitor>
void fields(Visitor& visit, Scenario& s) {
    visit("name", s.name, FieldInfo{"name"});
    visit("build", s.build, optional_field("build of the engine, or its date"));
    visit("context", s.context,
          as_whole(FieldInfo{"tokens the KV cache is allocated for, per sequence", Presence::required, 1, 1e9}));
    visit("depth", s.depth,
          FieldInfo{"tokens in the cache when decode or the prompt is priced", Presence::required, 0, 1e9});
    visit("sequences", s.sequences, as_whole(FieldInfo{"independent sequences", Presence::required, 1, 1e5}));
    visit("prompt", s.prompt, as_whole(FieldInfo{"tokens of the prompt", Presence::required, 1, 1e8}));
    visit("chunk", s.chunk,
          with_empty(Empty::none, FieldInfo{"tokens per prefill chunk; null: the runtime's micro-batch",
                                            Presence::required, 1, 1e8}));
    visit("positions", s.positions,
          as_whole(optional_field("positions per step; more than 1 is a verify block", 1, 1024)));
    visit("accepted", s.accepted, optional_field("tokens accepted per step", 1, 1024));
    visit("use_other_parts", s.use_other_parts, optional_field("load vision and other parts"));
    visit("kv_format", s.kv_format, optional_field("element format of the KV cache"));
    visit("active_experts", s.active_experts, optional_field("experts per token that the engine runs with", 1, 1e6));
    visit("expert_budget", s.expert_budget, optional_field("forced memory for experts", 0.0, 1e18));
    visit("residency", s.residency, as_share(optional_field("forced share of the experts in memory", 0.0, 1.0)));
    visit("residency_ranges", s.residency_ranges, optional_field("forced share of some layers' experts in memory"));
    visit("first_pool_experts", s.first_pool_experts,
          as_share(optional_field("forced share of the experts in the first memory pool; the rest fills the next", 0.0,
                                  1.0)));
    visit("cpu_moe_layers", s.cpu_moe_layers,
          optional_field("layers whose experts lie in the next memory pool (--n-cpu-moe)", 0.0, kMaxLayerCount));
    visit("hit_rate", s.hit_rate,
          as_share(optional_field("measured share of decode's expert reads that memory serves", 0.0, 1.0)));
    visit("missed_bytes", s.missed_bytes,
          optional_field("measured expert bytes that a decoded token reads from the drive", 0.0, 1e15));
    visit("resident_pass", s.resident_pass,
          optional_field("forced time of a step with all it reads in memory", 0.0, 1e4));
    visit("prefill_compute", s.prefill_compute, optional_field("forced compute time per prefill chunk", 0.0, 1e6));
    visit("prefill_all_layers", s.prefill_all_layers, optional_field("whether decode-only layers run in prefill too"));
    visit("alternatives", s.alternatives, optional_field("whether measured localities are listed beside"));
    visit("working_memory", s.working_memory, optional_field("scratch and staging; default: the runtime's", 0.0, 1e15));
    visit("reserve", s.reserve, optional_field("memory to leave for the OS; default: the runtime's", 0.0, 1e15));
    visit("target_decode", s.target_decode,
          FieldInfo{"tok/s per sequence to hold in decode", Presence::required, 1e-9, 1e9});
    visit("target_prefill", s.target_prefill, FieldInfo{"tok/s to hold in prefill", Presence::required, 1e-9, 1e9});
    visit("calibration_decode", s.calibration_decode,
          optional_field("measured over predicted speed of own runs in decode", 0.02, 50.0));
    visit("calibration_prefill", s.calibration_prefill, optional_field("the same in prefill", 0.02, 50.0));
    visit("locality", s.locality, FieldInfo{"routing locality: \"uniform\" or a profile"});
    visit("runtime", s.runtime, FieldInfo{"runtime profile"});
}

// Whether what decode misses is stated, so that neither the placement nor a curve decides it.
inline bool states_misses(const Scenario& s) { return s.hit_rate || s.missed_bytes; }

// The three together, resolved and in range: what evaluate() takes. `alternatives` are measured localities of the
// model, evaluated beside the scenario's own.
struct Case {
    Machine machine;
    Model model;
    Quantization quantization;
    Scenario scenario;
    std::vector<Locality> alternatives;
};

} // namespace spillway
