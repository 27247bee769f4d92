#include "io/load_case.h"

#include "engine/estimate.h"
#include "io/check_case.h"
#include "io/choose_quantization.h"
#include "io/load_files.h"
#include "io/settings.h"
#include "text/path_walk.h"
#include "text/paths.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway {

namespace {

constexpr std::size_t kMaxAlternatives = decltype(Estimate::alternatives.items){}.size();

// What could be read of a request.
struct Parts {
    std::optional<LoadedModel> model;
    std::optional<LoadedMachine> machine;
    std::optional<LoadedScenario> scenario;
    std::optional<ChosenQuantization> quantization;
};

Parts read_parts(LoadContext& context, const CaseRequest& request, const Settings& settings) {
    Parts parts;
    parts.model = load_model(context, request.model);
    parts.machine = load_machine(context, request.machine);
    parts.scenario = load_scenario(context, {request.scenario, settings.runtime, settings.locality});
    if (!parts.model) return parts;
    const std::vector<Quantization>& named = parts.model->file.model.quantizations;
    const bool in_manifest =
        std::any_of(named.begin(), named.end(), [&](const auto& q) { return q.name == request.quantization; });
    // The formats are read, and so enter the digest, only where they can matter.
    const std::optional<FormatsFile> formats = in_manifest ? std::nullopt : load_formats(context);
    parts.quantization = choose_quantization(parts.model->file.model, parts.model->sources,
                                             formats ? &*formats : nullptr, request.quantization, context.problems);
    return parts;
}

void append(Sources& to, const Sources& from) { to.insert(to.end(), from.begin(), from.end()); }

LoadedCase put_together(const Parts& parts) {
    LoadedCase loaded;
    if (parts.model) {
        loaded.value.model = parts.model->file.model;
        loaded.published = parts.model->file.published;
        loaded.model_id = parts.model->found.id;
        append(loaded.sources, parts.model->sources);
    }
    if (parts.machine) {
        loaded.value.machine = parts.machine->file.machine;
        loaded.machine_id = parts.machine->found.id;
        loaded.machine_family = parts.machine->file.family;
        append(loaded.sources, parts.machine->sources);
    }
    if (parts.scenario) {
        loaded.value.scenario = parts.scenario->file.scenario;
        loaded.scenario_id = parts.scenario->found.id;
        append(loaded.sources, parts.scenario->sources);
    }
    if (parts.quantization) {
        loaded.value.quantization = parts.quantization->quantization;
        append(loaded.sources, parts.quantization->sources);
    }
    return loaded;
}

// A runtime's measured share of the bandwidth replaces the pool's own, which is an average over runtimes.
void copy_sustained(LoadedCase& loaded) {
    const auto& shares = loaded.value.scenario.runtime.sustained.values;
    for (std::size_t i = 0; i < loaded.value.machine.memory.size(); ++i) {
        MemoryPool& pool = loaded.value.machine.memory[i];
        const auto processor = static_cast<std::size_t>(pool.processor);
        if (!shares[processor]) continue;
        pool.sustained = shares[processor];
        const std::string from = fmt::format("scenario.runtime.sustained.{}", EnumNames<Processor>::names[processor]);
        const Provenance* const known = loaded.source_of(from);
        const Provenance why =
            known != nullptr ? *known : Provenance{Basis::guess, "runtime " + loaded.value.scenario.runtime.name};
        loaded.sources.emplace_back(
            fmt::format("machine.memory.{}.sustained", element_word(loaded.value.machine.memory, i)), why);
    }
}

// Where an object that was checked came from: `root` is its path in a Case, `at` its place in the file.
struct Origin {
    std::string root, shown, at;
};

// A rule broken by a value from the command line is reported there, not in the file.
void add_problems(LoadedCase& loaded, const Findings& findings, const Origin& origin, Problems& problems) {
    for (const Finding& finding : findings) {
        std::string path = origin.root + finding.at;
        std::replace(path.begin(), path.end(), '/', '.');
        const std::string canonical = canonical_path(loaded.value, path);
        const Provenance* const source = canonical.empty() ? nullptr : loaded.source_of(canonical);
        if (source != nullptr && source->basis == Basis::given && source->source == kSetFlag) {
            problems.push_back({std::string(kSetFlag), canonical, finding.found, finding.expected, finding.message});
        } else {
            problems.push_back(
                {origin.shown, origin.at + finding.at, finding.found, finding.expected, finding.message});
        }
    }
}

void check_all(LoadedCase& loaded, const Parts& parts, Problems& problems) {
    const Case& c = loaded.value;
    if (parts.machine)
        add_problems(loaded, check_machine(c.machine), {"machine", parts.machine->found.shown, ""}, problems);
    if (parts.model) add_problems(loaded, check_model(c.model), {"model", parts.model->found.shown, ""}, problems);
    if (!parts.scenario) return;
    const Origin scenario{"scenario", parts.scenario->found.shown, ""};
    add_problems(loaded, check_scenario(c.scenario), scenario, problems);
    add_problems(loaded, check_runtime(c.scenario.runtime, c.scenario.working_memory.has_value()),
                 {"scenario.runtime", parts.scenario->runtime_shown, parts.scenario->runtime_at}, problems);
    add_problems(loaded, check_locality(c.scenario.locality),
                 {"scenario.locality", parts.scenario->locality_shown, parts.scenario->locality_at}, problems);
    if (parts.model) add_problems(loaded, check_together(c.model, c.scenario), scenario, problems);
    if (parts.machine) add_problems(loaded, check_pools(c.machine, c.scenario), scenario, problems);
}

void add_alternatives(LoadContext& context, LoadedCase& loaded) {
    if (!loaded.value.scenario.alternatives) return;
    loaded.value.alternatives =
        load_alternatives(context, loaded.model_id, loaded.value.scenario.locality.name, kMaxAlternatives);
    for (const Locality& locality : loaded.value.alternatives) {
        for (Finding& finding : check_locality(locality)) {
            context.problems.push_back(
                {"models/locality, " + locality.name, finding.at, finding.found, finding.expected, finding.message});
        }
    }
}

} // namespace

LoadedCase load_case(const CaseRequest& request, const Catalogue& catalogue) {
    LoadContext context{catalogue, {}, kFnvStart, &request.provided};
    const Settings settings = split_settings(request.settings, context.problems);
    const Parts parts = read_parts(context, request, settings);
    LoadedCase loaded = put_together(parts);
    // Scenario and quantization have the same fields whatever was read, so their settings are judged in any case.
    apply_settings(settings, "scenario", loaded, context.problems);
    copy_sustained(loaded);
    if (parts.machine) apply_settings(settings, "machine", loaded, context.problems);
    if (parts.model) apply_settings(settings, "model", loaded, context.problems);
    apply_settings(settings, "quantization", loaded, context.problems);
    if (parts.model && parts.scenario) add_alternatives(context, loaded);
    check_all(loaded, parts, context.problems);
    throw_if_any(context.problems);
    loaded.quantization_id = request.quantization;
    loaded.data_digest = fmt::format("{:016x}", context.digest);
    return loaded;
}

} // namespace spillway
