// Miss curves of a trace, exactly and in one pass: LRU for every number of slots (per layer, and one cache over all
// layers), static hot sets in and out of sample, and D(t). Memory follows from the distinct experts and the longest
// window, not from the length of the trace.
#pragma once

#include "simulate/layer_steps.h"
#include "simulate/routes.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace spillway {

struct CurveOptions {
    RoutePhase phase = RoutePhase::decode; // whose lookups are counted; the cache sees all
    std::uint64_t step = 1;                // tokens per step in that phase; 0: all of a turn
    // Warm figures leave out the lookups of the first tokens. Nothing: the largest power of two that is at most half
    // of the tokens, which one pass can find without knowing the length.
    std::optional<std::uint64_t> warm;
    std::optional<std::uint32_t> experts;           // E, where the trace does not say it
    std::uint32_t longest_window = 4096;            // of D(t), in tokens; 0: no D(t)
    bool global = true;                             // whether one cache over all layers is looked at
    std::function<void(const LayerStep&)> observer; // sees every step, counted or not
};

// Lookups, and how many of them miss with 0, 1, 2, ... slots; as many slots as there are entries change nothing more.
struct MissCurve {
    std::uint64_t lookups = 0;
    std::vector<std::uint64_t> missed;

    // Linear between whole slots.
    double missed_with(double slots) const;
};

struct LayerCurves {
    std::uint32_t layer = 0;
    std::uint64_t tokens = 0; // of the counted phase
    std::uint64_t warm_after = 0;
    std::uint32_t distinct_experts = 0;
    MissCurve cold, warm;         // LRU
    MissCurve hot_inside;         // the experts that are used most, known in advance
    MissCurve hot_outside;        // those used most before the warm part, on the warm part
    std::vector<double> distinct; // D(1), D(2), ...
};

struct GlobalCurve {
    MissCurve cold, warm;
    std::uint32_t cycle = 0; // slots that one token's experts of all layers take; an LRU below it hits nothing
    std::optional<std::uint32_t> first_hit; // fewest slots with any hit
    std::uint32_t distinct_experts = 0;
};

struct TraceCurves {
    TraceInfo info;
    Malformed malformed;
    std::uint32_t experts = 0;    // E
    bool experts_stated = false;  // else the largest id seen + 1
    double top_k = 0.0;           // mean experts per token and layer
    std::uint64_t tokens = 0;     // most of any layer, in the counted phase
    std::uint64_t selections = 0; // in the counted phase
    std::uint64_t warm_after = 0; // tokens; of the layer with most tokens
    RoutePhase phase = RoutePhase::decode;
    std::uint64_t step = 1;
    std::vector<LayerCurves> layers; // ascending
    // Missing where it was not asked for, or where the trace is ordered by layer: tokens then pass in another order
    // than they did.
    std::optional<GlobalCurve> global;
    bool token_order = true;
};

// Reads the source to its end. A trace without routes of the counted phase gives no layers.
TraceCurves trace_curves(RouteSource& source, const CurveOptions& options);

// Miss fraction of a step of n tokens in an LRU of `slots`, by D(t): (D(tau + n) - D(tau)) / D(n), D(tau) = slots
// (docs/physics.md 11.2). Nothing if the windows were too short to tell. `distinct_experts` slots hold everything.
std::optional<double> miss_by_windows(std::span<const double> distinct, double slots, std::uint64_t step,
                                      std::uint32_t distinct_experts);

// What one residency gives, over all layers or in one. Slots per layer are residency x E, real; the global cache has
// residency x E x layers. Nothing where there is no lookup to count or nothing was measured.
struct CurvePoint {
    double residency = 0.0;
    double slots = 0.0;
    double uniform = 0.0; // 1 - r
    std::optional<double> cold, warm, by_windows, hot_inside, hot_outside, global_cold, global_warm;
    std::optional<double> belady; // filled by the caller, who has the trace at hand (replay.h)
};
CurvePoint curve_point(const TraceCurves& curves, double residency);
CurvePoint curve_point(const TraceCurves& curves, const LayerCurves& layer, double residency);

// D(1), D(2), ... averaged over the layers, as far as every layer's windows reach.
std::vector<double> mean_distinct(const TraceCurves& curves);

// Largest |by_windows - warm| over the residencies where both are known. D(t) is an average over the whole trace; the
// two differ where routing is not stationary (or the trace is short).
std::optional<double> window_difference(std::span<const CurvePoint> points);
// Above this a trace is called not stationary. Stationary synthetic traces of 20,000 tokens stay below 0.01.
inline constexpr double kStationaryDifference = 0.02;

} // namespace spillway
