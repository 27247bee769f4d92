// D(t) of one layer, exactly and in one pass: the mean number of distinct experts over all windows of t consecutive
// tokens of a sequence.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace spillway {

// A window misses an expert where it lies inside a gap between two uses. A gap of g tokens holds g - t + 1 windows of
// t tokens, so D(t) = E' - (sum over gaps of max(0, g - t + 1)) / windows, with E' the experts that occur and the gaps
// before the first and after the last use counted too (Xiang et al., "HOTL", 2013). One histogram of gap lengths
// serves all t. Memory: the histogram, up to `longest` tokens, and one number per expert.
class WindowCounter {
public:
    explicit WindowCounter(std::uint32_t longest) : gaps_(longest + 1U) {}

    // The experts of the next token.
    void add(std::span<const std::uint32_t> experts);
    // Windows do not reach over the end of a sequence.
    void end_sequence();

    // D(1), D(2), ... up to the longest window asked for or the longest sequence, whichever is less. Ends the
    // sequence first.
    std::vector<double> distinct();

private:
    void gap(std::uint64_t tokens) {
        if (tokens == 0) return;
        if (tokens < gaps_.size()) {
            ++gaps_[tokens];
        } else {
            ++long_gaps_;
            long_tokens_ += tokens;
        }
    }

    std::vector<std::uint64_t> gaps_; // by length
    std::uint64_t long_gaps_ = 0;     // longer than any window asked for, and their lengths added up
    std::uint64_t long_tokens_ = 0;
    std::vector<std::uint64_t> next_; // per expert: token after its last use in this sequence; 0: not used in it
    std::vector<std::uint64_t> ends_; // per sequence: its length
    std::uint64_t token_ = 0;
};

} // namespace spillway
