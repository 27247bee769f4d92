#include "explore/levers.h"

#include "explore/closed_form.h"
#include "explore/derived_levers.h"
#include "explore/lever_search.h"
#include "explore/turned_case.h"

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

// Stands for "nothing takes time": faster than any target, and finite so that differences stay defined.
constexpr double kNoTime = 1e18;

std::optional<double> speed_of(const Estimate& e, Phase phase) {
    if (phase == Phase::decode) return e.decode.tokens_per_second;
    if (!e.prefill.tokens_per_second && e.prefill.total) return kNoTime;
    return e.prefill.tokens_per_second;
}

double target_of(const Case& c, Phase phase) {
    return phase == Phase::decode ? c.scenario.target_decode : c.scenario.target_prefill;
}

// What a lever is searched in, and the case as it is.
struct Question {
    const Case& c;
    const Estimate& own;
    Phase phase;
    const Obtainables& obtainable;
};

bool is_there(const LeverInfo& info, const Question& q, const TurnedCase& turned) {
    if (info.needs_experts && q.own.placement.sizes.moe_layers <= 0.0) return false;
    if (info.id == LeverId::expert_bits && !turned.own_value()) return false;
    if (info.id == LeverId::link_rate && q.c.machine.memory.size() < 2) return false;
    return turned.can_turn();
}

void search(TurnedCase& turned, const SearchRange& range, double target, LeverAnswer& answer) {
    const Phase phase = answer.phase;
    // Tokens of a chunk are whole, though the field takes any number.
    const bool rounded = answer.id == LeverId::chunk;
    const SearchResult found = search_lever(range, target, [&](double value) {
        return speed_of(turned.estimate_at(rounded ? std::round(value) : value), phase);
    });
    answer.answer = found.answer;
    answer.value = found.value;
    if (found.best && *found.best < kNoTime) answer.best = found.best;
}

void add_step(const std::vector<Obtainable>& list, LeverAnswer& answer) {
    if (!answer.value || answer.answer != Answer::found) return;
    for (const Obtainable& step : list) {
        const bool meets = answer.rising ? step.value >= *answer.value : step.value <= *answer.value;
        const bool nearer =
            !answer.step_value || (answer.rising ? step.value < *answer.step_value : step.value > *answer.step_value);
        if (!meets || !nearer) continue;
        answer.step = step.name;
        answer.step_value = step.value;
    }
}

void add_whole_and_change(LeverAnswer& answer) {
    if (answer.value && answer.unit == LeverUnit::count) {
        answer.whole = answer.rising ? std::ceil(*answer.value) : std::floor(*answer.value);
    }
    if (answer.value && answer.current && *answer.current != 0.0) answer.change = *answer.value / *answer.current - 1.0;
}

LeverAnswer drop_drafter(const Question& q) {
    LeverAnswer answer;
    answer.id = LeverId::drop_drafter;
    answer.phase = q.phase;
    answer.unit = LeverUnit::count;
    answer.current = q.own.placement.sizes.drafter ? 1.0 : 0.0;
    answer.best = speed_of(evaluate(with_lever(q.c, LeverId::drop_drafter, 0.0)), q.phase);
    if (answer.best) answer.answer = *answer.best >= target_of(q.c, q.phase) ? Answer::found : Answer::nowhere;
    if (answer.answer == Answer::found) {
        answer.value = 0.0;
        answer.change = -1.0;
    }
    return answer;
}

LeverAnswer table_lever(const LeverInfo& info, const Question& q, TurnedCase& turned) {
    LeverAnswer answer;
    answer.id = info.id;
    answer.phase = q.phase;
    answer.unit = info.unit;
    answer.rising = info.rising;
    answer.low = info.low;
    answer.high = info.id == LeverId::top_k ? most_active(q.c) : info.high;
    answer.current = info.current ? info.current(q.c, q.own) : turned.own_value();
    // Forcing a residency or budget would hide a part that does not fit.
    const bool hides =
        !q.own.placement.fits.value_or(true) && (info.id == LeverId::residency || info.id == LeverId::expert_budget);
    if (hides) {
        answer.answer = Answer::nowhere;
    } else if (!is_there(info, q, turned)) {
        answer.answer = Answer::no_effect;
    } else {
        search(turned, {info.rising, answer.low, answer.high, info.logarithmic}, target_of(q.c, q.phase), answer);
    }
    answer.forced = answer.answer == Answer::no_effect && info.forced && info.forced(q.c.scenario, q.phase);
    add_whole_and_change(answer);
    if (info.obtainable) add_step(q.obtainable.*info.obtainable, answer);
    return answer;
}

LeverUnit unit_of(const NumberField& field) {
    switch (field.unit) {
    case Unit::bytes: return LeverUnit::bytes;
    case Unit::seconds: return LeverUnit::seconds;
    case Unit::bytes_per_second: return LeverUnit::bytes_per_second;
    case Unit::flops_per_second: return LeverUnit::flops_per_second;
    case Unit::count: return LeverUnit::count;
    default: return field.maximum <= 1.0 ? LeverUnit::ratio : LeverUnit::number;
    }
}

} // namespace

Case with_lever(const Case& c, LeverId id, double value) {
    if (id == LeverId::drop_drafter) {
        Case altered = c;
        altered.alternatives.clear();
        altered.scenario.positions = altered.scenario.accepted = 1.0;
        return altered;
    }
    TurnedCase turned(c, lever_info(id).path);
    return turned.at(id == LeverId::chunk ? std::round(value) : value);
}

std::vector<LeverAnswer> levers(const Case& c, Phase phase, const Obtainables& obtainable) {
    std::vector<LeverAnswer> answers;
    const Estimate own = evaluate(c);
    const Question question{c, own, phase, obtainable};
    const std::optional<double> own_speed = speed_of(own, phase);
    for (const LeverInfo& info : lever_table()) {
        if (info.path.empty() || !(phase == Phase::decode ? info.in_decode : info.in_prefill)) continue;
        TurnedCase turned(c, info.path);
        if (info.id == LeverId::link_rate && !is_there(info, question, turned)) continue;
        LeverAnswer answer = table_lever(info, question, turned);
        answer.holds_now = own_speed && *own_speed >= target_of(c, phase);
        answers.push_back(answer);
        if (info.id == LeverId::residency) add_derived(c, own, answer, answers);
    }
    if (c.scenario.positions > 1.0) answers.push_back(drop_drafter(question));
    return answers;
}

std::optional<InputRange> usual_range(const Case& c, const std::string& path) {
    constexpr double kFold = 1000.0;
    const TurnedCase turned(c, path);
    const NumberField& field = turned.field();
    if (field.maximum <= 1.0) return InputRange{path, field.minimum, field.maximum};
    const std::optional<double> own = turned.own_value();
    if (!own || *own <= 0.0) return std::nullopt;
    return InputRange{path, std::max(field.minimum, *own / kFold), std::min(field.maximum, *own * kFold)};
}

LeverAnswer input_lever(const Case& c, Phase phase, const InputRange& range) {
    TurnedCase turned(c, range.path);
    const double target = target_of(c, phase);
    const std::optional<double> own = speed_of(evaluate(c), phase);
    LeverAnswer answer;
    answer.id = LeverId::input;
    answer.path = range.path;
    answer.phase = phase;
    answer.unit = unit_of(turned.field());
    answer.low = range.low;
    answer.high = range.high;
    answer.current = turned.own_value();
    const auto at_low = speed_of(turned.estimate_at(range.low), phase);
    const auto at_high = speed_of(turned.estimate_at(range.high), phase);
    answer.rising = at_high.value_or(0.0) >= at_low.value_or(0.0);
    constexpr double kWide = 100.0; // ranges over more than two decades are searched in the logarithm
    const bool wide = range.low > 0.0 && range.high > kWide * range.low;
    search(turned, {answer.rising, range.low, range.high, wide}, target, answer);
    answer.holds_now = own && *own >= target;
    add_whole_and_change(answer);
    return answer;
}

std::optional<double> closed_form_residency(const Case& c) {
    const std::optional<ClosedForm> form = closed_form(c);
    return form ? std::optional(form->residency) : std::nullopt;
}

} // namespace spillway
