// Decode speed over residency, for the chart beside the break-even line: evaluate() with the residency forced at each
// point, so that the chart can never disagree with the report.
#pragma once

#include "engine/estimate.h"
#include "explore/break_even.h"

#include <optional>
#include <string>
#include <vector>

namespace spillway {

struct CurveSpeed {
    double residency = 0.0;
    std::optional<double> tokens_per_second; // per sequence
    std::optional<double> miss_fraction;
};

// One routing locality over the whole range.
struct LocalityCurve {
    std::string locality;
    bool own = false;     // the scenario's
    bool uniform = false; // the worst stationary case
    std::vector<CurveSpeed> points;
};

struct ResidencyCurve {
    double target = 0.0;              // tok/s
    ResidencyLine line;               // break-even under the case's own locality
    std::optional<double> residency;  // of the case itself
    std::optional<double> speed;      // tok/s of the case itself
    std::vector<LocalityCurve> lines; // the case's own locality, uniform, then the measured alternatives, each once
};

// About 60 residencies from 0 to 1, the same for every line, denser near 1 where speed rises most; the case's own and
// the break-even residency are among them. No lines if the model has no routed experts, or if what must lie beside the
// experts does not fit: a forced residency would hide that.
ResidencyCurve residency_curve(const Case& c, const ResidencyLine& line);

} // namespace spillway
