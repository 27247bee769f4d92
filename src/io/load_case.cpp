#include "io/load_case.h"

#include "engine/estimate.h"
#include "io/calibration.h"
#include "io/case_cache.h"
#include "io/check_case.h"
#include "io/choose_quantization.h"
#include "io/load_files.h"
#include "io/settings.h"
#include "text/path_walk.h"
#include "text/paths.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway {

// By name; a file in memory also by its text, since another case may give its name to another text.
template <class File>
using FilesByName = std::map<std::string, std::shared_ptr<const File>>;

struct CaseCache::Files {
    FilesByName<LoadedModel> models;
    FilesByName<LoadedMachine> machines;
    FilesByName<LoadedScenario> scenarios;
    FilesByName<FormatsFile> formats;
    FilesByName<std::vector<Locality>> alternatives;
};

CaseCache::CaseCache() : files_(std::make_unique<Files>()) {}
CaseCache::~CaseCache() = default;

namespace {

constexpr std::size_t kMaxAlternatives = decltype(Estimate::alternatives.items){}.size();

// What could be read of a request.
struct Parts {
    std::shared_ptr<const LoadedModel> model;
    std::shared_ptr<const LoadedMachine> machine;
    std::shared_ptr<const LoadedScenario> scenario;
    std::optional<ChosenQuantization> quantization;
};

// What `load` reads, or read before under this name. Files with problems are not kept: each use reports them.
template <class File, class Load>
std::shared_ptr<const File> once(FilesByName<File>& known, const std::string& name, Load load) {
    const auto found = known.find(name);
    if (found != known.end()) return found->second;
    std::optional<File> file = load();
    if (!file) return nullptr;
    return known.emplace(name, std::make_shared<const File>(std::move(*file))).first->second;
}

std::string key_of(const CaseRequest& request, const std::string& name) {
    const auto text = request.provided.find(name);
    return text == request.provided.end() ? name : name + '\n' + text->second;
}

Parts read_parts(LoadContext& context, const CaseRequest& request, const Settings& settings, CaseCache::Files& files) {
    Parts parts;
    parts.model =
        once(files.models, key_of(request, request.model), [&] { return load_model(context, request.model); });
    parts.machine =
        once(files.machines, key_of(request, request.machine), [&] { return load_machine(context, request.machine); });
    parts.scenario =
        once(files.scenarios, fmt::format("{}\n{}\n{}", request.scenario, settings.runtime, settings.locality), [&] {
            return load_scenario(context, {request.scenario, settings.runtime, settings.locality});
        });
    if (!parts.model) return parts;
    const std::vector<Quantization>& named = parts.model->file.model.quantizations;
    const bool in_manifest =
        std::any_of(named.begin(), named.end(), [&](const auto& q) { return q.name == request.quantization; });
    // The formats are read, and so enter the digest, only where they can matter.
    const auto formats = in_manifest ? nullptr : once(files.formats, "", [&] { return load_formats(context); });
    parts.quantization = choose_quantization(parts.model->file.model, parts.model->sources, formats.get(),
                                             request.quantization, context.problems);
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

void add_alternatives(LoadContext& context, LoadedCase& loaded, CaseCache::Files& files) {
    if (!loaded.value.scenario.alternatives) return;
    const std::string& own = loaded.value.scenario.locality.name;
    loaded.value.alternatives = *once(files.alternatives, loaded.model_id + '\n' + own, [&] {
        return std::optional(load_alternatives(context, loaded.model_id, own, kMaxAlternatives));
    });
    for (const Locality& locality : loaded.value.alternatives) {
        for (Finding& finding : check_locality(locality)) {
            context.problems.push_back(
                {"models/locality, " + locality.name, finding.at, finding.found, finding.expected, finding.message});
        }
    }
}

// Gathers all problems in the context.
LoadedCase load_into(LoadContext& context, const CaseRequest& request, CaseCache::Files& files) {
    const Settings settings = split_settings(request.settings, context.problems);
    const Parts parts = read_parts(context, request, settings, files);
    LoadedCase loaded = put_together(parts);
    // Scenario and quantization have the same fields whatever was read, so their settings are judged in any case.
    apply_settings(settings, "scenario", loaded, context.problems);
    copy_sustained(loaded);
    if (parts.machine) apply_settings(settings, "machine", loaded, context.problems);
    if (parts.model) apply_settings(settings, "model", loaded, context.problems);
    apply_settings(settings, "quantization", loaded, context.problems);
    if (parts.model && parts.scenario) add_alternatives(context, loaded, files);
    check_all(loaded, parts, context.problems);
    throw_if_any(context.problems);
    loaded.quantization_id = request.quantization;
    if (!request.calibration.empty())
        apply_calibration(load_calibration(request.calibration), request.calibration, loaded);
    return loaded;
}

} // namespace

LoadedCase load_case(const CaseRequest& request, const Catalogue& catalogue) {
    CaseCache empty;
    LoadContext context{catalogue, {}, kFnvStart, &request.provided};
    LoadedCase loaded = load_into(context, request, empty.files());
    loaded.data_digest = fmt::format("{:016x}", context.digest);
    return loaded;
}

LoadedCase load_case(const CaseRequest& request, const Catalogue& catalogue, CaseCache& cache) {
    LoadContext context{catalogue, {}, kFnvStart, &request.provided};
    return load_into(context, request, cache.files());
}

} // namespace spillway
