// Reasons why a figure is missing, or is less sure than it looks: codes with a value, without text (report/notes.h
// makes the sentences).
#pragma once

namespace spillway {

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

} // namespace spillway
