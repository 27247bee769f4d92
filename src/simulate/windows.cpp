#include "simulate/windows.h"

#include <algorithm>
#include <numeric>

namespace spillway {

void WindowCounter::add(std::span<const std::uint32_t> experts) {
    for (const std::uint32_t expert : experts) {
        if (expert >= next_.size()) {
            // An expert that occurs for the first time was absent from all earlier sequences.
            const std::size_t added = expert + 1U - next_.size();
            for (const std::uint64_t tokens : ends_) {
                for (std::size_t i = 0; i < added; ++i) gap(tokens);
            }
            next_.resize(expert + 1U, 0);
        }
        gap(token_ - next_[expert]);
        next_[expert] = token_ + 1;
    }
    ++token_;
}

void WindowCounter::end_sequence() {
    if (token_ == 0) return;
    for (std::uint64_t& next : next_) {
        gap(token_ - next);
        next = 0;
    }
    ends_.push_back(token_);
    token_ = 0;
}

std::vector<double> WindowCounter::distinct() {
    end_sequence();
    std::vector<double> result;
    if (ends_.empty()) return result;
    std::vector<std::uint64_t> lengths = ends_;
    std::sort(lengths.begin(), lengths.end());
    const auto experts = static_cast<double>(next_.size());
    // Running down from the longest window: gaps of at least t tokens, and the windows inside them.
    const std::uint64_t longest = gaps_.size() - 1;
    std::uint64_t count = long_gaps_;
    std::uint64_t inside = long_tokens_ - long_gaps_ * longest; // sum of g - t over gaps > longest, t = longest
    std::uint64_t sequences = 0, sequence_tokens = 0;
    auto sequence = lengths.rbegin();
    const std::uint64_t most = std::min<std::uint64_t>(longest, lengths.back());
    result.resize(most);
    for (std::uint64_t t = longest; t >= 1; --t) {
        count += gaps_[t];
        inside += count; // sum of g - t + 1 over gaps >= t
        for (; sequence != lengths.rend() && *sequence >= t; ++sequence) {
            ++sequences;
            sequence_tokens += *sequence;
        }
        const std::uint64_t windows = sequence_tokens + sequences - sequences * t;
        if (t <= most) result[t - 1] = experts - static_cast<double>(inside) / static_cast<double>(windows);
    }
    return result;
}

} // namespace spillway
