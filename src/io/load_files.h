// Loads one file of each kind, with everything that it refers to: a machine with its parts, a scenario with its base,
// runtime and locality. Problems are gathered in the context; a result with problems of its own is not returned.
#pragma once

#include "io/catalogue.h"
#include "io/files.h"
#include "io/provenance.h"
#include "io/read_fields.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spillway {

// What a load gathers: problems, and a digest over the bytes of all files read.
struct LoadContext {
    const Catalogue& catalogue;
    Problems problems;
    std::uint64_t digest = kFnvStart;
    const std::map<std::string, std::string>* provided = nullptr; // texts of files in memory, by name
};

// The file that a name stands for: one provided in memory, else the catalogue's, or a path.
std::optional<FoundFile> find_file(LoadContext& context, FileKind kind, const std::string& name);

// One file as read. `clean`: nothing was wrong with it.
template <class File>
struct Loaded {
    FoundFile found;
    File file;
    std::vector<Reference> references;
    std::shared_ptr<const nlohmann::json> json;
    bool clean = true;
};

// Whether the object says that it is a file of this kind in a format that is known here.
bool check_header(const nlohmann::json& object, FileKind kind, const std::string& shown, Problems& problems);
// Reads a file and adds it to the digest.
std::optional<JsonFile> read_into(LoadContext& context, const FoundFile& found);

// Reads a file over `initial`; with `partial` its own fields may be left out.
template <class File>
std::optional<Loaded<File>> load_object(LoadContext& context, const FoundFile& found, const JsonFile& json,
                                        bool partial = false, File initial = File{}) {
    const std::size_t before = context.problems.size();
    if (!check_header(*json.value, File::kKind, found.shown, context.problems)) return std::nullopt;
    ReadState state{found.shown, context.problems, {}, partial};
    File file = read_file_object(state, *json.value, std::move(initial));
    return Loaded<File>{found, std::move(file), std::move(state.references), json.value,
                        context.problems.size() == before};
}

template <class File>
std::optional<Loaded<File>> load_file(LoadContext& context, const FoundFile& found) {
    const std::size_t before = context.problems.size();
    const std::optional<JsonFile> json = read_into(context, found);
    if (!json) return std::nullopt;
    auto loaded = load_object<File>(context, found, *json);
    if (loaded) loaded->clean = context.problems.size() == before;
    return loaded;
}

// Compiled once, in load_file.cpp: reading any struct is most of what the callers would otherwise cost.
extern template std::optional<Loaded<ModelFile>> load_file(LoadContext&, const FoundFile&);
extern template std::optional<Loaded<MachineFile>> load_file(LoadContext&, const FoundFile&);
extern template std::optional<Loaded<PartFile>> load_file(LoadContext&, const FoundFile&);
extern template std::optional<Loaded<ScenarioFile>> load_file(LoadContext&, const FoundFile&);
extern template std::optional<Loaded<RuntimeFile>> load_file(LoadContext&, const FoundFile&);
extern template std::optional<Loaded<LocalityFile>> load_file(LoadContext&, const FoundFile&);
extern template std::optional<Loaded<FormatsFile>> load_file(LoadContext&, const FoundFile&);
extern template std::optional<Loaded<MachineFile>> load_object(LoadContext&, const FoundFile&, const JsonFile&, bool,
                                                               MachineFile);
extern template std::optional<Loaded<ScenarioFile>> load_object(LoadContext&, const FoundFile&, const JsonFile&, bool,
                                                                ScenarioFile);

struct LoadedModel {
    FoundFile found;
    ModelFile file;
    Sources sources; // "model....": also named quantizations
};
std::optional<LoadedModel> load_model(LoadContext& context, const std::string& name);

struct LoadedMachine {
    FoundFile found;
    MachineFile file; // parts put together
    Sources sources;  // "machine...."
};
std::optional<LoadedMachine> load_machine(LoadContext& context, const std::string& name);

// Names that replace the scenario's own runtime and locality; empty: none.
struct ScenarioChoice {
    std::string name, runtime, locality;
};
struct LoadedScenario {
    FoundFile found;
    ScenarioFile file;
    Sources sources;                       // "scenario....", "scenario.runtime...."
    std::string runtime_shown, runtime_at; // file that holds the runtime, and where in it
    std::string locality_shown, locality_at;
};
std::optional<LoadedScenario> load_scenario(LoadContext& context, const ScenarioChoice& choice);

// "uniform" is built in; any other is a catalogue name or path.
std::optional<Loaded<LocalityFile>> load_locality(LoadContext& context, const Catalogue::Question& question);

// The catalogue's weight formats; none if it has no such file.
std::optional<FormatsFile> load_formats(LoadContext& context);

// Localities measured on this model, at most `most`, by name; `except` is left out.
std::vector<Locality> load_alternatives(LoadContext& context, const std::string& model_id, const std::string& except,
                                        std::size_t most);

} // namespace spillway
