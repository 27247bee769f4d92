// The estimator: placement, then decode and prefill, then the verdict. This is the program; everything else feeds or
// prints it.
#include "engine/estimate.h"

#include "engine/placement.h"
#include "engine/timing.h"
#include "engine/verdict.h"

namespace spillway {

Estimate evaluate(const Case& c) {
    Estimate e;
    e.placement = place(c);
    if (e.placement.fits.value_or(true) && e.placement.residency) {
        e.decode = decode_timing(c, e.placement, c.scenario.locality);
        e.prefill = prefill_timing(c, e.placement);
        if (e.prefill.total && e.decode.step) e.prefill.time_to_first_token = *e.prefill.total + *e.decode.step;
        for (const Locality& measured : c.alternatives) {
            const Decode decode = decode_timing(c, e.placement, measured);
            e.alternatives.add({decode.tokens_per_second, decode.miss_fraction});
        }
    }
    e.placement.load = load_time(c, e.placement);
    e.cost_ratio = storage_cost_ratio(c);
    e.verdict = judge(c, e);
    e.notes = notes(c, e);
    return e;
}

} // namespace spillway
