// spillway simulate: routes through a cache and the drive's queue, beside the closed form.
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/trace_input.h"
#include "engine/placement.h"
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
    GivenFlags given;
};

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
    if (!o.given.contains("--layers")) routing.layers = shape.layers;
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
    write_answer(o.output, {[&] { return simulation_json(answer); }, [&] { return simulation_document(answer); }});
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

std::vector<Flag> cache_flags(Options& o) {
    SimulationOptions& s = o.simulation;
    return {{"--policy",
             &o.policy,
             "who leaves the cache; default: lru, static_hot where a runtime places at load",
             "",
             {.choices = names_of<EvictionPolicy>()}},
            {"--scope",
             &o.scope,
             "one cache per layer, or one for all",
             "",
             {.shows_default = true, .choices = names_of<CacheScope>()}},
            {"--slots", &s.slots, "experts kept per layer; default: the placement's, rounded down"},
            {"--warm", &s.warm, "decode tokens not counted; default: a power of two up to half of them"}};
}

} // namespace

Command simulate_command() {
    const auto o = std::make_shared<Options>();
    return {.name = "simulate",
            .help = "trace or synthetic routing through a cache and the drive's queue",
            .flags = joined({input_flags(o->input), case_flags(o->request), output_flags(o->output), cache_flags(*o)}),
            .run =
                [o] {
                    check_source(*o);
                    return run(*o);
                },
            .given = &o->given};
}

} // namespace spillway
