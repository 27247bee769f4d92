#include "engine/verdict.h"

namespace spillway {

namespace {

State decode_state(const Scenario& s, const Computed& e) {
    const double target = s.target_decode;
    if (e.placement.fits && !*e.placement.fits) return State::fails;
    if (!e.decode.tokens_per_second) {
        const bool bound_fails = e.decode.full_overlap && *e.decode.full_overlap < target;
        return bound_fails ? State::fails : State::unknown;
    }
    if (*e.decode.tokens_per_second >= target) return State::holds;
    for (const Alternative& a : e.alternatives) {
        if (a.tokens_per_second && *a.tokens_per_second >= target) return State::depends;
    }
    return State::fails;
}

State prefill_state(const Scenario& s, const Computed& e) {
    const double target = s.target_prefill;
    if (e.placement.fits && !*e.placement.fits) return State::fails;
    if (e.prefill.tokens_per_second) return *e.prefill.tokens_per_second >= target ? State::holds : State::fails;
    if (e.prefill.total) return State::holds; // nothing takes time: not limited by storage
    if (e.prefill.storage_limit && *e.prefill.storage_limit < target) return State::fails;
    return State::unknown;
}

State worse(State a, State b) {
    for (const State state : {State::fails, State::unknown, State::depends}) {
        if (a == state || b == state) return state;
    }
    return State::holds;
}

std::optional<double> shortfall(std::optional<double> speed, double target) {
    return speed && *speed < target ? std::optional(target - *speed) : std::nullopt;
}

} // namespace

Verdict judge(const Scenario& s, const Computed& e) {
    Verdict v;
    v.decode = decode_state(s, e);
    v.prefill = prefill_state(s, e);
    v.overall = worse(v.decode, v.prefill);
    v.decode_shortfall = shortfall(e.decode.tokens_per_second, s.target_decode);
    v.prefill_shortfall = shortfall(e.prefill.tokens_per_second, s.target_prefill);
    return v;
}

} // namespace spillway
