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
    const Placement placement = place(c, sizes);
    const PlacedCase placed{c, sizes, placement};
    const bool priced = placement.fits.value_or(true) && placement.residency;
    // Made in place: a sweep does this a million times.
    Estimate e{.placement = placement,
               .decode = priced ? decode_timing(placed, c.scenario.locality) : Decode{},
               .prefill = priced ? prefill_timing(placed) : Prefill{}};
    if (e.prefill.total && e.decode.step) e.prefill.time_to_first_token = *e.prefill.total + *e.decode.step;
    if (priced) e.alternatives = alternatives(placed);
    e.placement.load = load_time(c, e.placement);
    e.cost_ratio = storage_cost_ratio(c.machine);
    const Computed computed{e.placement, e.decode, e.prefill, e.alternatives};
    e.verdict = judge(c.scenario, computed);
    e.notes = notes(c, computed);
    return e;
}

Estimate evaluate(const Case& c) { return evaluate(c, sizes_of(c.model, c.quantization)); }

} // namespace spillway
