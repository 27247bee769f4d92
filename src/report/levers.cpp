#include "report/levers.h"

#include "report/figures.h"
#include "report/names.h"
#include "text/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>

namespace spillway {

namespace {

using nlohmann::ordered_json;

ordered_json number(const std::optional<double>& value) { return value ? ordered_json(*value) : ordered_json(); }

// Values that meet a target are not rounded to the side that misses it: four digits, towards the better end.
std::string meeting(const LeverAnswer& a) {
    if (a.id == LeverId::drop_drafter) return "yes";
    if (a.whole) return fmt::format("{} ({})", lever_value(a.unit, *a.whole), significant(*a.value, 3));
    if (a.unit == LeverUnit::ratio) return a.rising ? percent_at_least(*a.value) : percent_at_most(*a.value);
    return lever_value(a.unit, *a.value);
}

std::string answer_text(const LeverAnswer& a) {
    switch (a.answer) {
    case Answer::found: return a.value ? meeting(a) : "unknown";
    case Answer::holds_everywhere: return "holds everywhere";
    case Answer::nowhere: return a.best ? fmt::format("nowhere (best {} tok/s)", speed(*a.best)) : "nowhere";
    case Answer::no_effect: return a.forced ? "no effect (forced)" : "no effect";
    case Answer::unknown: return "unknown";
    }
    return "unknown";
}

} // namespace

LeverNames lever_names(LeverId id) {
    const LeverInfo& info = lever_info(id);
    return {info.code, info.label, info.fixed};
}

LeverNames lever_names(const LeverAnswer& a) {
    return a.id == LeverId::input ? LeverNames{a.path, a.path, "all else"} : lever_names(a.id);
}

std::string lever_value(LeverUnit unit, double value) {
    switch (unit) {
    case LeverUnit::ratio: return percent(value);
    case LeverUnit::bytes: return gb(Bytes(value));
    case LeverUnit::bytes_per_second: return significant(value / 1e9, 4) + " GB/s";
    case LeverUnit::seconds: return print_short(Seconds(value));
    case LeverUnit::flops_per_second: return significant(value / 1e12, 4) + " TFLOP/s";
    case LeverUnit::bits: return significant(value, 4) + " bit";
    case LeverUnit::count: return count(value);
    case LeverUnit::factor: return significant(value, 3) + " x";
    case LeverUnit::number: return significant(value, 4);
    }
    return {};
}

std::string step_text(const LeverAnswer& a) {
    return a.step ? fmt::format("{}, {}", *a.step, lever_value(a.unit, *a.step_value)) : "";
}

std::string lever_sentence(const Case& c, const LeverAnswer& a) {
    const bool decode = a.phase == Phase::decode;
    const std::string target = fmt::format("{} {} tok/s", decode ? "decode would hold" : "prefill would hold",
                                           count(decode ? c.scenario.target_decode : c.scenario.target_prefill));
    if (a.answer != Answer::found || !a.value) return fmt::format("{}: {}", lever_names(a).label, answer_text(a));
    if (a.id == LeverId::drop_drafter) return fmt::format("without the drafter {}", target);
    std::string text = fmt::format("{} {}", lever_names(a).label, meeting(a));
    if (a.current) text += fmt::format(" instead of {}", lever_value(a.unit, *a.current));
    if (a.step) text += fmt::format(" (next that exists: {})", step_text(a));
    return fmt::format("with {} {}", text, target);
}

ordered_json lever_json(const LeverAnswer& a) {
    ordered_json json = {{"lever", lever_names(a).code},
                         {"phase", a.phase == Phase::decode ? "decode" : "prefill"},
                         {"answer", name_of(a.answer)},
                         {"forced", a.forced},
                         {"value", number(a.value)},
                         {"whole", number(a.whole)},
                         {"current", number(a.current)},
                         {"change", number(a.change)},
                         {"best_tokens_per_second", number(a.best)},
                         {"range", nullptr},
                         {"step", a.step ? ordered_json(*a.step) : ordered_json()},
                         {"step_value", number(a.step_value)},
                         {"holds_fixed", lever_names(a).fixed}};
    if (!a.derived && a.id != LeverId::drop_drafter) json["range"] = {a.low, a.high};
    return json;
}

std::string changes_text(const Case& c, const std::vector<LeverAnswer>& changes) {
    std::string text;
    for (const LeverAnswer& change : changes) text += (text.empty() ? "" : "; ") + lever_sentence(c, change);
    return text;
}

ordered_json changes_json(const Case& c, const std::vector<LeverAnswer>& changes) {
    if (changes.empty()) return nullptr;
    ordered_json json = {{"text", changes_text(c, changes)}, {"decode", nullptr}, {"prefill", nullptr}};
    for (const LeverAnswer& change : changes)
        json[change.phase == Phase::decode ? "decode" : "prefill"] = lever_json(change);
    json["holds_then"] = *holds_after(c, changes);
    return json;
}

Table lever_table(const std::vector<LeverAnswer>& answers) {
    Table table;
    table.columns = {{"lever", "lever", Show::text},
                     {"current", "now", Show::text},
                     {"value", "meets the target at", Show::text},
                     {"change", "change", Show::text},
                     {"step", "next that exists", Show::text, 0, 2, In::pages}};
    for (const LeverAnswer& a : answers) {
        const std::string now = a.id == LeverId::drop_drafter ? "loaded"
                                : a.current                   ? lever_value(a.unit, *a.current)
                                                              : "unknown";
        const std::string change =
            a.answer == Answer::found && a.change ? fmt::format("{:+.1f} %", 100.0 * *a.change) : "";
        table.rows.push_back({lever_names(a).label, now, answer_text(a), change, step_text(a)});
    }
    return table;
}

} // namespace spillway
