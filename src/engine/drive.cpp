#include "engine/drive.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace spillway {

namespace {

double power_law(double x, double x0, double y0, double x1, double y1) {
    if (x <= x0 || x1 <= x0) return y0;
    if (x >= x1) return y1;
    const double t = std::log(x / x0) / std::log(x1 / x0);
    return y0 * std::pow(y1 / y0, t);
}

// One row of the curve: points [first, last) of equal piece size, rising depth. The running maximum keeps the row
// monotone where a measured point dips below its neighbour by noise.
double row_rate(const std::vector<RatePoint>& curve, std::size_t first, std::size_t last, double in_flight) {
    double depth = curve[first].in_flight, rate = curve[first].rate.value;
    for (std::size_t i = first; i < last; ++i) {
        const double higher = std::max(rate, curve[i].rate.value);
        if (in_flight <= curve[i].in_flight) return power_law(in_flight, depth, rate, curve[i].in_flight, higher);
        depth = curve[i].in_flight;
        rate = higher;
    }
    return rate;
}

double curve_rate(const std::vector<RatePoint>& curve, double piece, double in_flight) {
    double lower_piece = 0.0, lower_rate = 0.0;
    for (std::size_t first = 0; first < curve.size();) {
        std::size_t last = first;
        while (last < curve.size() && curve[last].piece == curve[first].piece) ++last;
        const double row_piece = curve[first].piece.value;
        const double rate = std::max(lower_rate, row_rate(curve, first, last, in_flight));
        if (piece <= row_piece) {
            return lower_piece > 0.0 ? power_law(piece, lower_piece, lower_rate, row_piece, rate) : rate;
        }
        lower_piece = row_piece;
        lower_rate = rate;
        first = last;
    }
    return lower_rate;
}

double top_of(const std::vector<RatePoint>& curve) {
    double top = 0.0;
    for (const RatePoint& point : curve) top = std::max(top, point.rate.value);
    return top;
}

} // namespace

std::optional<BytesPerSecond> ceiling_rate(const Drive& drive) {
    if (drive.rate) return drive.rate;
    if (drive.curve.empty()) return std::nullopt;
    return BytesPerSecond(top_of(drive.curve));
}

std::optional<BytesPerSecond> read_rate(const Drive& drive, Bytes piece, double in_flight) {
    const std::optional<BytesPerSecond> ceiling = ceiling_rate(drive);
    if (!ceiling || drive.curve.empty()) return ceiling;
    const double scale = ceiling->value / top_of(drive.curve);
    return BytesPerSecond(std::min(ceiling->value, scale * curve_rate(drive.curve, piece.value, in_flight)));
}

} // namespace spillway
