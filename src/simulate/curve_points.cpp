// Values at given residencies, read off the curves of a trace.
#include "simulate/curves.h"

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

// D at a real number of tokens: linear between whole ones, D(0) = 0. Only up to the longest window.
double distinct_at(std::span<const double> distinct, double tokens) {
    const auto below = static_cast<std::size_t>(tokens);
    const double at = below == 0 ? 0.0 : distinct[below - 1];
    if (below >= distinct.size()) return at;
    return at + (distinct[below] - at) * (tokens - static_cast<double>(below));
}

// Adds up misses and lookups; unknown as soon as one part is.
struct Sum {
    double missed = 0.0;
    double lookups = 0.0;
    bool known = true;

    void add(const MissCurve& curve, double slots) {
        missed += curve.missed_with(slots);
        lookups += static_cast<double>(curve.lookups);
    }
    void add(std::optional<double> fraction, double weight) {
        known = known && fraction.has_value();
        missed += fraction.value_or(0.0) * weight;
        lookups += weight;
    }
    std::optional<double> fraction() const {
        if (!known || lookups == 0.0) return std::nullopt;
        return missed / lookups;
    }
};

struct Sums {
    Sum cold, warm, by_windows, hot_inside, hot_outside;

    void add(const LayerCurves& layer, double slots, std::uint64_t step) {
        cold.add(layer.cold, slots);
        warm.add(layer.warm, slots);
        hot_inside.add(layer.hot_inside, slots);
        hot_outside.add(layer.hot_outside, slots);
        // Weighted as the warm figure is, so that the two can be compared.
        const auto weight = static_cast<double>(layer.warm.lookups > 0 ? layer.warm.lookups : layer.cold.lookups);
        if (weight > 0.0) by_windows.add(miss_by_windows(layer.distinct, slots, step, layer.distinct_experts), weight);
    }
};

CurvePoint point_of(const TraceCurves& curves, std::span<const LayerCurves> layers, double residency) {
    CurvePoint point;
    point.residency = residency;
    point.slots = residency * curves.experts;
    point.uniform = 1.0 - residency;
    Sums sums;
    for (const LayerCurves& layer : layers) sums.add(layer, point.slots, curves.step);
    point.cold = sums.cold.fraction();
    point.warm = sums.warm.fraction();
    point.by_windows = sums.by_windows.fraction();
    point.hot_inside = sums.hot_inside.fraction();
    point.hot_outside = sums.hot_outside.fraction();
    return point;
}

} // namespace

std::optional<double> miss_by_windows(std::span<const double> distinct, double slots, std::uint64_t step,
                                      std::uint32_t distinct_experts) {
    if (step == 0 || distinct.size() < step) return std::nullopt;
    if (slots >= distinct_experts) return 0.0;
    // tau with D(tau) = slots; D rises, but not strictly.
    const auto above = std::upper_bound(distinct.begin(), distinct.end(), slots);
    if (above == distinct.end()) return std::nullopt;
    const auto whole = static_cast<std::size_t>(above - distinct.begin());
    const double from = whole == 0 ? 0.0 : distinct[whole - 1];
    const double tau = static_cast<double>(whole) + (std::max(0.0, slots) - from) / (*above - from);
    const double end = tau + static_cast<double>(step);
    if (end > static_cast<double>(distinct.size())) return std::nullopt;
    return (distinct_at(distinct, end) - std::max(0.0, slots)) / distinct[step - 1];
}

CurvePoint curve_point(const TraceCurves& curves, double residency) {
    CurvePoint point = point_of(curves, curves.layers, residency);
    if (curves.global) {
        const double slots = point.slots * static_cast<double>(curves.layers.size());
        Sum cold, warm;
        cold.add(curves.global->cold, slots);
        warm.add(curves.global->warm, slots);
        point.global_cold = cold.fraction();
        point.global_warm = warm.fraction();
    }
    return point;
}

CurvePoint curve_point(const TraceCurves& curves, const LayerCurves& layer, double residency) {
    return point_of(curves, std::span(&layer, 1), residency);
}

std::vector<double> mean_distinct(const TraceCurves& curves) {
    if (curves.layers.empty()) return {};
    std::vector<double> mean = curves.layers.front().distinct;
    for (std::size_t i = 1; i < curves.layers.size(); ++i) {
        const std::vector<double>& layer = curves.layers[i].distinct;
        mean.resize(std::min(mean.size(), layer.size()));
        for (std::size_t t = 0; t < mean.size(); ++t) mean[t] += layer[t];
    }
    for (double& value : mean) value /= static_cast<double>(curves.layers.size());
    return mean;
}

std::optional<double> window_difference(std::span<const CurvePoint> points) {
    std::optional<double> most;
    for (const CurvePoint& point : points) {
        if (!point.by_windows || !point.warm) continue;
        most = std::max(most.value_or(0.0), std::abs(*point.by_windows - *point.warm));
    }
    return most;
}

} // namespace spillway
