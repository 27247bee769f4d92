#include "explore/lever_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace spillway {

namespace {

constexpr std::size_t kGrid = 48;

using Speed = std::function<std::optional<double>(double)>;

// The value at a share t of the way from the slow end to the fast one.
double at(const SearchRange& range, double t) {
    const double x = range.rising ? t : 1.0 - t;
    if (!range.logarithmic) return range.low + x * (range.high - range.low);
    return range.low * std::pow(range.high / range.low, x);
}

double grid_value(const SearchRange& range, std::size_t i) {
    return at(range, static_cast<double>(i) / static_cast<double>(kGrid));
}

double bisect(const Speed& speed, double slow, double fast, double target) {
    for (int i = 0; i < 200; ++i) {
        const double middle = slow + (fast - slow) / 2.0;
        if (middle == slow || middle == fast) break;
        const std::optional<double> here = speed(middle);
        (here && *here >= target ? fast : slow) = middle;
    }
    return fast;
}

} // namespace

SearchResult search_lever(const SearchRange& range, double target, const Speed& speed) {
    SearchResult result;
    std::array<std::optional<double>, kGrid + 1> speeds;
    double lowest = std::numeric_limits<double>::infinity(), highest = 0.0;
    std::size_t known = 0;
    for (std::size_t i = 0; i <= kGrid; ++i) {
        speeds[i] = speed(grid_value(range, i));
        if (!speeds[i]) continue;
        ++known;
        lowest = std::min(lowest, *speeds[i]);
        highest = std::max(highest, *speeds[i]);
    }
    if (known == 0) return result;
    result.best = highest;
    const bool all_known = known == kGrid + 1;
    if (all_known && highest - lowest <= 1e-12 * highest) {
        result.answer = Answer::no_effect;
    } else if (highest < target) {
        result.answer = Answer::nowhere;
    } else if (all_known && lowest >= target) {
        result.answer = Answer::holds_everywhere;
        result.value = grid_value(range, 0);
    } else {
        // What lies before the first point that meets the target does not, or does not fit.
        std::size_t first = 0;
        while (!speeds[first] || *speeds[first] < target) ++first;
        result.answer = Answer::found;
        result.value = first == 0 ? grid_value(range, 0)
                                  : bisect(speed, grid_value(range, first - 1), grid_value(range, first), target);
    }
    return result;
}

} // namespace spillway
