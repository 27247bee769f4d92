// Where a step finds the experts that it touches in one layer: which of them each pool serves, which the page cache,
// which are missed. In: a placed case, a locality, the shape of the step. Out: experts per layer.
// See docs/physics.md 4.3 and 6.3.
#pragma once

#include "engine/routing.h"
#include "engine/traffic.h"

#include <array>

namespace spillway {

// Experts of one layer that a step needs. `beyond[i]` is what pools 0..i do not serve.
struct LayerReads {
    double touched = 0.0;
    std::array<double, kMaxPools> beyond{};
    double after_page_cache = 0.0;
};

class ExpertReads {
public:
    ExpertReads(const PlacedCase& placed, const Locality& locality, const StepShape& step);

    // Recomputed only when shape or residency differ from the last block's: most models have one expert shape.
    const LayerReads& of(const Block& block);

private:
    // Experts that a memory holding the share r does not serve. A cache follows use; what was placed at load serves
    // its share of bytes, and so does any memory in prefill, where the chunk touches what it touches.
    double beyond(double share) const;
    void compute(double residency);
    RoutedStep routed_step(const Block& block) const;
    std::optional<double> stated_miss_fraction() const;
    void serve_as_stated(double miss_fraction);

    PlacedCase placed_;
    const Locality& locality_;
    StepShape step_;
    RoutedStep last_{};
    double residency_ = -1.0;
    LayerReads reads_;
    std::optional<double> stated_; // miss fraction of a decode step, where the scenario states it
};

} // namespace spillway
