// How a report rounds: speeds to three significant digits, shares to a tenth of a per cent, memory in GB so that parts
// and total can be compared. Nothing here is exact; the JSON is.
#pragma once

#include "inputs/quantity.h"

#include <string>

namespace spillway {

// `value` with so many significant digits, never in powers of ten between 1e-9 and 1e12; whole from 10^digits on.
std::string significant(double value, int digits);

// Tokens per second with three significant digits, without unit. With a target, as many more digits as it takes to see
// on which side of the target it lies.
std::string speed(double tokens_per_second);
std::string speed(double tokens_per_second, double target);

// "74.4 %" of a share between 0 and 1. What rounds to all or nothing without being it is "> 99.9 %" or "< 0.1 %".
std::string percent(double share);
// Rounded up or down to a tenth of a per cent, for limits that have to be met.
std::string percent_at_least(double share);
std::string percent_at_most(double share);

// Number of GB for a column of memory sizes: 237.5, 9.85, 1234; small sizes keep a significant digit.
std::string gb_number(Bytes bytes);
// The same with its unit, and rounded down for limits.
std::string gb(Bytes bytes);
std::string gb_at_most(Bytes bytes);

// A count: whole where it is whole, else one decimal.
std::string count(double value);

// A relative effect with its sign: "+0.85 %".
std::string effect(double per_percent);

} // namespace spillway
