#include "explore/break_even.h"

#include "explore/lever_search.h"
#include "explore/turned_case.h"

namespace spillway {

ResidencyLine residency_line(const Case& c) {
    ResidencyLine line;
    line.target = c.scenario.target_decode;
    TurnedCase turned(c, "scenario.residency");
    const auto estimate_at = [&turned](double residency) { return turned.estimate_at(residency); };
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
    const SearchResult found = search_lever(SearchRange{true, 0.0, 1.0, false}, line.target, speed);
    line.residency = found.value;
    // Where residency changes nothing, everything resident decides for all of the range.
    const bool same = found.answer == Answer::no_effect;
    line.answer = !same ? found.answer : *line.best >= line.target ? Answer::holds_everywhere : Answer::nowhere;
    if (line.answer == Answer::holds_everywhere) line.residency = 0.0;
    if (!line.residency) return line;
    line.miss_fraction = estimate_at(*line.residency).decode.miss_fraction;
    if (own.placement.expert_budget && *line.residency > 0.0) {
        line.expert_pool = *own.placement.expert_budget / *line.residency;
    }
    return line;
}

} // namespace spillway
