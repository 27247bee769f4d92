// A scenario file with its base, runtime and locality, and the measured localities of a model.
#include "io/load_files.h"
#include "io/load_sources.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway {

namespace {

constexpr std::string_view kUniform = "uniform";
constexpr int kMaxBases = 8; // a chain longer than this is a loop or a mistake

// A name of a runtime or locality with the place where it was given.
std::optional<Catalogue::Question> reference_at(const Loaded<ScenarioFile>& loaded, const std::string& pointer) {
    for (const Reference& reference : loaded.references) {
        if (reference.pointer != pointer) continue;
        return Catalogue::Question{reference.name, loaded.found.shown, pointer, loaded.found.path.parent_path()};
    }
    return std::nullopt;
}

// What a file states replaces what its base said about where that comes from.
void drop_overridden(const nlohmann::json& object, Sources& sources) {
    for (const auto& [key, value] : object.items()) drop_sources(sources, path_join("scenario", key));
}

void take_locality(const Loaded<LocalityFile>& loaded, LoadedScenario& scenario) {
    drop_sources(scenario.sources, "scenario.locality");
    scenario.file.scenario.locality = loaded.file.locality;
    scenario.locality_shown = loaded.found.shown;
    scenario.locality_at.clear();
    const Locality& locality = loaded.file.locality;
    if (locality.source.empty()) return;
    const Basis basis = locality.kind == LocalityKind::table ? Basis::measured : Basis::derived;
    scenario.sources.emplace_back("scenario.locality", Provenance{basis, locality.source});
}

void take_runtime(LoadContext& context, const Catalogue::Question& question, LoadedScenario& scenario) {
    const std::optional<FoundFile> found = context.catalogue.find(FileKind::runtime, question, context.problems);
    if (!found) return;
    auto loaded = load_file<RuntimeFile>(context, *found);
    if (!loaded || !loaded->clean) return;
    drop_sources(scenario.sources, "scenario.runtime");
    add_sources(context, found->shown, loaded->file, "scenario.runtime", scenario.sources);
    scenario.file.scenario.runtime = std::move(loaded->file.runtime);
    scenario.runtime_shown = found->shown;
    scenario.runtime_at.clear();
}

void take_locality_named(LoadContext& context, const Catalogue::Question& question, LoadedScenario& scenario) {
    if (const auto loaded = load_locality(context, question)) take_locality(*loaded, scenario);
}

// A fitted locality must say its exponent: 1 would be a silent default.
void check_exponent(const nlohmann::json& object, const std::string& shown, const std::string& at, Problems& problems) {
    if (!object.is_object() || object.value("curve", nlohmann::json()) != "fitted" || object.contains("exponent"))
        return;
    problems.push_back(
        {shown, at + "/exponent", "nothing", "a number from 1 to 100", "is missing; a fitted curve needs it"});
}

void take_inline(LoadContext& context, const Loaded<ScenarioFile>& loaded, LoadedScenario& scenario) {
    const nlohmann::json& object = *loaded.json;
    const auto runtime = object.find("runtime");
    if (runtime != object.end() && runtime->is_object()) {
        scenario.runtime_shown = loaded.found.shown;
        scenario.runtime_at = "/runtime";
    }
    const auto locality = object.find("locality");
    if (locality != object.end() && locality->is_object()) {
        scenario.locality_shown = loaded.found.shown;
        scenario.locality_at = "/locality";
        check_exponent(*locality, loaded.found.shown, "/locality", context.problems);
    }
}

// Names from the command line win over the file's own, which are then not read.
void take_references(LoadContext& context, const Loaded<ScenarioFile>& loaded, const ScenarioChoice& choice,
                     LoadedScenario& scenario) {
    if (choice.runtime.empty()) {
        if (const auto question = reference_at(loaded, "/runtime")) take_runtime(context, *question, scenario);
    }
    if (choice.locality.empty()) {
        if (const auto question = reference_at(loaded, "/locality")) take_locality_named(context, *question, scenario);
    }
}

std::optional<LoadedScenario> load_chain(LoadContext& context, const Catalogue::Question& question,
                                         const ScenarioChoice& choice, int depth);

std::optional<LoadedScenario> load_base(LoadContext& context, const FoundFile& found, const nlohmann::json& object,
                                        const ScenarioChoice& choice, int depth) {
    const std::string name = object.at("base").is_string() ? object.at("base").get<std::string>() : std::string();
    if (depth >= kMaxBases) {
        context.problems.push_back({found.shown, "/base", '"' + name + '"', "a scenario that does not lead back here",
                                    "bases are nested too deep, or in a loop"});
        return std::nullopt;
    }
    return load_chain(context, {name, found.shown, "/base", found.path.parent_path()}, choice, depth + 1);
}

std::optional<LoadedScenario> load_chain(LoadContext& context, const Catalogue::Question& question,
                                         const ScenarioChoice& choice, int depth) {
    const std::size_t before = context.problems.size();
    const std::optional<FoundFile> found = context.catalogue.find(FileKind::scenario, question, context.problems);
    if (!found) return std::nullopt;
    const std::optional<JsonFile> json = read_into(context, *found);
    if (!json) return std::nullopt;
    LoadedScenario scenario;
    const bool has_base = json->value->is_object() && json->value->contains("base");
    if (has_base) {
        auto base = load_base(context, *found, *json->value, choice, depth);
        if (!base) return std::nullopt;
        scenario = std::move(*base);
        scenario.file.sources.clear();
    }
    scenario.found = *found;
    auto loaded = load_object<ScenarioFile>(context, *found, *json, has_base, std::move(scenario.file));
    if (!loaded) return std::nullopt;
    drop_overridden(*json->value, scenario.sources);
    scenario.file = std::move(loaded->file);
    take_inline(context, *loaded, scenario);
    take_references(context, *loaded, choice, scenario);
    if (context.problems.size() > before) return std::nullopt;
    add_sources(context, found->shown, scenario.file, "scenario", scenario.sources);
    if (context.problems.size() > before) return std::nullopt;
    return scenario;
}

} // namespace

std::optional<LoadedScenario> load_scenario(LoadContext& context, const ScenarioChoice& choice) {
    const std::size_t before = context.problems.size();
    auto scenario = load_chain(context, {choice.name, std::string(kind_flag(FileKind::scenario)), "", {}}, choice, 0);
    LoadedScenario unread; // so that a wrong name on the command line is reported beside a wrong file
    LoadedScenario& target = scenario ? *scenario : unread;
    if (!choice.runtime.empty()) take_runtime(context, {choice.runtime, "--set", "scenario.runtime", {}}, target);
    if (!choice.locality.empty()) {
        take_locality_named(context, {choice.locality, "--set", "scenario.locality", {}}, target);
        // A profile brings its own source; the built-in uniform routing has none.
        if (choice.locality == kUniform)
            target.sources.emplace_back("scenario.locality", Provenance{Basis::given, "--set"});
    }
    if (context.problems.size() > before) return std::nullopt;
    return scenario;
}

std::optional<Loaded<LocalityFile>> load_locality(LoadContext& context, const Catalogue::Question& question) {
    if (question.name == kUniform) {
        Loaded<LocalityFile> uniform;
        uniform.found.id = kUniform;
        uniform.found.shown = question.asked_by;
        return uniform;
    }
    const std::optional<FoundFile> found = context.catalogue.find(FileKind::locality, question, context.problems);
    if (!found) return std::nullopt;
    auto loaded = load_file<LocalityFile>(context, *found);
    if (!loaded) return std::nullopt;
    const std::size_t before = context.problems.size();
    check_exponent(*loaded->json, found->shown, "", context.problems);
    if (!loaded->clean || context.problems.size() > before) return std::nullopt;
    return loaded;
}

std::vector<Locality> load_alternatives(LoadContext& context, const std::string& model_id, const std::string& except,
                                        std::size_t most) {
    std::vector<Locality> alternatives;
    for (const std::string& name : context.catalogue.names(FileKind::locality)) {
        if (alternatives.size() == most) break;
        const Catalogue::Question question{name, "models/locality", "", {}};
        const std::optional<FoundFile> found = context.catalogue.find(FileKind::locality, question, context.problems);
        if (!found) continue;
        // A profile of another model is left alone: it is neither read into the case nor judged.
        const std::optional<JsonFile> json = read_json_file(found->path, found->shown, context.problems);
        if (!json || !json->value->is_object() || json->value->value("model", nlohmann::json()) != model_id) continue;
        const auto loaded = load_locality(context, question);
        if (loaded && loaded->file.locality.name != except) alternatives.push_back(loaded->file.locality);
    }
    return alternatives;
}

} // namespace spillway
