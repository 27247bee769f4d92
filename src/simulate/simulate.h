// Event simulation of decode and prefill: routes through a cache of experts and the drive's queue, on the engine's
// clock (step_costs.h). What the closed form takes as a mean - misses, reads in flight, what is hidden - happens here
// layer by layer (docs/physics.md 11.6).
//
// The room src/simulate: what routers did, and what a cache makes of it. In: a RouteSource (routes.h), for simulate()
// also a Case. Out: miss curves, fits, a Simulation. Three roads start at routes.h:
// - routes come from read_trace.h (readers.h, text_reader.h: one reader per family of formats) or synthetic.h (rng.h),
//   and layer_steps.h gathers them into what a cache sees;
// - curves of a trace: curves.h, over recency.h (stack distances), windows.h (D(t)) and tally.h (counts); then fit.h;
//   inspect.h is a summary without a cache;
// - time: simulate.cpp, the way top down: step_costs.h (seconds of a step from the engine's terms), token_groups.h
//   (routes that run together over all layers), run_groups.h (one group through cache, queue and clock), cache.h with
//   eviction_order.h, storage_queue.h. replay.h is a cache without a clock, for policies that know the future.
// Read first: routes.h, then the road in question.
#pragma once

#include "engine/routing.h"
#include "inputs/scenario.h"
#include "simulate/cache.h"
#include "simulate/routes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillway {

struct SimulationOptions {
    EvictionPolicy policy = EvictionPolicy::lru;
    CacheScope scope = CacheScope::per_layer;
    std::optional<std::uint32_t> slots; // per layer; nothing: the placement's, rounded down
    std::optional<std::uint64_t> warm;  // decode tokens that are not counted; nothing: a power of two up to half
    std::uint64_t seed = 1;             // guesses of the prefetch, random eviction
    // Compare with the closed form under the routes' own miss curve; else under uniform routing.
    bool measure_locality = true;
    std::uint32_t windows = 20; // of tok/s over time
};

// Means per decode step, in seconds. Their sum, less what overlap hid, is the step.
struct TimeSplit {
    double resident = 0.0; // computing, experts just read included
    double sync = 0.0;
    double waiting = 0.0; // for storage, lookup rows included
    double insertion = 0.0;
    double hidden = 0.0;
};

// Tokens per second over some decode steps, the cold ones included.
struct SpeedWindow {
    std::uint64_t first_token = 0;
    std::uint64_t tokens = 0;
    double start = 0.0; // seconds of decode before
    double tokens_per_second = 0.0;
    double hit_rate = 0.0;
};

// What the drive did in the counted part.
struct DriveFigures {
    double bytes = 0.0;       // read, wrong guesses included
    double utilisation = 0.0; // share of the time in which it was busy
    double queue_depth = 0.0; // mean reads waiting or in flight while it was busy
    double in_flight = 0.0;   // mean reads in flight while it was busy
};

struct DecodeSimulation {
    std::uint64_t tokens = 0; // of all whole steps; `positions` in each
    std::uint64_t warm_after = 0;
    std::uint64_t steps = 0; // counted
    double seconds = 0.0;    // of the counted steps
    double tokens_per_second = 0.0;
    double mean = 0.0, p50 = 0.0, p90 = 0.0, p99 = 0.0; // seconds per accepted token; nearest rank over steps
    std::uint64_t lookups = 0, hits = 0;
    double missed_bytes = 0.0;
    DriveFigures drive;
    TimeSplit split;
    std::vector<SpeedWindow> windows;
    std::optional<double> closed_tokens_per_second, closed_miss_fraction;

    double miss_fraction() const {
        return lookups == 0 ? 0.0 : static_cast<double>(lookups - hits) / static_cast<double>(lookups);
    }
};

// Prompts, chunk by chunk, the cache as the routes before left it. The very first chunk of all starts from an empty
// cache, which the closed form does not price (loading): the warm figures leave it out.
struct PrefillSimulation {
    std::uint64_t prompts = 0, chunks = 0, tokens = 0;
    std::uint64_t lookups = 0, hits = 0;
    double missed_bytes = 0.0;
    std::optional<double> seconds, tokens_per_second; // all chunks; empty where computing is unknown
    std::uint64_t warm_tokens = 0;
    std::optional<double> warm_tokens_per_second;
    std::optional<double> closed_tokens_per_second; // of the same chunks as the warm figure
    DriveFigures drive;                             // all chunks
};

struct Simulation {
    TraceInfo info;
    Malformed malformed;
    SimulationOptions options;
    std::string closed_locality; // which miss curve the closed form took
    std::uint32_t layers = 0;    // with experts
    std::uint32_t least_slots = 0, most_slots = 0;
    double placed_slots = 0.0; // of the first layer, before rounding
    double residency = 0.0;    // that the slots hold
    double positions = 1.0, accepted = 1.0;
    bool page_cache_left_out = false; // buffered reads: the page cache is not simulated
    bool later_pools = false;         // experts of several pools are priced at the placement's shares
    DecodeSimulation decode;
    std::optional<PrefillSimulation> prefill; // if there were prompt tokens
};

// Largest power of two that is at most half of the tokens: the warm-up where nobody says it.
std::uint64_t default_warm(std::uint64_t tokens);

// Reads the source to its end. Throws InputError where the routes are not the model's, or a step cannot be priced.
Simulation simulate(const Case& c, RouteSource& source, const SimulationOptions& options);

} // namespace spillway
