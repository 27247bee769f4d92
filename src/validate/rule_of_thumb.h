// The rule of thumb that an estimate has to beat: what people compute on an envelope. A rival, not an estimator: no
// command predicts with it, it stands beside evaluate()'s figures in statistics of measured runs and nowhere else.
// In: a case and its estimate, of which only bytes and parameters are used. Out: tokens per second per sequence.
#pragma once

#include "engine/estimate.h"

#include <optional>

namespace spillway {

// Shares of rated bandwidth and of rated FLOP/s that serve as the rule, whatever the machine and engine.
inline constexpr double kThumbBandwidthShare = 0.55;
inline constexpr double kThumbComputeShare = 0.4;

// 0.55 x rated bandwidth / weight bytes read per token, summed over the pools that hold them; plus missed bytes / drive
// rate. Empty for blocks of drafted tokens and for batches, where no such rule is about, and where a rate is unknown.
std::optional<double> thumb_decode(const Case& c, const Estimate& e);

// 0.4 x rated FLOP/s / (2 x parameters per token). Empty where weights lie outside the first pool, or are read from the
// drive, and where the rating is unknown.
std::optional<double> thumb_prefill(const Case& c, const Estimate& e);

} // namespace spillway
