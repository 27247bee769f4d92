// A scenario set: the list of configurations that a gate judges, as a file that describes itself by fields() like
// every other kind. Lies beside the scenarios.
#pragma once

#include "io/files.h"
#include "io/load_case.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

inline constexpr std::string_view kSetKind = "scenario-set";

// Targets of a scenario range so; thresholds of a gate replace them.
inline constexpr double kLowestTarget = 1e-9;
inline constexpr double kHighestTarget = 1e9;

// One configuration. Names, or paths relative to the file that holds the set. Empty thresholds: the set's, else the
// scenario's own targets.
struct SetEntry {
    std::string name; // for people; may be empty
    std::string model, machine;
    std::string quant = "native";
    std::string scenario = "default";
    std::vector<std::string> settings;             // "path=value", as --set takes them
    std::optional<double> min_decode, min_prefill; // tok/s
};
template <class Visitor>
void fields(Visitor& visit, SetEntry& e) {
    visit("name", e.name, optional_field("name for people, and to find the entry in a stored result"));
    visit("model", e.model, FieldInfo{"model, name or path"});
    visit("machine", e.machine, FieldInfo{"machine, name or path"});
    visit("quant", e.quant, optional_field("quantization, name or bits; default: native"));
    visit("scenario", e.scenario, optional_field("scenario, name or path; default: default"));
    visit("settings", e.settings, optional_field("\"path=value\", as given to --set"));
    visit("min_decode", e.min_decode,
          optional_field("tok/s in decode that this entry has to hold", kLowestTarget, kHighestTarget));
    visit("min_prefill", e.min_prefill,
          optional_field("tok/s in prefill that this entry has to hold", kLowestTarget, kHighestTarget));
}

enum class SetRequire { all, any };
template <>
struct EnumNames<SetRequire> {
    static constexpr std::array<std::string_view, 2> names = {"all", "any"};
};

struct ScenarioSetFile {
    Header header;
    std::string name;
    std::optional<double> min_decode, min_prefill; // tok/s
    SetRequire require = SetRequire::all;
    std::vector<SetEntry> entries;
    std::vector<Source> sources;
};
template <class Visitor>
void fields(Visitor& visit, ScenarioSetFile& f) {
    fields(visit, f.header);
    visit("name", f.name, FieldInfo{"name for people"});
    visit("min_decode", f.min_decode,
          optional_field("tok/s in decode that entries have to hold", kLowestTarget, kHighestTarget));
    visit("min_prefill", f.min_prefill,
          optional_field("tok/s in prefill that entries have to hold", kLowestTarget, kHighestTarget));
    visit("require", f.require, optional_field("whether all entries have to be accepted, or any"));
    visit("entries", f.entries, FieldInfo{"configurations"});
    visit("sources", f.sources, optional_field("where the list comes from"));
}

struct ScenarioSet {
    std::string shown; // the file, in problems
    std::filesystem::path folder;
    ScenarioSetFile file;
};

// Reads a set by name (scenarios/NAME.json) or path. Throws InputError with all problems: a set without entries and
// entries that cannot be told apart are such.
ScenarioSet load_scenario_set(const std::string& name_or_path, const Catalogue& catalogue);

// The entry as a request, paths made relative to the working directory.
CaseRequest request_of(const SetEntry& entry, const std::filesystem::path& folder);

// Loads every entry through `load` (which throws InputError). `settings` are applied after the entry's own. Problems of
// all entries are gathered, each with the entry's place in the set, and thrown together.
std::vector<LoadedCase> load_entries(const ScenarioSet& set, const std::vector<std::string>& settings,
                                     const std::function<LoadedCase(const CaseRequest&)>& load);

} // namespace spillway
