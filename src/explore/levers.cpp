#include "explore/levers.h"

#include "explore/closed_form.h"
#include "explore/lever_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace spillway {

namespace {

struct LeverInfo {
    LeverId id;
    LeverUnit unit;
    bool rising;
    double low, high;
    bool logarithmic; // searched in the logarithm
    bool in_decode, in_prefill;
};

constexpr std::array<LeverInfo, 11> kLevers = {{
    {LeverId::residency, LeverUnit::ratio, true, 0.0, 1.0, false, true, true},
    {LeverId::expert_bits, LeverUnit::bits, false, 0.5, 32.0, true, true, true},
    {LeverId::expert_budget, LeverUnit::bytes, true, 1e6, 1e14, true, true, true},
    {LeverId::memory, LeverUnit::bytes, true, 1e9, 1e14, true, true, true},
    {LeverId::storage_rate, LeverUnit::bytes_per_second, true, 1e7, 1e12, true, true, true},
    {LeverId::memory_bandwidth, LeverUnit::bytes_per_second, true, 1e9, 1e14, true, true, true},
    {LeverId::resident_pass, LeverUnit::seconds, false, 1e-6, 10.0, true, true, false},
    {LeverId::top_k, LeverUnit::count, false, 1.0, 0.0, false, true, false}, // high: the model's own k
    {LeverId::compute_rate, LeverUnit::flops_per_second, true, 1e10, 1e17, true, false, true},
    {LeverId::link_rate, LeverUnit::bytes_per_second, true, 1e8, 1e12, true, true, true},
    {LeverId::chunk, LeverUnit::count, true, 32.0, 65536.0, true, false, true},
}};

double most_active(const Case& c) {
    double most = 1.0;
    for (const Block& block : c.model.blocks) {
        if (block.experts) most = std::max(most, static_cast<double>(block.experts->active));
    }
    return most;
}

// Writes the lever's value into a case that is the trial's own.
void turn(Case& c, LeverId id, double value) {
    Scenario& s = c.scenario;
    const auto only_force = [&s] {
        s.residency.reset();
        s.expert_budget.reset();
        s.residency_ranges.clear();
    };
    switch (id) {
    case LeverId::residency:
        only_force();
        s.residency = value;
        return;
    case LeverId::expert_budget:
        only_force();
        s.expert_budget = Bytes(value);
        return;
    case LeverId::expert_bits: {
        const double scale = value / *c.quantization.experts;
        c.quantization.experts = value;
        if (c.quantization.experts_down) c.quantization.experts_down = *c.quantization.experts_down * scale;
        return;
    }
    case LeverId::memory: {
        MemoryPool& pool = c.machine.memory.front();
        if (Bytes(value) > pool.capacity) pool.capacity = Bytes(value);
        pool.usable = Bytes(value);
        return;
    }
    case LeverId::storage_rate: c.machine.storage.front().rate = BytesPerSecond(value); return;
    case LeverId::memory_bandwidth: c.machine.memory.front().bandwidth = BytesPerSecond(value); return;
    case LeverId::resident_pass: s.resident_pass = Seconds(value); return;
    case LeverId::top_k: s.active_experts = value; return;
    case LeverId::compute_rate: c.machine.compute.rate = FlopsPerSecond(value); return;
    case LeverId::link_rate: c.machine.links.front().rate = BytesPerSecond(value); return;
    case LeverId::chunk: s.chunk = std::round(value); return;
    case LeverId::drop_drafter: s.positions = s.accepted = 1.0; return;
    case LeverId::miss_fraction:
    case LeverId::expert_pool:
    case LeverId::locality: return; // derived: no input of their own
    }
}

// The value in the case; empty if unknown or if the machine has no such thing.
std::optional<double> current_value(const Case& c, const Estimate& own, LeverId id) {
    const auto number = [](const auto& q) { return q ? std::optional(q->value) : std::nullopt; };
    switch (id) {
    case LeverId::residency: return own.placement.residency;
    case LeverId::expert_budget: return number(own.placement.expert_budget);
    case LeverId::expert_bits: return c.quantization.experts;
    case LeverId::memory: return number(c.machine.memory.front().usable);
    case LeverId::storage_rate:
        return c.machine.storage.empty() ? std::nullopt : number(c.machine.storage.front().rate);
    case LeverId::memory_bandwidth: return number(c.machine.memory.front().bandwidth);
    case LeverId::resident_pass: return number(own.decode.resident);
    case LeverId::top_k: return c.scenario.active_experts.value_or(most_active(c));
    case LeverId::compute_rate: return number(c.machine.compute.rate);
    case LeverId::link_rate: return c.machine.links.empty() ? std::nullopt : number(c.machine.links.front().rate);
    case LeverId::chunk: return c.scenario.chunk.value_or(c.scenario.runtime.micro_batch);
    default: return std::nullopt;
    }
}

// Whether the case has what the lever turns.
bool applies(const Case& c, const Estimate& own, LeverId id) {
    const bool experts = own.placement.sizes.moe_layers > 0.0;
    switch (id) {
    case LeverId::residency:
    case LeverId::expert_budget:
    case LeverId::top_k: return experts;
    case LeverId::expert_bits: return experts && c.quantization.experts;
    case LeverId::storage_rate: return !c.machine.storage.empty();
    case LeverId::link_rate: return !c.machine.links.empty() && c.machine.memory.size() > 1;
    default: return true;
    }
}

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

bool is_forced(const Case& c, LeverId id, Phase phase) {
    const Scenario& s = c.scenario;
    const bool placement = s.residency || s.expert_budget;
    if (id == LeverId::memory) return placement;
    if (id == LeverId::memory_bandwidth)
        return phase == Phase::decode ? s.resident_pass.has_value() : s.prefill_compute.has_value();
    if (id == LeverId::compute_rate) return s.prefill_compute.has_value();
    return false;
}

void add_step(const std::vector<RealStep>& steps, LeverAnswer& answer) {
    if (!answer.value || answer.answer != Answer::found) return;
    for (const RealStep& step : steps) {
        const bool meets = answer.rising ? step.value >= *answer.value : step.value <= *answer.value;
        const bool nearer =
            !answer.step_value || (answer.rising ? step.value < *answer.step_value : step.value > *answer.step_value);
        if (!meets || !nearer) continue;
        answer.step = step.name;
        answer.step_value = step.value;
    }
}

void finish(const Case& c, const RealSteps& steps, LeverAnswer& answer) {
    answer.forced = answer.answer == Answer::no_effect && is_forced(c, answer.id, answer.phase);
    if (answer.value && answer.unit == LeverUnit::count) {
        answer.whole = answer.rising ? std::ceil(*answer.value) : std::floor(*answer.value);
    }
    if (answer.value && answer.current && *answer.current != 0.0) answer.change = *answer.value / *answer.current - 1.0;
    if (answer.id == LeverId::expert_bits) add_step(steps.formats, answer);
    if (answer.id == LeverId::storage_rate) add_step(steps.drives, answer);
    if (answer.id == LeverId::memory) add_step(steps.memory_sizes, answer);
}

LeverAnswer derived(LeverId id, LeverUnit unit, const LeverAnswer& line) {
    LeverAnswer answer;
    answer.id = id;
    answer.phase = line.phase;
    answer.unit = unit;
    answer.derived = true;
    answer.answer = line.answer;
    answer.best = line.best;
    return answer;
}

// Miss fraction, expert pool and locality factor at the residency line.
void add_derived(const Case& c, const Estimate& own, const LeverAnswer& line, std::vector<LeverAnswer>& answers) {
    if (line.phase != Phase::decode) return;
    LeverAnswer miss = derived(LeverId::miss_fraction, LeverUnit::ratio, line);
    LeverAnswer pool = derived(LeverId::expert_pool, LeverUnit::bytes, line);
    LeverAnswer locality = derived(LeverId::locality, LeverUnit::factor, line);
    miss.rising = pool.rising = false;
    miss.high = 1.0;
    miss.current = own.decode.miss_fraction;
    if (own.placement.expert_pool) pool.current = own.placement.expert_pool->value;
    if (line.value && line.answer == Answer::found) {
        miss.value = evaluate(with_lever(c, LeverId::residency, *line.value)).decode.miss_fraction;
        if (own.placement.expert_budget) pool.value = own.placement.expert_budget->value / *line.value;
        if (own.placement.residency && miss.value && *miss.value > 0.0) {
            locality.value = std::max(1.0, (1.0 - *own.placement.residency) / *miss.value);
            if (own.decode.miss_fraction && *own.decode.miss_fraction > 0.0) {
                locality.current = (1.0 - *own.placement.residency) / *own.decode.miss_fraction;
            }
        }
    }
    for (LeverAnswer* answer : {&miss, &pool, &locality}) {
        if (answer->value && answer->current && *answer->current != 0.0)
            answer->change = *answer->value / *answer->current - 1.0;
        answers.push_back(*answer);
    }
}

LeverAnswer drop_drafter(const Case& c, const Estimate& own, Phase phase) {
    LeverAnswer answer;
    answer.id = LeverId::drop_drafter;
    answer.phase = phase;
    answer.unit = LeverUnit::count;
    answer.current = own.placement.sizes.drafter ? 1.0 : 0.0;
    answer.best = speed_of(evaluate(with_lever(c, LeverId::drop_drafter, 0.0)), phase);
    if (answer.best) answer.answer = *answer.best >= target_of(c, phase) ? Answer::found : Answer::nowhere;
    if (answer.answer == Answer::found) {
        answer.value = 0.0;
        answer.change = -1.0;
    }
    return answer;
}

} // namespace

Case with_lever(const Case& c, LeverId id, double value) {
    Case altered = c;
    altered.alternatives.clear();
    turn(altered, id, value);
    return altered;
}

std::vector<LeverAnswer> levers(const Case& c, Phase phase, const RealSteps& steps) {
    std::vector<LeverAnswer> answers;
    const Estimate own = evaluate(c);
    const bool fits = own.placement.fits.value_or(true);
    const std::optional<double> own_speed = speed_of(own, phase);
    for (LeverInfo info : kLevers) {
        if (!(phase == Phase::decode ? info.in_decode : info.in_prefill)) continue;
        if (info.id == LeverId::link_rate && !applies(c, own, info.id)) continue;
        if (info.id == LeverId::top_k) info.high = most_active(c);
        LeverAnswer answer;
        answer.id = info.id;
        answer.phase = phase;
        answer.unit = info.unit;
        answer.rising = info.rising;
        answer.low = info.low;
        answer.high = info.high;
        answer.current = current_value(c, own, info.id);
        // Forcing a residency or budget would hide a part that does not fit.
        const bool hides = !fits && (info.id == LeverId::residency || info.id == LeverId::expert_budget);
        if (!applies(c, own, info.id) || hides) {
            answer.answer = hides ? Answer::nowhere : Answer::no_effect;
        } else {
            Case trial = c;
            trial.alternatives.clear();
            const SearchResult found = search_lever({info.rising, info.low, info.high, info.logarithmic},
                                                    target_of(c, phase), [&](double value) {
                                                        Case altered = trial;
                                                        turn(altered, info.id, value);
                                                        return speed_of(evaluate(altered), phase);
                                                    });
            answer.answer = found.answer;
            answer.value = found.value;
            if (found.best && *found.best < kNoTime) answer.best = found.best;
        }
        finish(c, steps, answer);
        answer.holds_now = own_speed && *own_speed >= target_of(c, phase);
        answers.push_back(answer);
        if (info.id == LeverId::residency) add_derived(c, own, answer, answers);
    }
    if (c.scenario.positions > 1.0) answers.push_back(drop_drafter(c, own, phase));
    return answers;
}

std::vector<LeverAnswer> turning_changes(const Case& c, const Verdict& verdict, const RealSteps& steps) {
    std::vector<LeverAnswer> changes;
    for (const Phase phase : {Phase::decode, Phase::prefill}) {
        const State state = phase == Phase::decode ? verdict.decode : verdict.prefill;
        if (state == State::holds || state == State::unknown) continue;
        const std::vector<LeverAnswer> answers = levers(c, phase, steps);
        if (const LeverAnswer* best = cheapest(answers)) changes.push_back(*best);
    }
    return changes;
}

std::optional<bool> holds_after(const Case& c, const std::vector<LeverAnswer>& changes) {
    if (changes.empty()) return std::nullopt;
    const auto value_of = [](const LeverAnswer& a) { return a.step_value.value_or(a.whole.value_or(*a.value)); };
    Case altered = c;
    for (const LeverAnswer& change : changes) {
        double to = value_of(change);
        // Both phases may turn the same lever: the further turn holds for both.
        for (const LeverAnswer& other : changes) {
            if (other.id != change.id) continue;
            to = change.rising ? std::max(to, value_of(other)) : std::min(to, value_of(other));
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
        if (answer.holds_now || answer.answer != Answer::found || answer.derived || !answer.current ||
            *answer.current <= 0.0)
            continue;
        // A residency or budget is a consequence of memory and bits, not something that can be changed as such.
        if (answer.id == LeverId::residency || answer.id == LeverId::expert_budget ||
            answer.id == LeverId::resident_pass)
            continue;
        const double value = answer.step_value.value_or(answer.whole.value_or(*answer.value));
        const double change = std::abs(std::log(std::max(value, 1e-300) / *answer.current));
        if (change < smallest) {
            smallest = change;
            best = &answer;
        }
    }
    return best;
}

std::optional<double> closed_form_residency(const Case& c) {
    const std::optional<ClosedForm> form = closed_form(c);
    return form ? std::optional(form->residency) : std::nullopt;
}

} // namespace spillway
