// Conditions on the figures of a row: `decode.tokens_per_second>=10 and (verdict.overall==holds or not
// prefill.limit==storage)`.
#pragma once

#include "explore/figures_of.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// A condition as a small tree. A comparison with an unknown figure is false, whatever the operator.
class Where {
public:
    // `problem` says what is wrong and what to write instead; empty if the text is a condition.
    static Where parse(std::string_view text, std::string& problem);
    bool holds(const Estimate& estimate) const;

private:
    enum class Kind { always, both, either, negated, number, word };
    enum class Compare { less, at_most, equal, not_equal, at_least, greater };
    struct Node {
        Kind kind = Kind::always;
        Compare compare = Compare::equal;
        const Figure* figure = nullptr;
        double number = 0.0;
        std::string word;
        std::size_t first = 0, second = 0;
    };
    bool holds(std::size_t node, const Estimate& estimate) const;
    friend class WhereParser;
    std::vector<Node> nodes_;
    std::size_t root_ = 0;
};

} // namespace spillway
