// Which inputs move the answer: relative change of decode and prefill speed per relative change of each input, by
// evaluating the altered case.
#pragma once

#include "engine/estimate.h"

#include <optional>
#include <string>
#include <vector>

namespace spillway {

// One input. A value of -0.8 says: 1 % more of it costs 0.8 % of the speed.
struct Influence {
    std::string path;
    double value = 0.0; // base units
    std::optional<double> decode;
    std::optional<double> prefill;
};

// All numeric inputs of the case that change decode or prefill, sorted by the larger of the two effects. Inputs that
// are unknown or zero, and those that have no effect, are left out. Count fields that must be whole are moved by one.
std::vector<Influence> influences(const Case& c);

// Something a person buys or chooses by the piece, and the tok/s it adds.
struct Purchase {
    std::string unit; // "+1 GB/s", "+16 GiB", "-0.5 bit"
    std::string path;
    std::optional<double> decode, prefill;
};

// +1 GB/s of drive, +16 GiB of each memory pool, +100 GB/s of the first pool's bandwidth, -0.5 bit per expert weight,
// +1 GB/s of link; those that the case has, sorted by what they add to decode.
std::vector<Purchase> purchases(const Case& c);

} // namespace spillway
