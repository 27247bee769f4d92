// What can be turned to meet a target: one row a lever. In: nothing. Out: for each lever the input that it turns, by
// its path of --set, with unit, range, phases, names, and what of it can be had.
#pragma once

#include "engine/estimate.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

enum class Phase { decode, prefill };

// How a lever's value is shown; the numbers are in base units.
enum class LeverUnit { ratio, bytes, bytes_per_second, seconds, flops_per_second, bits, count, factor, number };

enum class LeverId {
    residency,
    miss_fraction,
    expert_pool,
    locality,
    expert_bits,
    expert_budget,
    memory,
    storage_rate,
    memory_bandwidth,
    resident_pass,
    top_k,
    compute_rate,
    link_rate,
    chunk,
    drop_drafter,
    input // any other numeric input, by its path
};

// Things that can be had, by lever: a name and its value in base units.
struct Obtainable {
    std::string name;
    double value = 0.0;
};
struct Obtainables {
    std::vector<Obtainable> formats;      // bits per expert weight
    std::vector<Obtainable> drives;       // read rates
    std::vector<Obtainable> memory_sizes; // usable memory of the first pool in the machine's family
};

// The value in the case where that is not what the input holds; empty if unknown.
using CurrentValue = std::optional<double> (*)(const Case&, const Estimate&);
// Whether the scenario forces what the lever would change.
using IsForced = bool (*)(const Scenario&, Phase);

struct LeverInfo {
    LeverId id;
    std::string_view code, label; // in JSON, in text
    std::string_view fixed;       // what it holds fixed, for people
    LeverUnit unit;
    bool rising;           // more of it is faster
    std::string_view path; // the input that it turns; empty: it follows from the residency line, or has no number
    double low, high;      // range searched
    bool logarithmic;      // searched in the logarithm
    bool in_decode, in_prefill;
    bool needs_experts; // without routed experts it has no effect
    bool advised;       // can be changed as such; a residency is a consequence of memory and bits
    CurrentValue current = nullptr;
    IsForced forced = nullptr;
    std::vector<Obtainable> Obtainables::*obtainable = nullptr;
};

// The rows, in the order of LeverId, `input` left out.
inline constexpr std::size_t kLeverCount = static_cast<std::size_t>(LeverId::input);
const std::array<LeverInfo, kLeverCount>& lever_table();
const LeverInfo& lever_info(LeverId id); // not of `input`

// The largest top-k of the model's layers, at least 1.
double most_active(const Case& c);

} // namespace spillway
