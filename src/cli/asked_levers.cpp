#include "cli/asked_levers.h"

#include "io/problem.h"
#include "text/paths.h"

#include <optional>

namespace spillway {

namespace {

constexpr const char* kFlag = "--lever";

void add(Problems& problems, const std::string& path, const PathProblem& problem) {
    problems.push_back({kFlag, path, problem.found, problem.expected, problem.message});
}

std::optional<double> value_at(Case c, const std::string& path, const std::string& text, Problems& problems) {
    if (const auto problem = set_field(c, path, text)) {
        add(problems, path, *problem);
        return std::nullopt;
    }
    return number_field(c, path)->get();
}

std::optional<InputRange> given_range(const Case& c, const std::string& path, const std::string& words,
                                      Problems& problems) {
    const std::size_t colon = words.find(':');
    if (colon == std::string::npos) {
        add(problems, path, {words, "FROM:TO, as 2 GB/s:20 GB/s", "is not a range"});
        return std::nullopt;
    }
    const auto from = value_at(c, path, words.substr(0, colon), problems);
    const auto to = value_at(c, path, words.substr(colon + 1), problems);
    if (!from || !to) return std::nullopt;
    if (*from < *to) return InputRange{path, *from, *to};
    add(problems, path, {words, "FROM:TO with FROM below TO", "is not a range"});
    return std::nullopt;
}

std::optional<InputRange> asked_lever(const std::string& word, Case c, Problems& problems) {
    const std::size_t equals = word.find('=');
    const std::string asked = word.substr(0, equals);
    if (const auto problem = number_problem(c, asked)) {
        add(problems, asked, *problem);
        return std::nullopt;
    }
    const std::string path = canonical_path(c, asked);
    if (equals != std::string::npos) return given_range(c, path, word.substr(equals + 1), problems);
    const auto range = usual_range(c, path);
    if (!range)
        add(problems, path, {"no range", path + "=FROM:TO", "has no value here from which a range would follow"});
    return range;
}

} // namespace

std::vector<InputRange> asked_levers(const std::vector<std::string>& words, const Case& c) {
    Problems problems;
    std::vector<InputRange> ranges;
    for (const std::string& word : words) {
        if (const auto range = asked_lever(word, c, problems)) ranges.push_back(*range);
    }
    throw_if_any(problems);
    return ranges;
}

std::vector<LeverAnswer> lever_answers(const Case& c, Phase phase, const std::vector<InputRange>& asked,
                                       const Obtainables& obtainable) {
    if (asked.empty()) return levers(c, phase, obtainable);
    std::vector<LeverAnswer> answers;
    for (const InputRange& range : asked) answers.push_back(input_lever(c, phase, range));
    return answers;
}

} // namespace spillway
