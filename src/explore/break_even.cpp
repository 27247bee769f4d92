#include "break_even.h"

namespace spillway {

std::optional<double> first_reaching(const std::function<std::optional<double>(double)>& speed, double target,
                                     double low, double high) {
    const std::optional<double> at_low = speed(low), at_high = speed(high);
    if (!at_low || !at_high || *at_high < target) return std::nullopt;
    if (*at_low >= target) return low;
    // 200 halvings end at neighbouring doubles; `high` always meets the target.
    for (int i = 0; i < 200; ++i) {
        const double middle = low + (high - low) / 2.0;
        if (middle <= low || middle >= high) break;
        const std::optional<double> at_middle = speed(middle);
        if (!at_middle) return std::nullopt;
        (*at_middle >= target ? high : low) = middle;
    }
    return high;
}

ResidencyLine residency_line(const Case& c) {
    ResidencyLine line;
    line.target = c.scenario.target_decode;
    Case trial = c;
    trial.alternatives.clear();
    trial.scenario.expert_budget.reset();
    trial.scenario.residency_ranges.clear();
    const auto estimate_at = [&](double residency) {
        trial.scenario.residency = residency;
        return evaluate(trial);
    };
    const Estimate own = evaluate(c);
    if (own.placement.fits && !*own.placement.fits) return line; // forcing a residency would hide what does not fit
    const Estimate full = estimate_at(1.0), none = estimate_at(0.0);
    line.best = full.decode.tokens_per_second;
    if (full.placement.sizes.moe_layers <= 0.0) {
        line.answer = Answer::no_effect;
        return line;
    }
    if (!line.best || !none.decode.tokens_per_second) return line;
    const auto speed = [&](double residency) { return estimate_at(residency).decode.tokens_per_second; };
    line.residency = first_reaching(speed, line.target, 0.0, 1.0);
    if (!line.residency) {
        line.answer = Answer::nowhere;
        return line;
    }
    line.answer = *line.residency <= 0.0 ? Answer::holds_everywhere : Answer::found;
    line.miss_fraction = estimate_at(*line.residency).decode.miss_fraction;
    if (own.placement.expert_budget && *line.residency > 0.0) {
        line.expert_pool = *own.placement.expert_budget / *line.residency;
    }
    return line;
}

} // namespace spillway
