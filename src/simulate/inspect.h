// What a trace holds: its shape, how much of the experts it touches, and how evenly.
#pragma once

#include "simulate/routes.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace spillway {

struct LayerPopularity {
    std::uint32_t layer = 0;
    std::uint64_t tokens = 0;
    std::uint64_t selections = 0;
    std::uint32_t distinct_experts = 0;
    double entropy_bits = 0.0;    // of the popularity; log2 E if all experts are equally popular
    double hottest_share = 0.0;   // of the selections, by the most popular expert
    double top_tenth_share = 0.0; // by the most popular tenth of E (rounded up)
    std::uint32_t hottest_expert = 0;
    // Share of a token's experts that the token before chose too; nothing with fewer than two tokens. Independent
    // uniform routing: k/E.
    std::optional<double> repeated;
};

struct TraceShape {
    TraceInfo info;
    Malformed malformed;
    std::uint32_t experts = 0;
    bool experts_stated = false;
    std::uint32_t top_k_least = 0, top_k_most = 0; // experts per token and layer
    std::uint64_t turns = 0;
    std::uint64_t prefill_tokens = 0, decode_tokens = 0; // of the layer with most of them
    std::uint64_t selections = 0;
    std::vector<LayerPopularity> layers; // ascending
};

// Reads the source to its end. `experts` is E where the trace does not say it.
TraceShape inspect_trace(RouteSource& source, std::optional<std::uint32_t> experts);

} // namespace spillway
