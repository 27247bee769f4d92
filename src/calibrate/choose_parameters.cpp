#include "calibrate/choose_parameters.h"

#include "io/problem.h"
#include "text/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

constexpr const char* kFitFlag = "--fit";
// A term is looked for this far from its start where its field has no limit of its own.
constexpr double kReach = 1e4;

// How far off a value of this basis may be.
std::optional<double> belief(const Provenance* source) {
    if (source == nullptr) return std::nullopt;
    switch (source->basis) {
    case Basis::measured:
    case Basis::rated: return 1.1;
    case Basis::fitted:
    case Basis::derived:
    case Basis::published:
    case Basis::chosen: return 1.3;
    case Basis::guess: return 3.0;
    case Basis::given: return std::nullopt;
    }
    return std::nullopt;
}

// The first leaf that a row has for the path.
struct Leaf {
    Observation* row = nullptr;
    std::string path;
};
std::optional<Leaf> first_leaf(std::vector<Observation>& rows, const std::string& path, bool with_value) {
    for (Observation& row : rows) {
        for (const std::string& leaf : leaves_of(row.value, path)) {
            const auto value = number_field(row.value, leaf)->get();
            if (!with_value || (value && *value > 0.0)) return Leaf{&row, leaf};
        }
    }
    return std::nullopt;
}

void set_start(std::vector<Observation>& rows, const Parameter& parameter) {
    for (Observation& row : rows) {
        for (const std::string& leaf : leaves_of(row.value, parameter.path))
            number_field(row.value, leaf)->set(parameter.start);
    }
}

std::optional<Problem> start_from(const std::string& text, const Leaf& leaf) {
    if (auto problem = set_field(leaf.row->value, leaf.path, text))
        return Problem{kFitFlag, leaf.path, problem->found, problem->expected, problem->message};
    return std::nullopt;
}

Problem no_path(std::vector<Observation>& rows, const std::string& path) {
    if (auto problem = number_problem(rows.front().value, path))
        return {kFitFlag, path, problem->found, problem->expected, problem->message};
    return {kFitFlag, path, "nothing", "an input that these rows have", "no row has it"};
}

std::optional<Parameter> choose(const std::string& text, std::vector<Observation>& rows, Problems& problems) {
    const std::size_t equals = text.find('=');
    Parameter parameter{text.substr(0, equals)};
    const bool stated = equals != std::string::npos;
    std::optional<Leaf> leaf = first_leaf(rows, parameter.path, !stated);
    if (!leaf && first_leaf(rows, parameter.path, false)) {
        problems.push_back({kFitFlag, parameter.path, "unknown or zero",
                            "a start above zero: " + parameter.path + "=VALUE",
                            "the files give no value to start from"});
        return std::nullopt;
    }
    std::optional<Problem> problem;
    if (!leaf)
        problem = no_path(rows, parameter.path);
    else if (stated)
        problem = start_from(text.substr(equals + 1), *leaf);
    if (problem) {
        problems.push_back(*problem);
        return std::nullopt;
    }
    const NumberField field = *number_field(leaf->row->value, leaf->path);
    parameter.start = field.get().value_or(0.0);
    if (parameter.start <= 0.0) {
        problems.push_back({kFitFlag, parameter.path, "0", "a start above zero", "has no logarithm"});
        return std::nullopt;
    }
    const bool share = parameter.path.find("compute_share") != std::string::npos; // of a rating
    parameter.low = std::max(field.minimum, parameter.start / kReach);
    parameter.high = std::min(share ? 1.0 : field.maximum, parameter.start * kReach);
    return parameter;
}

} // namespace

std::vector<Parameter> choose_parameters(const std::vector<std::string>& texts, const std::optional<double>& prior,
                                         const Sources& sources, std::vector<Observation>& rows) {
    Problems problems;
    std::vector<Parameter> parameters;
    for (const std::string& text : texts) {
        auto parameter = choose(text, rows, problems);
        if (!parameter) continue;
        const bool stated = text.find('=') != std::string::npos;
        if (prior)
            parameter->prior = *prior > 1.0 ? prior : std::nullopt;
        else if (!stated)
            parameter->prior = belief(source_of(sources, parameter->path));
        set_start(rows, *parameter);
        parameters.push_back(*parameter);
    }
    throw_if_any(problems);
    return parameters;
}

} // namespace spillway
