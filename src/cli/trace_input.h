// Flags that name a trace or describe synthetic routing, shared by the subcommands that read routes.
#pragma once

#include "cli/command.h"
#include "simulate/read_trace.h"
#include "simulate/synthetic.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

template <class Enum>
std::vector<std::string> names_of() {
    const auto& names = EnumNames<Enum>::names;
    return {names.begin(), names.end()};
}

// `name` is one of names_of<Enum>().
template <class Enum>
Enum value_of(const std::string& name) {
    const auto& names = EnumNames<Enum>::names;
    return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::vector<Flag> input_flags(TraceInput& input);
// Throws UsageError unless exactly one source is named, with what it needs. Fills `synthetic` and `routing`.
void check_input(TraceInput& input);

TraceRequest trace_request(const TraceInput& input);
// The trace or the synthetic router. Throws InputError.
std::unique_ptr<RouteSource> open_input(const TraceInput& input);

// Throws InputError for a source that held nothing to work on, with its malformed lines.
[[noreturn]] void refuse_empty(const RouteSource& source, const std::string& message);

} // namespace spillway
