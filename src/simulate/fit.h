// From a miss curve to a locality profile: the exponent of m(r) = (1 - sqrt r)^a where that family fits, else a table.
// The points come from a trace's LRU curve or from an engine's own counters.
#pragma once

#include "inputs/locality.h"
#include "simulate/curves.h"
#include "simulate/read_trace.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spillway {

// Least squares in the miss fraction. The standard error follows from the residuals, so it says how well the family
// describes these points, not how far another workload may lie.
struct ExponentFit {
    double exponent = 1.0;
    std::optional<double> standard_error; // nothing with a single point or at the limit a = 1
    double rms_residual = 0.0;            // in miss fraction
    double largest_residual = 0.0;
    double largest_at = 0.0; // its residency
    bool at_limit = false;   // a = 1: the curve lies above the family
    std::size_t points = 0;

    bool good() const;
};
// Thresholds of a good fit: these are the deviations that change a speed by about as much as published miss curves of
// one model differ between workloads.
inline constexpr double kGoodRms = 0.02;
inline constexpr double kGoodLargest = 0.05;

// Points with 0 < r < 1 are used; without any there is no fit. 1 <= a <= 100, as in a profile.
std::optional<ExponentFit> fit_exponent(std::span<const MissPoint> points);

// Points of the overall LRU curve at the residencies a profile's table has: warm where there is a warm part, else cold.
struct MeasuredPoints {
    std::vector<MissPoint> points; // ascending, not rising
    // What the exponent is fitted to: every 5 % of residency from two tokens' experts per layer upwards. A cache of
    // less keeps hardly anything over a token, whatever the locality, which the family does not describe. For counters:
    // all points.
    std::vector<MissPoint> for_fit;
    bool warm = true;
    // Where measured points rose and were replaced by the mean of their neighbours; 0 for traces, whose LRU curves
    // cannot rise.
    std::size_t levelled = 0;
};
MeasuredPoints measured_points(const TraceCurves& curves);

// An engine's counters, rows residency,hits,misses; residency in (0, 1] or as "82.3 %". Throws InputError if there is
// no usable row; malformed ones are counted.
struct Counters {
    std::string name;
    MeasuredPoints measured;
    std::uint64_t lookups = 0;
    Malformed malformed;
};
Counters read_counters(const std::string& path);

// Points sorted by residency; those that rise are levelled to the mean weighted by `weights` (pool adjacent violators),
// since more slots do not miss more. Equal residencies are merged.
MeasuredPoints levelled_points(std::span<const MissPoint> points, std::span<const double> weights);

} // namespace spillway
