#include "report/compare.h"

#include "io/write_fields.h"
#include "report/figures.h"
#include "report/names.h"
#include "report/notes.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cctype>
#include <cmath>
#include <map>

namespace spillway {

namespace {

using Json = nlohmann::ordered_json;

using Numbers = std::vector<std::pair<std::string, std::optional<double>>>;

// What tells the members of a list apart: the first of these keys that they have.
std::string member_name(const Json& member, std::size_t index) {
    std::string name;
    for (const char* key : {"name", "locality", "path", "code", "pool"}) {
        const auto found = member.is_object() ? member.find(key) : member.end();
        if (!member.is_object() || found == member.end() || !found->is_string()) continue;
        // Terms of several pools, and parts spread over them, share a name.
        if (std::string_view(key) == "pool" && name.empty()) return found->get<std::string>();
        name += (name.empty() ? "" : ".") + found->get<std::string>();
    }
    return name.empty() ? std::to_string(index) : name;
}

void collect(const Json& value, const std::string& name, Numbers& numbers) {
    const std::string prefix = name.empty() ? "" : name + ".";
    if (value.is_object()) {
        for (const auto& [key, member] : value.items()) collect(member, prefix + key, numbers);
    } else if (value.is_array()) {
        std::map<std::string, int> seen;
        for (std::size_t i = 0; i < value.size(); ++i) {
            std::string member = member_name(value[i], i);
            const int before = seen[member]++;
            if (before > 0) member += fmt::format("#{}", before + 1);
            collect(value[i], prefix + member, numbers);
        }
    } else if (value.is_number()) {
        numbers.emplace_back(name, value.get<double>());
    } else if (value.is_null()) {
        numbers.emplace_back(name, std::nullopt);
    }
}

// Places of figures by name, so that both sides are joined in linear time.
std::map<std::string, std::size_t> index_of(const Numbers& numbers) {
    std::map<std::string, std::size_t> index;
    for (std::size_t i = 0; i < numbers.size(); ++i) index.emplace(numbers[i].first, i);
    return index;
}

std::string upper(std::string_view text) {
    std::string result;
    for (const char c : text) result += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return result;
}

std::string target_text(double target) { return fmt::format("{:.6g}", target); }

// One phase on one side.
struct Side {
    std::optional<double> speed;
    double target = 0.0;
    State state = State::unknown;
    bool unlimited = false;
    std::string without; // why there is no speed
};

Side side_of(const Report& report, bool decode) {
    const Estimate& e = report.estimate;
    const Scenario& s = report.loaded.value.scenario;
    Side side;
    side.speed = decode ? e.decode.tokens_per_second : e.prefill.tokens_per_second;
    side.target = decode ? s.target_decode : s.target_prefill;
    side.state = decode ? e.verdict.decode : e.verdict.prefill;
    side.unlimited = !decode && !side.speed && e.prefill.total.has_value();
    if (!side.speed) side.without = decode ? why_no_decode(report) : why_no_prefill(report);
    return side;
}

std::string figure(const Side& side) {
    if (side.speed) return speed(*side.speed, side.target) + " tok/s";
    return side.unlimited ? side.without : "unknown (" + side.without + ")";
}

std::string movement(const Side& left, const Side& right) {
    if (!left.speed || !right.speed) return fmt::format("goes from {} to {}", figure(left), figure(right));
    if (*left.speed == *right.speed) return "stays at " + figure(left);
    return fmt::format("{} from {} to {}", *right.speed > *left.speed ? "rises" : "falls",
                       speed(*left.speed, left.target), figure(right));
}

// Where the right side lies relative to its target, and whether it crossed it.
std::string against_target(const Side& left, const Side& right) {
    const std::string target = target_text(right.target);
    std::string text;
    if (left.target != right.target)
        text = fmt::format("; its target goes from {} to {}", target_text(left.target), target);
    switch (right.state) {
    case State::holds:
        return text + (left.state == State::holds ? ", still above its target of " : ", past its target of ") + target;
    case State::fails:
        return text + (left.state == State::holds ? ", below its target of " : ", still below its target of ") + target;
    case State::depends: return text + ", below its target of " + target + " unless a measured routing holds";
    case State::unknown: return text + ", so that its target of " + target + " cannot be judged";
    }
    return text;
}

} // namespace

std::optional<double> ComparedFigure::difference() const {
    if (!left || !right) return std::nullopt;
    return *right - *left;
}

std::optional<double> ComparedFigure::relative() const {
    const std::optional<double> change = difference();
    if (!change || *left == 0.0) return std::nullopt;
    return *change / std::abs(*left);
}

std::vector<ComparedFigure> compared_figures(const Json& left, const Json& right) {
    Numbers a, b;
    collect(left, "", a);
    collect(right, "", b);
    const std::map<std::string, std::size_t> in_a = index_of(a), in_b = index_of(b);
    std::vector<ComparedFigure> figures;
    const auto add = [&](const std::string& name, std::optional<double> l, std::optional<double> r) {
        if (name != "format" && (l || r)) figures.push_back({name, l, r});
    };
    // The order of the left; what only the right has goes behind what it follows there.
    std::size_t next = 0;
    const auto add_new = [&](std::size_t end) {
        for (; next < end; ++next) {
            if (in_a.count(b[next].first) == 0) add(b[next].first, std::nullopt, b[next].second);
        }
    };
    for (const auto& [name, number] : a) {
        const auto other = in_b.find(name);
        if (other != in_b.end()) add_new(other->second);
        add(name, number, other == in_b.end() ? std::nullopt : b[other->second].second);
    }
    add_new(b.size());
    return figures;
}

Table figures_table(const Report& report) {
    Numbers numbers;
    collect(report_json(report), "", numbers);
    Table table;
    table.columns = {{"figure", "figure"}, {"value", "value", Show::figure}};
    for (const auto& [name, number] : numbers) {
        if (name != "format") table.rows.push_back({name, number});
    }
    return table;
}

std::string verdict_change_text(const Comparison& comparison) {
    const State before = comparison.left.estimate.verdict.overall;
    const State after = comparison.right.estimate.verdict.overall;
    std::string text = before == after ? fmt::format("The verdict stays {}", upper(name_of(after)))
                                       : fmt::format("The verdict changes from {} to {}", upper(name_of(before)),
                                                     upper(name_of(after)));
    std::string changed, unchanged;
    for (const bool decode : {true, false}) {
        const Side left = side_of(comparison.left, decode), right = side_of(comparison.right, decode);
        const std::string clause =
            fmt::format("{} {}{}", decode ? "decode" : "prefill", movement(left, right), against_target(left, right));
        std::string& list = left.state == right.state ? unchanged : changed;
        list += (list.empty() ? "" : "; ") + clause;
    }
    // What crossed its target explains a change; without one both phases are told.
    return fmt::format("{}: {}.", text, changed.empty() ? unchanged : changed);
}

nlohmann::ordered_json compare_json(const Comparison& comparison) {
    const Json left = report_json(comparison.left), right = report_json(comparison.right);
    const auto number = [](const std::optional<double>& value) { return value ? write_number(*value) : Json(); };
    Json json = {{"format", 1}, {"kind", "comparison"}, {"version", comparison.left.version}};
    json["left"] = {{"case", left.at("case")}, {"data_digest", left.at("data_digest")}};
    json["right"] = {{"case", right.at("case")}, {"data_digest", right.at("data_digest")}};
    for (const char* phase : {"decode", "prefill", "overall"})
        json["verdict"][phase] = {{"left", left["verdict"][phase]}, {"right", right["verdict"][phase]}};
    json["verdict"]["text"] = verdict_change_text(comparison);
    json["figures"] = Json::array();
    for (const ComparedFigure& f : compared_figures(left, right)) {
        json["figures"].push_back({{"name", f.name},
                                   {"left", number(f.left)},
                                   {"right", number(f.right)},
                                   {"difference", number(f.difference())},
                                   {"relative", number(f.relative())}});
    }
    return json;
}

} // namespace spillway
