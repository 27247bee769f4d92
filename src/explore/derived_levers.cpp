#include "explore/derived_levers.h"

#include <algorithm>

namespace spillway {

namespace {

LeverAnswer derived(LeverId id, const LeverAnswer& line) {
    const LeverInfo& info = lever_info(id);
    LeverAnswer answer;
    answer.id = id;
    answer.phase = line.phase;
    answer.unit = info.unit;
    answer.rising = info.rising;
    answer.high = info.high;
    answer.derived = true;
    answer.answer = line.answer;
    answer.best = line.best;
    return answer;
}

} // namespace

void add_derived(const Case& c, const Estimate& own, const LeverAnswer& line, std::vector<LeverAnswer>& answers) {
    if (line.phase != Phase::decode) return;
    LeverAnswer miss = derived(LeverId::miss_fraction, line);
    LeverAnswer pool = derived(LeverId::expert_pool, line);
    LeverAnswer locality = derived(LeverId::locality, line);
    miss.current = own.decode.miss_fraction;
    if (own.placement.expert_pool) pool.current = own.placement.expert_pool->value;
    if (line.value && line.answer == Answer::found) {
        miss.value = evaluate(with_lever(c, LeverId::residency, *line.value)).decode.miss_fraction;
        if (own.placement.expert_budget) pool.value = own.placement.expert_budget->value / *line.value;
        if (own.placement.residency && miss.value && *miss.value > 0.0) {
            const double uniform = 1.0 - *own.placement.residency;
            locality.value = std::max(1.0, uniform / *miss.value);
            const auto& now = own.decode.miss_fraction;
            if (now && *now > 0.0) locality.current = uniform / *now;
        }
    }
    for (LeverAnswer* answer : {&miss, &pool, &locality}) {
        if (answer->value && answer->current && *answer->current != 0.0)
            answer->change = *answer->value / *answer->current - 1.0;
        answers.push_back(*answer);
    }
}

} // namespace spillway
