// What files say beside the values that the engine takes: where each value comes from, what a vendor published, what
// was measured in quality. Kept beside the Case, for reports and audits.
#pragma once

#include "inputs/model.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace spillway {

// What kind of knowledge a value is. rated: a vendor's specification; derived: computed from other sourced values;
// fitted: by `calibrate` to measured runs;
// published: stated by whoever made the model; chosen: a setting; given: from the command line; guess: an assumption.
enum class Basis { measured, rated, derived, fitted, published, chosen, given, guess };
template <>
struct EnumNames<Basis> {
    static constexpr std::array<std::string_view, 8> names = {"measured",  "rated",  "derived", "fitted",
                                                              "published", "chosen", "given",   "guess"};
};

// Where a group of fields comes from. `of` is a path relative to the file's object, "" for all of it.
struct Source {
    std::string of;
    Basis basis = Basis::guess;
    std::string source;
};
template <class Visitor>
void fields(Visitor& visit, Source& s) {
    visit("of", s.of, FieldInfo{"path of the fields it covers; empty: all of the file"});
    visit("basis", s.basis, FieldInfo{"kind of knowledge"});
    visit("source", s.source, FieldInfo{"where it can be looked up"});
}

// The vendor's figures, to compare with what follows from the shapes.
struct Published {
    std::optional<double> total_params;
    std::optional<double> active_params;
    std::optional<double> prefill_active_params;
    std::optional<double> kv_bytes_per_token_16bit;
    std::string note;
};
template <class Visitor>
void fields(Visitor& visit, Published& p) {
    visit("total_params", p.total_params, optional_field("all parameters", 0, 1e16));
    visit("active_params", p.active_params, optional_field("parameters read per token in decode", 0, 1e16));
    visit("prefill_active_params", p.prefill_active_params,
          optional_field("the same in prefill, where it differs", 0, 1e16));
    visit("kv_bytes_per_token_16bit", p.kv_bytes_per_token_16bit,
          optional_field("KV cache bytes per token at 16 bits", 0, 1e9));
    visit("note", p.note, optional_field("what else was published"));
}

// A field that an audit of the file has to leave out, and why.
struct Exception {
    std::string of;
    std::string reason;
};
template <class Visitor>
void fields(Visitor& visit, Exception& e) {
    visit("of", e.of, FieldInfo{"what is left out"});
    visit("reason", e.reason, FieldInfo{"why"});
}

// Size of a released file, to compare with what follows from shapes and bits.
struct FileSize {
    std::string format;
    Bytes bytes;
    bool exact = false;
    std::optional<std::string> quantization; // whose sizes it should equal; empty: none does
    std::string source;
    std::string note;
};
template <class Visitor>
void fields(Visitor& visit, FileSize& f) {
    visit("format", f.format, FieldInfo{"file format as released"});
    visit("bytes", f.bytes, FieldInfo{"size", Presence::required, 1.0, 1e17});
    visit("exact", f.exact, FieldInfo{"whether the size is to the byte"});
    visit("quantization", f.quantization, FieldInfo{"quantization it holds; null: none of those named"});
    visit("source", f.source, FieldInfo{"where the size is stated"});
    visit("note", f.note, optional_field("what it holds"));
}

// What a quantization costs in quality.
struct Quality {
    std::string quantization;
    std::optional<double> delta_nats;
    std::string benchmark;
    std::optional<double> value;
    std::string source;
};
template <class Visitor>
void fields(Visitor& visit, Quality& q) {
    visit("quantization", q.quantization, FieldInfo{"quantization measured"});
    visit("delta_nats", q.delta_nats, optional_field("rise of the loss per token in nats", -10.0, 10.0));
    visit("benchmark", q.benchmark, optional_field("what was run"));
    visit("value", q.value, optional_field("its result", -1e9, 1e9));
    visit("source", q.source, FieldInfo{"where the result is stated"});
}

} // namespace spillway
