// Counts of one layer or of one global cache while a trace goes by, with what they were at an earlier token, so that
// the part after it (the warm part) is known without a second pass.
#pragma once

#include "simulate/curves.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace spillway {

// All counts grow only, so a later state less an earlier one is what happened between them.
struct Tally {
    std::vector<std::uint64_t> hits;    // counted lookups by stack distance
    std::uint64_t first_uses = 0;       // counted lookups of what was never used
    std::vector<std::uint64_t> counted; // counted lookups by expert
    std::vector<std::uint64_t> all;     // all lookups by expert

    void count(std::uint32_t position);
};

// Remembers the tally at a given token, or at the two latest powers of two: one of these is at most half of the
// length, however long the trace turns out to be.
class Split {
public:
    explicit Split(std::optional<std::uint64_t> fixed) : fixed_(fixed), next_(fixed.value_or(1)) {}

    // Called before the lookups of a counted step that begins with this token.
    void pass(std::uint64_t token, const Tally& tally) {
        if (token >= next_) remember(token, tally);
    }
    struct Mark {
        std::uint64_t token = 0;
        Tally tally;
    };
    // The mark for a trace of so many tokens; none if it was not reached.
    const Mark* mark(std::uint64_t tokens) const;

private:
    void remember(std::uint64_t token, const Tally& tally);

    std::optional<std::uint64_t> fixed_;
    std::uint64_t next_;
    std::optional<Mark> older_, newer_;
};

// LRU misses by slots, less those up to the mark (if any).
MissCurve lru_curve(const Tally& end, const Split::Mark* mark);

// Misses of the c most used experts, for all c: chosen by `ranking`, counted over `counted` less `before`.
MissCurve hot_set_curve(std::span<const std::uint64_t> ranking, std::span<const std::uint64_t> counted,
                        std::span<const std::uint64_t> before);

} // namespace spillway
