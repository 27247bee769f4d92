#include "io/settings.h"

#include "text/near.h"
#include "text/path_walk.h"
#include "text/paths.h"

#include <algorithm>
#include <array>
#include <utility>

namespace spillway {

namespace {

constexpr std::array<std::string_view, 4> kRoots = {"machine", "model", "quantization", "scenario"};

std::string trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return std::string(text);
}

void unknown_root(const Setting& setting, Problems& problems) {
    const std::vector<std::string> roots(kRoots.begin(), kRoots.end());
    const std::string hint = did_you_mean(path_head(setting.path), roots);
    problems.push_back({std::string(kSetFlag), setting.path, '"' + std::string(path_head(setting.path)) + '"',
                        "a path that begins with machine, model, quantization or scenario",
                        hint.empty() ? "is not a path" : "is not a path; " + hint});
}

} // namespace

Settings split_settings(const std::vector<std::string>& texts, Problems& problems) {
    Settings settings;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos) {
            problems.push_back({std::string(kSetFlag), "", '"' + text + '"', "PATH=VALUE", "has no \"=\""});
            continue;
        }
        Setting setting{trimmed(std::string_view(text).substr(0, equals)),
                        trimmed(std::string_view(text).substr(equals + 1))};
        if (setting.path == "scenario.runtime" || setting.path == "scenario.locality") {
            std::string& name = setting.path == "scenario.runtime" ? settings.runtime : settings.locality;
            if (setting.value.empty())
                problems.push_back({std::string(kSetFlag), setting.path, "nothing", "a name or path", "has no value"});
            name = std::move(setting.value);
        } else if (std::find(kRoots.begin(), kRoots.end(), path_head(setting.path)) == kRoots.end()) {
            unknown_root(setting, problems);
        } else {
            settings.values.push_back(std::move(setting));
        }
    }
    return settings;
}

void apply_settings(const Settings& settings, std::string_view root, LoadedCase& loaded, Problems& problems) {
    for (const Setting& setting : settings.values) {
        if (path_head(setting.path) != root) continue;
        if (auto problem = set_field(loaded.value, setting.path, setting.value)) {
            problems.push_back(
                {std::string(kSetFlag), setting.path, problem->found, problem->expected, problem->message});
            continue;
        }
        loaded.sources.emplace_back(canonical_path(loaded.value, setting.path),
                                    Provenance{Basis::given, std::string(kSetFlag)});
    }
}

} // namespace spillway
