#include "cli/trace_input.h"

#include <cstdint>
#include <utility>

namespace spillway {

std::vector<Flag> input_flags(TraceInput& input) {
    SyntheticRouting& routing = input.routing;
    routing.tokens = 10000;
    const FlagRange experts{1, kMaxTraceExperts};
    return {{"file", &input.file, "trace file; - is standard input", "TRACE"},
            {"--input-format",
             &input.format,
             "format of the trace; auto looks at its beginning",
             "",
             {.shows_default = true, .choices = names_of<TraceFormat>()}},
            {"--strict", &input.strict, "malformed lines are errors"},
            {"--experts", &input.experts, "experts per layer, where the trace does not say it", "", {.range = experts}},
            {"--top-k",
             &input.top_k,
             "experts per token: for rows of a single layer, and synthetic routing",
             "",
             {.range = experts}},
            {"--synthetic",
             &input.synthetic_name,
             "routing without a trace: uniform, or zipf",
             "",
             {.choices = names_of<SyntheticKind>()}},
            {"--layers",
             &routing.layers,
             "synthetic: layers",
             "",
             {.shows_default = true, .range = FlagRange{1, kMaxTraceLayers}}},
            {"--tokens",
             &routing.tokens,
             "synthetic: tokens",
             "",
             {.shows_default = true, .range = FlagRange{1, std::uint64_t{1} << 40U}}},
            {"--zipf",
             &routing.exponent,
             "synthetic zipf: exponent of the popularity",
             "",
             {.shows_default = true, .range = FlagRange{0.0, 4.0}}},
            {"--reuse",
             &routing.reuse,
             "synthetic zipf: share taken from the token before",
             "",
             {.shows_default = true, .range = FlagRange{0.0, 0.99}}},
            {"--seed", &routing.seed, "synthetic: seed", "", {.shows_default = true}}};
}

void check_input(TraceInput& input) {
    if (input.file.empty() == input.synthetic_name.empty()) {
        throw UsageError("trace: name one trace file, or --synthetic uniform or zipf");
    }
    if (input.synthetic_name.empty()) return;
    if (!input.experts || !input.top_k) throw UsageError("--synthetic: needs --experts and --top-k");
    if (*input.top_k > *input.experts) throw UsageError("--top-k: is more than --experts");
    input.synthetic = value_of<SyntheticKind>(input.synthetic_name);
    input.routing.kind = *input.synthetic;
    input.routing.experts = *input.experts;
    input.routing.top_k = *input.top_k;
}

TraceRequest trace_request(const TraceInput& input) {
    return {input.file, value_of<TraceFormat>(input.format), input.experts, input.top_k};
}

std::unique_ptr<RouteSource> open_input(const TraceInput& input) {
    if (input.synthetic) return std::make_unique<SyntheticSource>(input.routing);
    return open_trace(trace_request(input));
}

void refuse_empty(const RouteSource& source, const std::string& message) {
    Problems problems = source.malformed().first;
    problems.push_back({source.info().name, "", "", "a trace with routes", message});
    throw InputError(std::move(problems));
}

} // namespace spillway
