// The csv of the answers of `trace`: typed tables, unrounded.
#pragma once

#include "report/trace.h"

namespace spillway {

Table trace_data(const TraceInspection& answer);
Table trace_data(const TraceCurveAnswer& answer);
Table trace_data(const TraceFitAnswer& answer);

// Miss fraction that the fit says for a residency; empty without a fit.
std::optional<double> fitted_miss(const TraceFitAnswer& answer, double residency);

} // namespace spillway
