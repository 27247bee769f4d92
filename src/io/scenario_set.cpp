#include "io/scenario_set.h"

#include "io/load_files.h"
#include "io/read_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <tuple>

namespace spillway {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> set_names(const Catalogue& catalogue) {
    std::vector<std::string> names;
    if (catalogue.root().empty()) return names;
    std::error_code error;
    const fs::path folder = catalogue.root() / kind_directory(FileKind::scenario);
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        Problems ignored;
        if (entry->path().extension() != ".json") continue;
        const auto file = read_json_file(entry->path(), "", ignored);
        if (file && file->value->is_object() && file->value->value("kind", nlohmann::json()) == kSetKind)
            names.push_back(entry->path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

// Path and shown name of a set; empty with a problem if a name stands for none.
std::optional<FoundFile> find_set(const std::string& name, const Catalogue& catalogue, Problems& problems) {
    if (is_path(name)) return FoundFile{name, name, fs::path(name).stem().string()};
    const fs::path relative = fs::path(kind_directory(FileKind::scenario)) / (name + ".json");
    std::error_code error;
    if (!name.empty() && !catalogue.root().empty() && fs::exists(catalogue.root() / relative, error))
        return FoundFile{catalogue.root() / relative, relative.string(), name};
    const std::vector<std::string> names = set_names(catalogue);
    const std::string hint = did_you_mean(name, names);
    problems.push_back({"scenario set", "", '"' + name + '"',
                        names.empty() ? "a path" : "a path, or one of " + name_list(names),
                        fmt::format("there is no scenario set \"{}\"{}{}", name, hint.empty() ? "" : "; ", hint)});
    return std::nullopt;
}

// As check_header() does for the kinds of the catalogue.
bool check_set_header(const nlohmann::json& object, const std::string& shown, Problems& problems) {
    const std::string expected = fmt::format("\"{}\"", kSetKind);
    if (!object.is_object()) {
        problems.push_back({shown, "", describe(object), "an object with \"kind\": " + expected, "must be an object"});
        return false;
    }
    const auto kind = object.find("kind");
    if (kind != object.end() && *kind == kSetKind) return true;
    const bool missing = kind == object.end();
    problems.push_back({shown, "/kind", missing ? "nothing" : describe(*kind), expected,
                        missing ? "is missing: what the file holds" : fmt::format("is not a {} file", kSetKind)});
    return false;
}

std::string entry_pointer(std::size_t i) { return fmt::format("/entries/{}", i); }

// Entries are told apart by their name, or by what they ask if they have none.
auto identity(const SetEntry& e) {
    const bool named = !e.name.empty();
    return named ? std::tuple(e.name, std::string(), std::string(), std::string(), std::vector<std::string>())
                 : std::tuple(e.model, e.machine, e.quant, e.scenario, e.settings);
}

void check_entries(const std::string& shown, const std::vector<SetEntry>& entries, Problems& problems) {
    if (entries.empty()) {
        problems.push_back({shown, "/entries", "an empty list", "at least one entry",
                            "holds nothing to judge: an empty set would always pass"});
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
        for (std::size_t other = 0; other < i; ++other) {
            if (entries[i].name != entries[other].name || identity(entries[i]) != identity(entries[other])) continue;
            problems.push_back({shown, entry_pointer(i), "the same as entry " + std::to_string(other),
                                "another case, or a \"name\" of its own", "cannot be told from another entry"});
            break;
        }
    }
}

std::string relative_to(const fs::path& folder, const std::string& name) {
    return is_path(name) ? (folder / name).lexically_normal().string() : name;
}

// A problem of the command line's flags is one of the entry's members here.
Problem placed(const Problem& problem, const ScenarioSet& set, std::size_t entry, bool own_settings) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kMembers = {
        {{"-m", "/model"}, {"-d", "/machine"}, {"-q", "/quant"}, {"-s", "/scenario"}}};
    Problem moved = problem;
    for (const auto& [flag, member] : kMembers) {
        if (problem.file != flag) continue;
        moved.file = set.shown;
        moved.pointer = entry_pointer(entry) + std::string(member);
        return moved;
    }
    if (problem.file == "--set" && own_settings) {
        moved.file = set.shown;
        moved.pointer = entry_pointer(entry) + "/settings";
        if (!problem.pointer.empty()) moved.message = problem.pointer + ": " + problem.message;
    }
    return moved;
}

bool same(const Problem& a, const Problem& b) {
    return std::tie(a.file, a.pointer, a.found, a.expected, a.message) ==
           std::tie(b.file, b.pointer, b.found, b.expected, b.message);
}

// Whether one of the entry's own settings is about what the problem names.
bool of_own_settings(const SetEntry& entry, const std::vector<std::string>& common, const Problem& problem) {
    const auto mentions = [&](const std::string& text) {
        const std::string path = text.substr(0, text.find('='));
        return path == problem.pointer || (problem.pointer.empty() && problem.found == '"' + text + '"');
    };
    if (std::any_of(entry.settings.begin(), entry.settings.end(), mentions)) return true;
    return !entry.settings.empty() && std::none_of(common.begin(), common.end(), mentions);
}

} // namespace

ScenarioSet load_scenario_set(const std::string& name_or_path, const Catalogue& catalogue) {
    Problems problems;
    ScenarioSet set;
    const std::optional<FoundFile> found = find_set(name_or_path, catalogue, problems);
    throw_if_any(problems);
    const std::optional<JsonFile> json = read_json_file(found->path, found->shown, problems);
    if (json && check_set_header(*json->value, found->shown, problems)) {
        ReadState state{found->shown, problems, {}, false};
        const std::size_t before = problems.size();
        set.file = read_file_object<ScenarioSetFile>(state, *json->value);
        // An entry that could not be read would look like another one.
        if (problems.size() == before) check_entries(found->shown, set.file.entries, problems);
    }
    throw_if_any(problems);
    set.shown = found->shown;
    set.folder = found->path.parent_path();
    return set;
}

CaseRequest request_of(const SetEntry& entry, const fs::path& folder) {
    CaseRequest request;
    request.model = relative_to(folder, entry.model);
    request.machine = relative_to(folder, entry.machine);
    request.scenario = relative_to(folder, entry.scenario);
    request.quantization = entry.quant;
    request.settings = entry.settings;
    return request;
}

std::vector<LoadedCase> load_entries(const ScenarioSet& set, const std::vector<std::string>& settings,
                                     const std::function<LoadedCase(const CaseRequest&)>& load) {
    std::vector<LoadedCase> cases;
    Problems problems;
    for (std::size_t i = 0; i < set.file.entries.size(); ++i) {
        const SetEntry& entry = set.file.entries[i];
        CaseRequest request = request_of(entry, set.folder);
        request.settings.insert(request.settings.end(), settings.begin(), settings.end());
        try {
            cases.push_back(load(request));
        } catch (const InputError& error) {
            for (const Problem& problem : error.problems()) {
                const Problem here = placed(problem, set, i, of_own_settings(entry, settings, problem));
                const auto known = [&](const Problem& other) { return same(other, here); };
                if (std::none_of(problems.begin(), problems.end(), known)) problems.push_back(here);
            }
        }
    }
    throw_if_any(problems);
    return cases;
}

} // namespace spillway
