#include "report/explain_inputs.h"

#include "explore/tried.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>

namespace spillway {

namespace {

// Below this a line moved by rounding only.
constexpr double kRounding = 1e-11;

// What stands for an input in a line: the model for its shapes, a list of points for each of them.
std::string named(const std::string& path) {
    if (path.rfind("model.", 0) == 0) return "model";
    for (const std::string_view list : std::array<std::string_view, 3>{".curve.", ".points.", ".residency_ranges."}) {
        const std::size_t at = path.find(list);
        if (at != std::string::npos) return path.substr(0, at + list.size() - 1);
    }
    return path;
}

// How far a line moved, as a share of it; 0 if it did not. What is known in only one of the cases moved altogether.
double moved(const ExplainLine& before, const ExplainLine& after) {
    if (before.value.has_value() != after.value.has_value()) return 1.0;
    if (!before.value) return before.expression == after.expression ? 0.0 : 1.0;
    const double larger = std::max(std::abs(*before.value), std::abs(*after.value));
    const double change = std::abs(*after.value - *before.value);
    return change > kRounding * larger ? change / larger : 0.0;
}

using Effects = std::map<std::string, double>; // of each input on one line, per share of the input

// `change` is how far the input was moved, so that inputs which only move in whole steps rank beside the others.
void add_effects(const std::vector<ExplainLine>& lines, const std::vector<ExplainLine>& tried, const Tried& input,
                 std::vector<Effects>& effects) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto same = std::find_if(tried.begin(), tried.end(),
                                       [&](const ExplainLine& line) { return line.name == lines[i].name; });
        const double share = same == tried.end() ? 1.0 : moved(lines[i], *same);
        double& strongest = effects[i][named(input.path)];
        strongest = std::max(strongest, share / input.change);
    }
}

std::vector<std::string> by_strength(const Effects& effects) {
    std::vector<std::pair<std::string, double>> list;
    std::copy_if(effects.begin(), effects.end(), std::back_inserter(list),
                 [](const auto& effect) { return effect.second > 0.0; });
    // Rounded, so that equal effects stay in the order of their names.
    const auto rank = [](double share) { return std::round(share * 1e7); };
    std::stable_sort(list.begin(), list.end(),
                     [&](const auto& a, const auto& b) { return rank(a.second) > rank(b.second); });
    std::vector<std::string> paths;
    for (const auto& [path, share] : list) paths.push_back(path);
    return paths;
}

} // namespace

void find_inputs(const Report& report, std::vector<ExplainLine>& lines) {
    std::vector<Effects> effects(lines.size());
    LoadedCase loaded = report.loaded;
    try_inputs(report.loaded.value, [&](const Tried& tried) {
        loaded.value = tried.value;
        const Report other{loaded, tried.estimate, {}, {}, report.version};
        add_effects(lines, arithmetic_lines(other), tried, effects);
    });
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i].paths = by_strength(effects[i]);
}

} // namespace spillway
