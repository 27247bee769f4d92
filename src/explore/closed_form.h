// The residency line of the article in closed form, step by step: what break-even explains, and what its search is
// checked against. Every figure is taken from evaluate() with everything resident.
#pragma once

#include "engine/estimate.h"

#include <optional>

namespace spillway {

// r* = 1 - (1/target - t_resident - t_lookup) x rate / bytes per token.
struct ClosedForm {
    Seconds token;       // 1 / target
    Seconds resident;    // the step with everything resident, lookup rows included
    Seconds left;        // for reading
    BytesPerSecond rate; // realised, of a flat drive
    Bytes readable;      // in the time that is left
    Bytes needed;        // expert bytes per token
    double miss_fraction = 0.0;
    double residency = 0.0;
};

// Empty where it does not apply (it needs uniform routing, one pool, a flat drive, one position and sequence, and no
// overlap, prefetch, page cache, insertion or fixed time per miss) or where the line lies outside [0, 1].
std::optional<ClosedForm> closed_form(const Case& c);

} // namespace spillway
