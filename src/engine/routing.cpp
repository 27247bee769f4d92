#include "engine/routing.h"

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

double table_miss(const std::vector<MissPoint>& points, double r) {
    // Linear through (0, 1), the points and (1, m(1)); a last point at r = 1 above 0 is a cold floor.
    MissPoint left{0.0, 1.0};
    for (const MissPoint& right : points) {
        if (r <= right.residency) {
            const double width = right.residency - left.residency;
            if (width <= 0.0) return right.miss_fraction;
            return left.miss_fraction + (right.miss_fraction - left.miss_fraction) * (r - left.residency) / width;
        }
        left = right;
    }
    const double width = 1.0 - left.residency;
    return width <= 0.0 ? left.miss_fraction : left.miss_fraction * (1.0 - r) / width;
}

// D(t + n) from D(t) = start, by D(t+1) = D(t) + k m(D(t)/E); exact for whole n, linear for the remainder. The
// uniform curve has the closed form E - (E - start) (1 - k/E)^n, also at real n.
double advance(const Locality& locality, const RoutedStep& step, double start, double n) {
    const double experts = step.experts;
    if (locality.kind == LocalityKind::uniform) {
        if (n == 1.0) return start + (experts - start) * step.active / experts;
        return experts - (experts - start) * std::pow(1.0 - step.active / experts, n);
    }
    double touched = start;
    for (double left = n; left > 0.0; left -= 1.0) {
        const double grown = step.active * miss_fraction(locality, touched / experts);
        if (grown <= 1e-12 * experts) break;
        touched += grown * std::min(left, 1.0);
    }
    return std::min(touched, experts);
}

// The union over b independent sequences that each touch `one` of E experts, and its inverse.
double union_over(double experts, double one, double sequences) {
    if (sequences == 1.0) return one;
    return experts * (1.0 - std::pow(1.0 - one / experts, sequences));
}
double share_of_one(double experts, double all, double sequences) {
    if (sequences == 1.0) return all;
    return experts * (1.0 - std::pow(std::max(0.0, 1.0 - all / experts), 1.0 / sequences));
}

} // namespace

double miss_fraction(const Locality& locality, double residency) {
    const double r = std::clamp(residency, 0.0, 1.0);
    switch (locality.kind) {
    case LocalityKind::uniform: return 1.0 - r;
    case LocalityKind::fitted: return std::pow(1.0 - std::sqrt(r), locality.exponent);
    case LocalityKind::table: return table_miss(locality.points, r);
    }
    return 1.0 - r;
}

double touched_experts(const Locality& locality, const RoutedStep& step) {
    return union_over(step.experts, advance(locality, step, 0.0, step.positions), step.sequences);
}

double missed_experts(const Locality& locality, const RoutedStep& step, double residency) {
    if (residency >= 1.0) return 0.0;
    const double kept = std::max(0.0, residency) * step.experts;
    const double one = share_of_one(step.experts, kept, step.sequences);
    const double after = advance(locality, step, one, step.positions);
    return std::max(0.0, union_over(step.experts, after, step.sequences) - kept);
}

} // namespace spillway
