#include "io/catalogue.h"

#include "text/near.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>

namespace spillway {

namespace {

namespace fs = std::filesystem;

// What is looked up for each kind, in the order of FileKind.
struct KindPlace {
    std::string_view directory, flag, list_command;
};
constexpr std::array<KindPlace, 8> kPlaces = {{{"models", "-m", "spillway list models"},
                                               {"hardware", "-d", "spillway list machines"},
                                               {"hardware/parts", "parts", "spillway list parts"},
                                               {"scenarios", "-s", "spillway list scenarios"},
                                               {"scenarios/runtimes", "scenario.runtime", "spillway list runtimes"},
                                               {"models/locality", "scenario.locality", "spillway list localities"},
                                               {"models", "-q", "spillway list quants"},
                                               {"scenarios/measured", "FILE", "spillway list measured"}}};
constexpr std::string_view kFormatsFile = "formats.json";

const KindPlace& place(FileKind kind) { return kPlaces[static_cast<std::size_t>(kind)]; }

bool is_directory(const fs::path& path) {
    std::error_code error;
    return fs::is_directory(path, error);
}

bool is_file(const fs::path& path) {
    std::error_code error;
    return fs::exists(path, error) && !fs::is_directory(path, error);
}

fs::path asked_root(const std::string& text, const std::string& asked_by) {
    if (!is_directory(text))
        throw InputError({{asked_by, "", '"' + text + '"', "a directory with models/, hardware/ and scenarios/",
                           "is not a directory"}});
    return text;
}

// Sets of scenarios lie beside the scenarios. A file that cannot be read counts as a scenario: using it then says why.
bool is_scenario(const fs::path& path) {
    Problems ignored;
    const auto file = read_json_file(path, "", ignored);
    if (!file || !file->value->is_object()) return true;
    const auto kind = file->value->find("kind");
    return kind == file->value->end() || *kind == kind_name(FileKind::scenario);
}

} // namespace

std::string_view kind_directory(FileKind kind) { return place(kind).directory; }
std::string_view kind_flag(FileKind kind) { return place(kind).flag; }

bool is_path(std::string_view name) { return name.find('/') != std::string_view::npos || name.ends_with(".json"); }

bool matches_glob(std::string_view name, std::string_view pattern) {
    // Backtracking to the last '*' suffices: an earlier one never has to take more.
    std::size_t n = 0, p = 0, star = std::string_view::npos, resume = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = n;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++p;
            ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

fs::path data_root(const std::string& data_option) {
    if (!data_option.empty()) return asked_root(data_option, "--data");
    const char* const environment = std::getenv("SPILLWAY_DATA");
    if (environment != nullptr && *environment != '\0') return asked_root(environment, "SPILLWAY_DATA");
#ifdef SPILLWAY_SOURCE_DATA
    if (is_directory(SPILLWAY_SOURCE_DATA)) return SPILLWAY_SOURCE_DATA;
#endif
#ifdef SPILLWAY_INSTALL_DATA
    if (is_directory(SPILLWAY_INSTALL_DATA)) return SPILLWAY_INSTALL_DATA;
#endif
    return {};
}

std::vector<std::string> Catalogue::names(FileKind kind) const {
    std::vector<std::string> found;
    if (root_.empty()) return found;
    std::error_code error;
    for (fs::directory_iterator entry(root_ / kind_directory(kind), error), end; !error && entry != end;
         entry.increment(error)) {
        const fs::path& path = entry->path();
        const bool formats = path.filename() == kFormatsFile;
        if (path.extension() != ".json" || !is_file(path) || formats != (kind == FileKind::formats)) continue;
        if (kind == FileKind::scenario && !is_scenario(path)) continue;
        found.push_back(path.stem().string());
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::optional<FoundFile> Catalogue::find(FileKind kind, const Question& question, Problems& problems) const {
    const std::string& name = question.name;
    const auto problem = [&](std::string expected, std::string message) {
        problems.push_back(
            {question.asked_by, question.pointer, '"' + name + '"', std::move(expected), std::move(message)});
        return std::nullopt;
    };
    if (name.empty())
        return problem(fmt::format("a {} name or path", kind_name(kind)), fmt::format("names no {}", kind_name(kind)));
    if (is_path(name)) {
        const fs::path path = question.base / name;
        return FoundFile{path, question.base.empty() ? name : path.lexically_normal().string(), path.stem().string()};
    }
    if (root_.empty()) {
        return problem("a path", "there is no data directory to look the name up in; give --data or set SPILLWAY_DATA");
    }
    const fs::path path = root_ / kind_directory(kind) / (name + ".json");
    const bool formats_name = kind == FileKind::model && name + ".json" == kFormatsFile;
    if (is_file(path) && !formats_name)
        return FoundFile{path, fmt::format("{}/{}.json", kind_directory(kind), name), name};
    const std::string hint = did_you_mean(name, names(kind));
    return problem(fmt::format("a name that \"{}\" shows, or a path", place(kind).list_command),
                   fmt::format("there is no {} \"{}\"{}{}", kind_name(kind), name, hint.empty() ? "" : "; ", hint));
}

std::optional<FoundFile> Catalogue::find(FileKind kind, const std::string& name_or_path, Problems& problems) const {
    return find(kind, Question{name_or_path, std::string(kind_flag(kind)), "", {}}, problems);
}

std::vector<std::string> Catalogue::expand(FileKind kind, const std::string& pattern, Problems& problems) const {
    if (is_path(pattern) || pattern.find_first_of("*?") == std::string::npos) return {pattern};
    std::vector<std::string> matching = names(kind);
    std::erase_if(matching, [&](const std::string& name) { return !matches_glob(name, pattern); });
    if (matching.empty()) {
        problems.push_back({std::string(kind_flag(kind)), "", '"' + pattern + '"',
                            fmt::format("a pattern that matches a name that \"{}\" shows", place(kind).list_command),
                            fmt::format("matches no {}", kind_name(kind))});
    }
    return matching;
}

std::optional<FoundFile> Catalogue::formats() const {
    const fs::path path = root_ / "models" / kFormatsFile;
    if (root_.empty() || !is_file(path)) return std::nullopt;
    return FoundFile{path, "models/formats.json", "formats"};
}

} // namespace spillway
