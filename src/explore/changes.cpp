// Which change of one input turns a verdict (levers.h).
#include "explore/levers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spillway {

namespace {

// Where a change would really end: at what exists, at a whole number, else at the value found.
double settled(const LeverAnswer& a) { return a.step_value.value_or(a.whole.value_or(*a.value)); }

bool is_advice(const LeverAnswer& a) {
    const bool found = !a.holds_now && a.answer == Answer::found && !a.derived;
    return found && a.current && *a.current > 0.0 && a.id != LeverId::input && lever_info(a.id).advised;
}

} // namespace

std::vector<LeverAnswer> turning_changes(const Case& c, const Verdict& verdict, const Obtainables& obtainable) {
    std::vector<LeverAnswer> changes;
    for (const Phase phase : {Phase::decode, Phase::prefill}) {
        const State state = phase == Phase::decode ? verdict.decode : verdict.prefill;
        if (state == State::holds || state == State::unknown) continue;
        const std::vector<LeverAnswer> answers = levers(c, phase, obtainable);
        if (const LeverAnswer* best = cheapest(answers)) changes.push_back(*best);
    }
    return changes;
}

std::optional<bool> holds_after(const Case& c, const std::vector<LeverAnswer>& changes) {
    if (changes.empty()) return std::nullopt;
    Case altered = c;
    for (const LeverAnswer& change : changes) {
        double to = settled(change);
        // Both phases may turn the same lever: the further turn holds for both.
        for (const LeverAnswer& other : changes) {
            if (other.id != change.id) continue;
            to = change.rising ? std::max(to, settled(other)) : std::min(to, settled(other));
        }
        altered = with_lever(altered, change.id, to);
    }
    return evaluate(altered).verdict.overall == State::holds;
}

std::vector<const LeverAnswer*> ranked(const std::vector<LeverAnswer>& answers) {
    std::vector<const LeverAnswer*> list;
    for (const LeverAnswer& answer : answers) {
        if (answer.answer == Answer::found && answer.change) list.push_back(&answer);
    }
    std::stable_sort(list.begin(), list.end(), [](const LeverAnswer* a, const LeverAnswer* b) {
        return std::abs(*a->change) < std::abs(*b->change);
    });
    return list;
}

const LeverAnswer* cheapest(const std::vector<LeverAnswer>& answers) {
    const LeverAnswer* best = nullptr;
    double smallest = std::numeric_limits<double>::infinity();
    for (const LeverAnswer& answer : answers) {
        if (!is_advice(answer)) continue;
        const double change = std::abs(std::log(std::max(settled(answer), 1e-300) / *answer.current));
        if (change < smallest) {
            smallest = change;
            best = &answer;
        }
    }
    return best;
}

} // namespace spillway
