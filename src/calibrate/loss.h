// How a row counts in a fit by how far off it is. In: a residual in units of the scale. Out: its weight and the slope
// of its influence. huber and cauchy are tuned to 95 % efficiency under a normal law.
#pragma once

#include "inputs/fields.h"

#include <array>
#include <string_view>

namespace spillway {

enum class Loss { squares, huber, cauchy };
template <>
struct EnumNames<Loss> {
    static constexpr std::array<std::string_view, 3> names = {"squares", "huber", "cauchy"};
};

// Contribution to the cost; half the square for squares.
double cost(Loss loss, double r);
double weight(Loss loss, double r);
// Derivative of the influence r x weight.
double influence_slope(Loss loss, double r);

} // namespace spillway
