#include "simulate/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace spillway {

namespace {

constexpr double kLeastExponent = 1.0;
constexpr double kMostExponent = 100.0;

double family(double r, double a) { return std::pow(1.0 - std::sqrt(r), a); }

double squares(std::span<const MissPoint> points, double a) {
    double sum = 0.0;
    for (const MissPoint& p : points) {
        const double residual = p.miss_fraction - family(p.residency, a);
        sum += residual * residual;
    }
    return sum;
}

// The sum of squares has one minimum in log a for curves between 0 and 1; golden section needs no derivative.
double best_exponent(std::span<const MissPoint> points) {
    constexpr double golden = 0.6180339887498949;
    constexpr int steps = 80; // 0.618^80 of the range: below 1e-15
    double low = std::log(kLeastExponent), high = std::log(kMostExponent);
    for (int i = 0; i < steps; ++i) {
        const double left = high - golden * (high - low), right = low + golden * (high - low);
        if (squares(points, std::exp(left)) < squares(points, std::exp(right))) {
            high = right;
        } else {
            low = left;
        }
    }
    return std::exp(0.5 * (low + high));
}

} // namespace

bool ExponentFit::good() const { return !at_limit && rms_residual <= kGoodRms && largest_residual <= kGoodLargest; }

std::optional<ExponentFit> fit_exponent(std::span<const MissPoint> all) {
    std::vector<MissPoint> points;
    for (const MissPoint& p : all) {
        if (p.residency > 0.0 && p.residency < 1.0) points.push_back(p);
    }
    if (points.empty()) return std::nullopt;
    ExponentFit fit;
    fit.points = points.size();
    fit.exponent = best_exponent(points);
    fit.at_limit = fit.exponent < kLeastExponent + 1e-6;
    double slopes = 0.0;
    for (const MissPoint& p : points) {
        const double value = family(p.residency, fit.exponent);
        const double slope = value * std::log(1.0 - std::sqrt(p.residency)); // dm/da
        slopes += slope * slope;
        const double residual = std::abs(p.miss_fraction - value);
        if (residual < fit.largest_residual) continue;
        fit.largest_residual = residual;
        fit.largest_at = p.residency;
    }
    const double sum = squares(points, fit.exponent);
    const auto n = static_cast<double>(points.size());
    fit.rms_residual = std::sqrt(sum / n);
    if (points.size() > 1 && !fit.at_limit && slopes > 0.0) fit.standard_error = std::sqrt(sum / (n - 1.0) / slopes);
    return fit;
}

MeasuredPoints measured_points(const TraceCurves& curves) {
    // Dense where curves bend; the warm floor at r = 1 belongs to the table.
    constexpr std::array residencies = {1.0 / 64, 1.0 / 32, 1.0 / 16, 3.0 / 32, 1.0 / 8, 3.0 / 16, 1.0 / 4, 5.0 / 16,
                                        3.0 / 8,  1.0 / 2,  5.0 / 8,  3.0 / 4,  7.0 / 8, 0.9,      0.95,    1.0};
    MeasuredPoints measured;
    measured.warm = curve_point(curves, 1.0).warm.has_value();
    const auto add = [&](std::vector<MissPoint>& points, double r) {
        const CurvePoint point = curve_point(curves, r);
        const std::optional<double> miss = measured.warm ? point.warm : point.cold;
        if (miss) points.push_back({r, *miss});
    };
    for (const double r : residencies) add(measured.points, r);
    for (int i = 1; i < 20; ++i) {
        if (i * curves.experts >= 40.0 * curves.top_k) add(measured.for_fit, i / 20.0);
    }
    return measured;
}

MeasuredPoints levelled_points(std::span<const MissPoint> points, std::span<const double> weights) {
    struct Block {
        double weight, missed;
        std::vector<double> residencies;
        double miss() const { return missed / weight; }
    };
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return points[a].residency < points[b].residency; });
    MeasuredPoints result;
    std::vector<Block> blocks;
    for (const std::size_t i : order) {
        const double r = points[i].residency;
        const bool same = !blocks.empty() && blocks.back().residencies.back() == r;
        Block block{weights[i], weights[i] * points[i].miss_fraction, {r}};
        if (same) {
            blocks.back().weight += block.weight;
            blocks.back().missed += block.missed;
        } else {
            blocks.push_back(block);
        }
        while (blocks.size() > 1 && blocks[blocks.size() - 2].miss() < blocks.back().miss()) {
            const Block last = blocks.back();
            blocks.pop_back();
            blocks.back().weight += last.weight;
            blocks.back().missed += last.missed;
            blocks.back().residencies.insert(blocks.back().residencies.end(), last.residencies.begin(),
                                             last.residencies.end());
        }
    }
    for (const Block& block : blocks) {
        if (block.residencies.size() > 1) result.levelled += block.residencies.size();
        for (const double r : block.residencies) result.points.push_back({r, block.miss()});
    }
    result.for_fit = result.points;
    return result;
}

} // namespace spillway
