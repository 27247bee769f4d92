// What several writers show and the Estimate holds in another form: parts by pool, names of places, flags with their
// placeholders filled in, inputs that are guesses. Sums and differences only; nothing is estimated here.
#pragma once

#include "report/report.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// A memory pool's name, "storage" or "not loaded".
std::string place_name(const Machine& machine, int pool);
// The pool's name, or the first drive's for kOnStorage.
std::string term_place(const Machine& machine, const Term& term);

// A part of the model, or a piece of it where it is spread over pools and storage.
struct PlacedPart {
    Part part = Part::non_expert;
    std::optional<Bytes> bytes;
    int pool = 0; // or kOnStorage, kNotLoaded
};
std::vector<PlacedPart> placed_parts(const Report& report);

// Expert bytes that no memory pool holds; empty if the residency is unknown.
std::optional<Bytes> spilled_experts(const Placement& placement);

// The most routed experts that a layer of the model has; 0 without routed experts.
double experts_per_layer(const Model& model);

// The runtime's flags with {layers}, {layers_beside}, {cache_bytes}, {cache_gib} and {slots} filled in. Empty if the
// runtime has none, if the placement is unknown, or if whole layers lie beside the first pool, which they cannot say.
std::string engine_flags(const Report& report);

// The basis of a path's value, or empty if nothing is said.
std::string_view basis_of(const Report& report, std::string_view path);
// Where a path's value comes from; empty if nothing is said.
std::string source_text(const Report& report, std::string_view path);
// A path's value as text with its unit; "unknown" if it has none.
std::string value_text(const Report& report, const std::string& path);

// Guesses that the answer leans on: influential inputs whose basis is a guess, and guessed parts of the model's shape
// (a drafter's only where it is loaded).
struct Guess {
    std::string path;
    std::string value; // empty for a group of fields
    std::string source;
};
std::vector<Guess> guesses(const Report& report);
// "leans on a guess: PATH = VALUE (source)"; guessed shapes, which may be many, as one sentence.
std::vector<std::string> guess_sentences(const Report& report);

// The scenario's forced values, by path.
std::vector<std::string> forced_paths(const Scenario& scenario);

// Prefill terms of the first chunk, and of the prompt's tail through layers that only decode runs (empty if none).
struct PrefillTerms {
    std::vector<Term> chunk, tail;
};
PrefillTerms prefill_terms(const Prefill& prefill);

// The time that a decode step may take at the target: tokens accepted per step / tokens per second.
Seconds step_allowed(const Scenario& scenario);

// How a state is shown.
Tone tone_of(State state);

// "1 sequence, context 32768, prompt 2048, routing uniform, runtime generic".
std::string scenario_text(const Scenario& scenario);
// "FAILS: decode is 5.60 tok/s short of 10".
std::string verdict_text(const Report& report);
// "10 tok/s needs 91.4 % residency ...".
std::string break_even_text(const Report& report);

} // namespace spillway
