// Time of a whole prompt, chunk by chunk, each touching nearly every expert of its layers.
// In: a placed case whose residency is known. Out: Prefill; empty figures where an operand is unknown.
// See docs/physics.md 8.
#pragma once

#include "engine/placement.h"
#include "engine/terms.h"

#include <optional>

namespace spillway {

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
    Terms terms; // of the first chunk, then of the prompt's tail
};

Prefill prefill_timing(const PlacedCase& placed);

} // namespace spillway
