#include "cli/trace_input.h"

#include <algorithm>
#include <utility>

namespace spillway {

namespace {

template <class Enum>
std::vector<std::string> names_of() {
    const auto& names = EnumNames<Enum>::names;
    return {names.begin(), names.end()};
}

template <class Enum>
Enum value_of(const std::string& name) {
    const auto& names = EnumNames<Enum>::names;
    return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

} // namespace

void add_input_flags(CLI::App& command, TraceInput& input) {
    command.add_option("file", input.file, "trace file; - is standard input")->type_name("TRACE");
    command.add_option("--input-format", input.format, "format of the trace; auto looks at its beginning")
        ->check(CLI::IsMember(names_of<TraceFormat>()))
        ->capture_default_str();
    command.add_flag("--strict", input.strict, "malformed lines are errors");
    command.add_option("--experts", input.experts, "experts per layer, where the trace does not say it")
        ->check(CLI::Range(1U, kMaxTraceExperts));
    command.add_option("--top-k", input.top_k, "experts per token: for rows of a single layer, and synthetic routing")
        ->check(CLI::Range(1U, kMaxTraceExperts));
    SyntheticRouting& routing = input.routing;
    command.add_option("--synthetic", input.synthetic_name, "routing without a trace: uniform, or zipf")
        ->check(CLI::IsMember(names_of<SyntheticKind>()));
    command.add_option("--layers", routing.layers, "synthetic: layers")
        ->check(CLI::Range(1U, kMaxTraceLayers))
        ->capture_default_str();
    routing.tokens = 10000;
    command.add_option("--tokens", routing.tokens, "synthetic: tokens")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40U))
        ->capture_default_str();
    command.add_option("--zipf", routing.exponent, "synthetic zipf: exponent of the popularity")
        ->check(CLI::Range(0.0, 4.0))
        ->capture_default_str();
    command.add_option("--reuse", routing.reuse, "synthetic zipf: share taken from the token before")
        ->check(CLI::Range(0.0, 0.99))
        ->capture_default_str();
    command.add_option("--seed", routing.seed, "synthetic: seed")->capture_default_str();
}

void check_input(TraceInput& input) {
    if (input.file.empty() == input.synthetic_name.empty()) {
        throw CLI::ValidationError("trace", "name one trace file, or --synthetic uniform or zipf");
    }
    if (input.synthetic_name.empty()) return;
    if (!input.experts || !input.top_k) throw CLI::ValidationError("--synthetic", "needs --experts and --top-k");
    if (*input.top_k > *input.experts) throw CLI::ValidationError("--top-k", "is more than --experts");
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
