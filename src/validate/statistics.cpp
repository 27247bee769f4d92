#include "validate/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace spillway {

double percentile(const std::vector<double>& sorted, double share) {
    assert(!sorted.empty());
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
}

Spread spread_of(const std::vector<SpeedPair>& pairs) {
    Spread spread;
    spread.n = pairs.size();
    if (pairs.empty()) return spread;
    std::vector<double> ratios, errors;
    for (const SpeedPair& pair : pairs) {
        ratios.push_back(pair.predicted / pair.measured);
        errors.push_back(std::abs(ratios.back() - 1.0));
    }
    std::sort(ratios.begin(), ratios.end());
    std::sort(errors.begin(), errors.end());
    spread.ratio_p10 = percentile(ratios, 0.1);
    spread.ratio_median = percentile(ratios, 0.5);
    spread.ratio_p90 = percentile(ratios, 0.9);
    spread.error_median = percentile(errors, 0.5);
    spread.error_p90 = percentile(errors, 0.9);
    return spread;
}

std::optional<double> PairOrder::share() const {
    return n > 0 ? std::optional(static_cast<double>(right) / static_cast<double>(n)) : std::nullopt;
}

// Sorted by place and measured speed, so that only pairs of one place meet, the slower one first.
PairOrder order_of(std::vector<SpeedPair> pairs) {
    std::sort(pairs.begin(), pairs.end(), [](const SpeedPair& a, const SpeedPair& b) {
        return a.place != b.place ? a.place < b.place : a.measured < b.measured;
    });
    PairOrder order;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        for (std::size_t j = i + 1; j < pairs.size() && pairs[j].place == pairs[i].place; ++j) {
            if (pairs[j].measured <= kClearDifference * pairs[i].measured) continue;
            ++order.n;
            if (pairs[j].predicted > pairs[i].predicted) ++order.right;
        }
    }
    return order;
}

std::optional<double> Agreement::share() const {
    return n > 0 ? std::optional(1.0 - static_cast<double>(false_holds + false_fails) / static_cast<double>(n))
                 : std::nullopt;
}

Agreement agreement_of(const std::vector<SpeedPair>& pairs, double threshold) {
    Agreement agreement;
    agreement.n = pairs.size();
    for (const SpeedPair& pair : pairs) {
        const bool holds = pair.measured >= threshold, said = pair.predicted >= threshold;
        if (said && !holds) ++agreement.false_holds;
        if (holds && !said) ++agreement.false_fails;
    }
    return agreement;
}

} // namespace spillway
