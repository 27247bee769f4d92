#include "simulate/tally.h"

#include "simulate/recency.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace spillway {

namespace {

std::uint64_t at_or_zero(std::span<const std::uint64_t> values, std::size_t i) {
    return i < values.size() ? values[i] : 0;
}

} // namespace

void Tally::count(std::uint32_t position) {
    if (position == kNeverUsed) {
        ++first_uses;
        return;
    }
    if (position >= hits.size()) hits.resize(position + 1U, 0);
    ++hits[position];
}

void Split::remember(std::uint64_t token, const Tally& tally) {
    if (fixed_) {
        if (!newer_) newer_ = Mark{token, tally};
        return;
    }
    older_ = std::move(newer_);
    newer_ = Mark{token, tally};
    next_ = std::bit_ceil(token + 1);
}

const Split::Mark* Split::mark(std::uint64_t tokens) const {
    if (fixed_) return newer_ ? &*newer_ : nullptr;
    if (newer_ && newer_->token * 2 <= tokens) return &*newer_;
    return older_ ? &*older_ : nullptr;
}

MissCurve lru_curve(const Tally& end, const Split::Mark* mark) {
    const Tally nothing;
    const Tally& before = mark ? mark->tally : nothing;
    MissCurve curve;
    curve.lookups = end.first_uses - before.first_uses;
    for (std::size_t i = 0; i < end.hits.size(); ++i) curve.lookups += end.hits[i] - at_or_zero(before.hits, i);
    // A lookup at distance d hits with more than d slots.
    curve.missed.push_back(curve.lookups);
    for (std::size_t i = 0; i < end.hits.size(); ++i) {
        curve.missed.push_back(curve.missed.back() - (end.hits[i] - at_or_zero(before.hits, i)));
    }
    return curve;
}

MissCurve hot_set_curve(std::span<const std::uint64_t> ranking, std::span<const std::uint64_t> counted,
                        std::span<const std::uint64_t> before) {
    std::vector<std::size_t> order(counted.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return at_or_zero(ranking, a) > at_or_zero(ranking, b); });
    MissCurve curve;
    for (std::size_t i = 0; i < counted.size(); ++i) curve.lookups += counted[i] - at_or_zero(before, i);
    curve.missed.push_back(curve.lookups);
    for (const std::size_t expert : order) {
        curve.missed.push_back(curve.missed.back() - (counted[expert] - at_or_zero(before, expert)));
    }
    return curve;
}

} // namespace spillway
