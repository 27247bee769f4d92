// The break-even chart: decode speed over residency for the case's own routing, uniform and measured ones, with the
// target, the residency that meets it, and the case itself.
#pragma once

#include "explore/residency_curve.h"
#include "report/document.h"

#include <nlohmann/json_fwd.hpp>

namespace spillway {

// The points behind the chart, unrounded, for "break_even.curve" of the JSON: every number that the chart shows.
nlohmann::ordered_json curve_json(const ResidencyCurve& curve);

// The chart. Needs a line with a known speed.
LineChart residency_chart(const ResidencyCurve& curve);

// The chart with its legend and a table of some of its points; why there is none where no speed is known. Nothing
// without curves.
void add_residency_curve(const ResidencyCurve& curve, DocumentSection& section);

} // namespace spillway
