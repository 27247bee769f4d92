// The break-even chart: decode speed over residency for the case's own routing, uniform and measured ones, with the
// target, the residency that meets it, and the case itself.
#pragma once

#include "explore/residency_curve.h"
#include "report/svg.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace spillway {

// The points behind the chart, unrounded, for "break_even.curve" of the JSON: every number that the chart shows.
nlohmann::ordered_json curve_json(const ResidencyCurve& curve);

// Whether there is something to draw: a line with a known speed.
bool has_chart(const ResidencyCurve& curve);

// The chart, 720 units wide or 380 if `narrow`. Needs has_chart().
LineChart residency_chart(const ResidencyCurve& curve, bool narrow);

// The chart in both widths with its legend, as HTML; why there is none otherwise.
std::string residency_figure(const ResidencyCurve& curve);

// Speeds at some residencies, among them the case's own and the break-even one, for those who cannot hover.
std::string residency_table(const ResidencyCurve& curve);

} // namespace spillway
