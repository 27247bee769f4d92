// Flags that name a trace or describe synthetic routing, shared by the subcommands that read routes.
#pragma once

#include "simulate/read_trace.h"
#include "simulate/synthetic.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>

namespace spillway {

struct TraceInput {
    std::string file;
    std::string format = "auto";
    bool strict = false;
    std::optional<std::uint32_t> experts, top_k;
    std::optional<SyntheticKind> synthetic; // from --synthetic
    std::string synthetic_name;
    SyntheticRouting routing;
};

void add_input_flags(CLI::App& command, TraceInput& input);
// Throws CLI::ValidationError unless exactly one source is named, with what it needs. Fills `synthetic` and `routing`.
void check_input(TraceInput& input);

TraceRequest trace_request(const TraceInput& input);
// The trace or the synthetic router. Throws InputError.
std::unique_ptr<RouteSource> open_input(const TraceInput& input);

// Throws InputError for a source that held nothing to work on, with its malformed lines.
[[noreturn]] void refuse_empty(const RouteSource& source, const std::string& message);

} // namespace spillway
