// How well predicted speeds meet measured ones: spread of ratios and errors, order of pairs, agreement of verdicts. In:
// pairs of speeds. Out: plain numbers; nothing here knows of models or machines.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace spillway {

// One prediction beside its measurement, both above 0 and in the same unit. Pairs are ordered within one `place`.
struct SpeedPair {
    std::string_view place;
    double measured = 0.0, predicted = 0.0;
};

// The value below which a share of the sorted values lies, interpolated between neighbours; 0 and 1 are the ends.
double percentile(const std::vector<double>& sorted, double share);

// Ratios are predicted over measured; errors are their distance from 1.
struct Spread {
    std::size_t n = 0;
    double ratio_p10 = 0.0, ratio_median = 0.0, ratio_p90 = 0.0;
    double error_median = 0.0, error_p90 = 0.0;
};
Spread spread_of(const std::vector<SpeedPair>& pairs);

// Of two runs at one place whose measured speeds differ by over 10 %, is the faster one predicted to be faster?
inline constexpr double kClearDifference = 1.1;
struct PairOrder {
    std::size_t n = 0, right = 0;
    std::optional<double> share() const;
};
PairOrder order_of(std::vector<SpeedPair> pairs);

// Whether predicted and measured speed are on the same side of a threshold; a speed at it holds.
struct Agreement {
    std::size_t n = 0, false_holds = 0, false_fails = 0;
    std::optional<double> share() const;
};
Agreement agreement_of(const std::vector<SpeedPair>& pairs, double threshold);

} // namespace spillway
