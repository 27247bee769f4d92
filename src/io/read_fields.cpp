#include "io/read_fields.h"

#include <algorithm>

namespace spillway {

void ReadState::add(const std::string& pointer, std::string found, std::string expected, std::string message) {
    problems.push_back({file, pointer, std::move(found), std::move(expected), std::move(message)});
}

void ReadState::add(const std::string& pointer, ValueProblem problem) {
    add(pointer, std::move(problem.found), std::move(problem.expected), std::move(problem.message));
}

std::string describe(const nlohmann::json& value) {
    if (value.is_object()) return "an object";
    if (value.is_array()) return "a list";
    constexpr std::size_t longest = 60;
    std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (text.size() > longest) text = text.substr(0, longest) + "...";
    return text;
}

std::optional<double> read_json_number(ReadState& state, const nlohmann::json& value, const std::string& pointer,
                                       const FieldKind& kind) {
    if (!value.is_number()) {
        const bool needs_text = kind.unit != Unit::ratio_or_number && kind.unit != Unit::count;
        state.add(pointer, describe(value), expected_text(kind),
                  needs_text ? "must be text with a unit" : "must be a number, without quotes");
        return std::nullopt;
    }
    if (kind.unit != Unit::ratio_or_number && kind.unit != Unit::count) {
        state.add(pointer, describe(value), expected_text(kind), "is a number without a unit");
        return std::nullopt;
    }
    const double number = value.get<double>();
    if (auto problem = check_number(number, kind)) {
        state.add(pointer, std::move(*problem));
        return std::nullopt;
    }
    return number;
}

void ObjectReader::missing(const std::string& at, std::string expected, bool may_be_null) {
    state_.add(at, "nothing", std::move(expected), may_be_null ? "is missing; write null if unknown" : "is missing");
}

void ObjectReader::finish() {
    for (const auto& [key, value] : object_.items()) {
        if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
        const std::string hint = did_you_mean(key, known_);
        state_.add(pointer_ + pointer_step(key), '"' + key + '"', "one of " + name_list(known_, 40),
                   hint.empty() ? "is not a known key" : "is not a known key; " + hint);
    }
}

} // namespace spillway
