#include "cli/sweep_grid.h"

#include "text/near.h"
#include "text/paths.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace spillway {

namespace {

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::size_t start = 0;
    for (std::size_t end; (end = text.find(at, start)) != std::string::npos; start = end + 1)
        parts.push_back(text.substr(start, end - start));
    parts.push_back(text.substr(start));
    return parts;
}

std::vector<std::string> expand_all(const Catalogue& catalogue, FileKind kind, const std::vector<std::string>& words,
                                    Problems& problems) {
    std::vector<std::string> names;
    for (const std::string& word : words) {
        for (const std::string& pattern : split(word, ',')) {
            for (const std::string& name : catalogue.expand(kind, pattern, problems)) {
                if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
            }
        }
    }
    return names;
}

// A base case is loaded with its settings; what is wrong with it beside a missing quantization stops the sweep.
bool only_quantization(const InputError& error) {
    for (const Problem& problem : error.problems()) {
        if (problem.file != "-q") return false;
    }
    return true;
}

// The value that `text` gives a field, in base units.
std::optional<double> value_at(Case c, const std::string& path, const std::string& text, Problems& problems) {
    if (const auto problem = set_field(c, path, text)) {
        problems.push_back({"--vary", path, problem->found, problem->expected, problem->message});
        return std::nullopt;
    }
    return number_field(c, path)->get();
}

std::optional<Axis> axis_of(const Case& base, const std::string& text, Problems& problems) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
        problems.push_back({"--vary", "", text, "PATH=FROM:TO:STEPS or PATH=A,B,C", "is not an axis"});
        return std::nullopt;
    }
    Axis axis{text.substr(0, equals), {}};
    const std::string words = text.substr(equals + 1);
    Case c = base;
    const auto field = number_field(c, axis.path);
    if (!field) {
        const auto problem = number_problem(c, axis.path);
        problems.push_back({"--vary", axis.path, problem ? problem->found : axis.path,
                            problem ? problem->expected : "a numeric field",
                            problem ? problem->message : "is not a number"});
        return std::nullopt;
    }
    const std::vector<std::string> ends = split(words, ':');
    if (ends.size() == 1) {
        for (const std::string& word : split(words, ',')) {
            if (const auto value = value_at(base, axis.path, word, problems)) axis.values.push_back(*value);
        }
        return axis;
    }
    const int steps = ends.size() == 3 ? std::atoi(ends[2].c_str()) : 0;
    if (steps < 2 || steps > 100'000'000) {
        problems.push_back({"--vary", axis.path, words, "FROM:TO:STEPS with at least 2 steps, as 2 GB/s:20 GB/s:10",
                            "is not a range"});
        return std::nullopt;
    }
    const auto from = value_at(base, axis.path, ends[0], problems), to = value_at(base, axis.path, ends[1], problems);
    if (!from || !to) return std::nullopt;
    for (int i = 0; i < steps; ++i) {
        const double value = *from + (*to - *from) * i / (steps - 1);
        axis.values.push_back(field->whole ? std::round(value) : value);
    }
    return axis;
}

// Corners of the grid go through the same checks as a single case: an axis must not break a rule between fields.
void check_corners(const CaseRequest& request, const std::vector<std::string>& vary, const Catalogue& catalogue) {
    for (const bool last : {false, true}) {
        CaseRequest corner = request;
        for (const std::string& text : vary) {
            const std::size_t equals = text.find('=');
            const std::string words = text.substr(equals + 1);
            const std::vector<std::string> ends = split(words, ':');
            const std::vector<std::string> listed = split(words, ',');
            const std::string value = ends.size() == 3 ? ends[last ? 1 : 0] : last ? listed.back() : listed.front();
            corner.settings.push_back(text.substr(0, equals) + "=" + value);
        }
        load_case(corner, catalogue);
    }
}

} // namespace

SweepGrid sweep_grid(const SweepRequest& request, const Catalogue& catalogue) {
    Problems problems;
    const auto models = expand_all(catalogue, FileKind::model, request.models, problems);
    const auto machines = expand_all(catalogue, FileKind::machine, request.machines, problems);
    const auto scenarios = expand_all(catalogue, FileKind::scenario, request.scenarios, problems);
    std::vector<std::string> quants;
    for (const std::string& word : request.quants) {
        for (const std::string& quant : split(word, ',')) quants.push_back(quant);
    }
    throw_if_any(problems);
    SweepGrid result;
    std::set<std::string> skipped;
    std::optional<InputError> last_quantization_error;
    for (const std::string& model : models) {
        for (const std::string& machine : machines) {
            for (const std::string& quant : quants) {
                for (const std::string& scenario : scenarios) {
                    const CaseRequest one{model, machine, scenario, quant, request.settings, request.calibration};
                    try {
                        const LoadedCase loaded = load_case(one, catalogue);
                        if (result.grid.bases.empty()) {
                            for (const std::string& text : request.vary) {
                                if (auto axis = axis_of(loaded.value, text, problems))
                                    result.grid.axes.push_back(std::move(*axis));
                            }
                            throw_if_any(problems);
                            if (!request.vary.empty()) check_corners(one, request.vary, catalogue);
                            result.target_decode = loaded.value.scenario.target_decode;
                            result.target_prefill = loaded.value.scenario.target_prefill;
                        }
                        Case probe = loaded.value;
                        for (const Axis& axis : result.grid.axes) {
                            if (!number_field(probe, axis.path)) {
                                problems.push_back({"--vary", axis.path, model + " on " + machine,
                                                    "a path that every case has", "is not in every case"});
                            }
                        }
                        throw_if_any(problems);
                        result.grid.bases.push_back(loaded.value);
                        result.labels.push_back(
                            {loaded.model_id, loaded.machine_id, loaded.quantization_id, loaded.scenario_id});
                    } catch (const InputError& error) {
                        if (!only_quantization(error)) throw;
                        last_quantization_error = error;
                        skipped.insert(fmt::format("{} has no quantization {}", model, quant));
                    }
                }
            }
        }
    }
    if (result.grid.bases.empty() && last_quantization_error) throw *last_quantization_error;
    result.skipped.assign(skipped.begin(), skipped.end());
    return result;
}

} // namespace spillway
