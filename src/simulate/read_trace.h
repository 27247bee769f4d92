// Trace files as a stream of routes. Memory does not grow with the file: one line and one route are held at a time.
// Malformed lines are skipped and counted with their line numbers.
#pragma once

#include "inputs/fields.h"
#include "simulate/routes.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace spillway {

// route_trace: "route_trace v1" (a preamble in comments, then rows turn,phase,step,layer,slot,expert,...; columns are
//     found by name, unknown ones are ignored, and so are `residency`, `expert_bytes` and `dropped`: they say what the
//     tracing engine did, not what the router asked for).
// csv: rows layer,expert in token order; the layer changes with every route. A file with one layer needs `top_k`.
// jsonl: one object per line with `layer`, `token` (or `step`, `position`) and a list of expert ids under `experts`,
//     `selected`, `selected_experts`, `expert_ids`, `topk_ids` or `ids`; `turn` (or `sequence`) and `phase` (0 or
//     "prefill", 1 or "decode") may be there.
// json: arrays of whole numbers, tokens x layers x top-k.
// counters: rows residency,hits,misses of an engine: not a trace (counters.h).
enum class TraceFormat { automatic, route_trace, csv, jsonl, json, counters };
template <>
struct EnumNames<TraceFormat> {
    static constexpr std::array<std::string_view, 6> names = {"auto",  "route_trace", "csv",
                                                              "jsonl", "json",        "counters"};
};

struct TraceRequest {
    std::string path; // "-" is standard input
    TraceFormat format = TraceFormat::automatic;
    std::optional<std::uint32_t> experts; // E, where the file does not say it
    std::optional<std::uint32_t> top_k;
};

// Opens a trace. Throws InputError if it cannot be opened, its format is not recognised, or it holds counters.
std::unique_ptr<RouteSource> open_trace(const TraceRequest& request);

// The format that the file's beginning shows, or nothing.
std::optional<TraceFormat> recognised_format(std::string_view beginning);

// Whether the file holds an engine's counters. Standard input is taken for a trace, since it can be read only once.
bool holds_counters(const TraceRequest& request);

} // namespace spillway
