// Gathers the problems of a file up to a number that a person reads: a damaged table of a million tensors would
// otherwise give a million messages.
#pragma once

#include "io/problem.h"

#include <cstdint>
#include <string>
#include <utility>

namespace spillway {

class FewProblems {
public:
    explicit FewProblems(std::string file) : file_(std::move(file)) {}

    void add(std::string place, std::string message, std::string found = "", std::string expected = "") {
        if (++count_ > kShown) return;
        problems_.push_back({file_, std::move(place), std::move(found), std::move(expected), std::move(message)});
    }

    // Throws InputError with what was gathered and the number of those left out.
    void throw_if_any() const {
        if (count_ == 0) return;
        Problems problems = problems_;
        if (count_ > kShown) {
            problems.push_back({file_, "", "", "", std::to_string(count_ - kShown) + " more problems like these"});
        }
        throw InputError(std::move(problems));
    }

private:
    static constexpr std::uint64_t kShown = 20;
    std::string file_;
    Problems problems_;
    std::uint64_t count_ = 0;
};

} // namespace spillway
