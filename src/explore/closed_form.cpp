#include "explore/closed_form.h"

#include "explore/levers.h"

namespace spillway {

std::optional<ClosedForm> closed_form(const Case& c) {
    const Scenario& s = c.scenario;
    const Runtime& r = s.runtime;
    const bool plain = s.locality.kind == LocalityKind::uniform && s.positions == 1.0 && s.sequences == 1.0 &&
                       c.machine.memory.size() == 1 && !c.machine.storage.empty() &&
                       c.machine.storage.front().curve.empty() && r.overlap_decode == 0.0 &&
                       r.prefetch_lookahead == 0.0 && !r.t_sync && !r.insertion_rate &&
                       r.read_path != ReadPath::buffered && !s.calibration_decode;
    if (!plain || !c.machine.storage.front().rate) return std::nullopt;
    const Estimate own = evaluate(with_lever(c, LeverId::residency, 1.0));
    if (!own.decode.step || !own.decode.expert_bytes_per_token || own.decode.expert_bytes_per_token->value <= 0.0)
        return std::nullopt;
    ClosedForm form;
    form.token = Seconds(1.0 / s.target_decode);
    form.resident = *own.decode.step;
    form.left = form.token - form.resident;
    form.rate = r.realised_share * *c.machine.storage.front().rate;
    form.readable = form.left * form.rate;
    form.needed = *own.decode.expert_bytes_per_token;
    form.miss_fraction = form.readable / form.needed;
    form.residency = 1.0 - form.miss_fraction;
    return form.residency >= 0.0 && form.residency <= 1.0 ? std::optional(form) : std::nullopt;
}

} // namespace spillway
