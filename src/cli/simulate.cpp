// spillway simulate: routes through a cache and the drive's queue, beside the closed form.
#include "cli/app.h"
#include "cli/trace_input.h"
#include "engine/placement.h"
#include "io/json_text.h"
#include "io/output_file.h"
#include "report/simulation.h"
#include "simulate/token_groups.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spillway {

namespace {

struct Options {
    OutputFlags output;
    CaseRequest request;
    TraceInput input;
    SimulationOptions simulation;
    std::string policy, scope = "per_layer";
    bool layers_given = false;
};

template <class Enum>
Enum value_of(const std::string& name) {
    const auto& names = EnumNames<Enum>::names;
    return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

template <class Enum>
std::vector<std::string> names_of() {
    const auto& names = EnumNames<Enum>::names;
    return {names.begin(), names.end()};
}

// What a runtime places at load does not follow use: the experts used most stay.
EvictionPolicy policy_of(const Options& o, const Runtime& runtime) {
    if (!o.policy.empty()) return value_of<EvictionPolicy>(o.policy);
    return runtime.policy == Policy::cache ? EvictionPolicy::lru : EvictionPolicy::static_hot;
}

// Shape of the synthetic routes where the flags leave it open: the model's.
struct Shape {
    std::uint32_t layers = 0, experts = 0, active = 0;
    std::vector<bool> prefills;
};

Shape shape_of(const Case& c) {
    Shape shape;
    std::vector<std::pair<int, bool>> layers;
    for (const Block& block : c.model.blocks) {
        if (!block.experts || !runs_in_decode(block)) continue;
        const auto experts = static_cast<std::uint32_t>(block.experts->count);
        const auto active = static_cast<std::uint32_t>(std::lround(active_experts(*block.experts, c.scenario)));
        if (shape.experts != 0 && (shape.experts != experts || shape.active != active)) {
            throw InputError({{"--synthetic", "", c.model.name, "a trace",
                               "the layers of this model differ in their experts, which synthetic routing cannot be"}});
        }
        shape.experts = experts;
        shape.active = active;
        for (const auto number : block.layers.numbers)
            layers.emplace_back(static_cast<int>(number), runs_in_prefill(block) || c.scenario.prefill_all_layers);
    }
    if (layers.empty()) {
        throw InputError(
            {{"simulate", "model", c.model.name, "a model with routed experts", "the model has no routed experts"}});
    }
    std::sort(layers.begin(), layers.end());
    for (const auto& layer : layers) shape.prefills.push_back(layer.second);
    shape.layers = static_cast<std::uint32_t>(layers.size());
    return shape;
}

// The scenario's prompt, then the tokens asked for.
std::unique_ptr<RouteSource> synthetic_routes(const Options& o, const Case& c) {
    const Shape shape = shape_of(c);
    SyntheticRouting routing = o.input.routing;
    if (!o.input.experts) routing.experts = shape.experts;
    if (!o.input.top_k) routing.top_k = shape.active;
    if (!o.layers_given) routing.layers = shape.layers;
    if (routing.top_k > routing.experts) {
        throw InputError({{"--top-k", "", std::to_string(routing.top_k),
                           fmt::format("at most {}, the experts of a layer", routing.experts), "is more than E"}});
    }
    const auto prompt = static_cast<std::uint64_t>(std::lround(c.scenario.prompt));
    routing.tokens += prompt;
    std::vector<bool> prefills = shape.prefills;
    prefills.resize(std::max<std::size_t>(prefills.size(), routing.layers), true);
    return std::make_unique<PromptedRoutes>(std::make_unique<SyntheticSource>(routing), prompt, std::move(prefills));
}

int run(const Options& o) {
    const LoadedCase loaded = load_requested(o.request, o.output);
    SimulationOptions options = o.simulation;
    options.seed = o.input.routing.seed;
    options.policy = policy_of(o, loaded.value.scenario.runtime);
    options.scope = value_of<CacheScope>(o.scope);
    options.measure_locality = o.input.synthetic != SyntheticKind::uniform;
    const auto source = o.input.synthetic ? synthetic_routes(o, loaded.value) : open_input(o.input);
    const SimulationAnswer answer{loaded, simulate(loaded.value, *source, options), SPILLWAY_VERSION};
    if (o.input.strict) refuse_malformed(*source);
    if (answer.simulation.decode.tokens == 0 && !answer.simulation.prefill) refuse_empty(*source, "has no route");
    std::string text;
    if (o.output.wants_json()) {
        text = json_text(simulation_json(answer));
    } else if (o.output.format == "csv") {
        text = simulation_csv(answer);
    } else {
        text = simulation_text(answer, colour(o.output));
    }
    write_output(o.output.file, text);
    return 0;
}

// The shape may be left out here, since the model has it.
void check_source(Options& o) {
    TraceInput filled = o.input;
    if (!filled.experts) filled.experts = kMaxTraceExperts;
    if (!filled.top_k) filled.top_k = 1;
    check_input(filled);
    o.input.synthetic = filled.synthetic;
    o.input.routing.kind = filled.routing.kind;
    o.input.routing.experts = o.input.experts.value_or(0);
    o.input.routing.top_k = o.input.top_k.value_or(0);
}

} // namespace

void add_simulate(CLI::App& app, Session& session) {
    const auto options = std::make_shared<Options>();
    CLI::App& command =
        *app.add_subcommand("simulate", "trace or synthetic routing through a cache and the drive's queue");
    add_input_flags(command, options->input);
    add_case_flags(command, options->request);
    add_output_flags(command, options->output, {"text", "json", "csv"});
    command
        .add_option("--policy", options->policy,
                    "who leaves the cache; default: lru, static_hot where a runtime "
                    "places at load")
        ->check(CLI::IsMember(names_of<EvictionPolicy>()));
    command.add_option("--scope", options->scope, "one cache per layer, or one for all")
        ->check(CLI::IsMember(names_of<CacheScope>()))
        ->capture_default_str();
    command.add_option("--slots", options->simulation.slots,
                       "experts kept per layer; default: the placement's, rounded down");
    command.add_option("--warm", options->simulation.warm,
                       "decode tokens not counted; default: a power of two up to half of them");
    command.callback([&session, &command, options] {
        options->layers_given = command.count("--layers") > 0;
        check_source(*options);
        session.work = [options] { return run(*options); };
    });
}

} // namespace spillway
