#include "calibrate/loss.h"

#include <cmath>

namespace spillway {

namespace {

constexpr double kHuber = 1.345, kCauchy = 2.385; // 95 % efficiency under a normal law

} // namespace

double cost(Loss loss, double r) {
    const double size = std::abs(r);
    if (loss == Loss::huber && size > kHuber) return kHuber * (size - 0.5 * kHuber);
    if (loss == Loss::cauchy) return 0.5 * kCauchy * kCauchy * std::log1p(r * r / (kCauchy * kCauchy));
    return 0.5 * r * r;
}

double weight(Loss loss, double r) {
    const double size = std::abs(r);
    if (loss == Loss::huber) return size <= kHuber ? 1.0 : kHuber / size;
    if (loss == Loss::cauchy) return 1.0 / (1.0 + r * r / (kCauchy * kCauchy));
    return 1.0;
}

double influence_slope(Loss loss, double r) {
    if (loss == Loss::huber) return std::abs(r) <= kHuber ? 1.0 : 0.0;
    if (loss == Loss::cauchy) {
        const double square = r * r / (kCauchy * kCauchy);
        return (1.0 - square) / ((1.0 + square) * (1.0 + square));
    }
    return 1.0;
}

} // namespace spillway
