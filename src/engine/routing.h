// Reads of one routed layer from a locality's curve D(t). In: a Locality and the shape of a step. Out: experts touched
// and missed per layer. Residency outside [0, 1] is clamped; shapes must be in range. See docs/physics.md 6.1 to 6.4.
#pragma once

#include "inputs/locality.h"

namespace spillway {

// Miss fraction of single tokens with a share r of the experts kept; r outside [0, 1] is clamped.
double miss_fraction(const Locality& locality, double residency);

// Shape of one routed layer and of the step that runs on it.
struct RoutedStep {
    double experts = 0.0;   // E
    double active = 0.0;    // k
    double positions = 1.0; // n positions of each sequence in the step
    double sequences = 1.0; // b
};

// Distinct experts that the step touches in one layer: D(n), for b sequences E (1 - (1 - D(n)/E)^b).
double touched_experts(const Locality& locality, const RoutedStep& step);

// Experts per layer that the step must read with a share r of the experts kept by recency: D(tau + n) - D(tau)
// with D(tau) = r E; 0 at r >= 1. For n = 1, b = 1 this is k m(r).
double missed_experts(const Locality& locality, const RoutedStep& step, double residency);

} // namespace spillway
