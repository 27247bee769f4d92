// The estimator: placement, then decode and prefill, then the verdict. This is the program; everything else feeds or
// prints it.
#include "engine/estimate.h"

#include "engine/drive_figures.h"

namespace spillway {

namespace {

// Decode under the measured localities beside the scenario's own; a stated hit rate leaves a curve nothing to say.
Alternatives alternatives(const PlacedCase& placed) {
    Alternatives list;
    if (states_misses(placed.c.scenario)) return list;
    for (const Locality& measured : placed.c.alternatives) {
        const Decode decode = decode_timing(placed, measured);
        list.add({decode.tokens_per_second, decode.miss_fraction});
    }
    return list;
}

} // namespace

Estimate evaluate(const Case& c, const Sizes& sizes) {
    Estimate e;
    e.placement = place(c, sizes);
    if (e.placement.fits.value_or(true) && e.placement.residency) {
        const PlacedCase placed{c, sizes, e.placement};
        e.decode = decode_timing(placed, c.scenario.locality);
        e.prefill = prefill_timing(placed);
        if (e.prefill.total && e.decode.step) e.prefill.time_to_first_token = *e.prefill.total + *e.decode.step;
        e.alternatives = alternatives(placed);
    }
    e.placement.load = load_time(c, e.placement);
    e.cost_ratio = storage_cost_ratio(c.machine);
    const Computed computed{e.placement, e.decode, e.prefill, e.alternatives};
    e.verdict = judge(c.scenario, computed);
    e.notes = notes(c, computed);
    return e;
}

Estimate evaluate(const Case& c) { return evaluate(c, sizes_of(c.model, c.quantization)); }

} // namespace spillway
