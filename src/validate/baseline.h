// A stored summary of a validation, committed beside the tests, and what a change made worse. In: the file and a
// validation. Out: kinds whose errors grew beyond the margin, with the rows that moved.
#pragma once

#include "validate/validation.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>
#include <vector>

namespace spillway {

// Predicted over measured of every counted replay, by replay_key().
using StoredRatios = std::map<std::string, double>;

// {"format":1,"kind":"validation-baseline","kinds":[...],"ratios":{key: ratio}}: the kinds are for people who read the
// file's history, the ratios are what is compared. Six digits: enough for any margin, the same on every compiler.
nlohmann::ordered_json baseline_of(const Validation& validation);
// Throws InputError if the file is not a baseline: such a file must never let a change pass.
StoredRatios read_ratios(const std::string& path);

// An error may grow by this share of itself, or by half a point where it is small, before it counts as worse.
inline constexpr double kDefaultWorse = 0.05, kSmallChange = 0.005;

// Errors of one kind over the replays that both have.
struct WorseKind {
    std::string kind;
    std::size_t n = 0;
    double median_before = 0.0, median_now = 0.0, p90_before = 0.0, p90_now = 0.0;
};
// A replay whose error grew, or whose prediction is gone (`now` empty).
struct MovedRow {
    const Replay* replay = nullptr;
    double before = 0.0; // ratio
    std::optional<double> now;
};

struct BaselineComparison {
    std::vector<WorseKind> worse;
    std::vector<MovedRow> moved; // of worse kinds, most grown first; and those without a prediction now
    std::size_t compared = 0;    // replays
    std::size_t not_in_set = 0;  // stored, and now no row of the set (or not among those asked for)
    std::size_t not_stored = 0;  // counted now, and not stored
    bool is_worse() const { return !moved.empty() || !worse.empty(); }
};
BaselineComparison compare(const Validation& validation, const StoredRatios& stored, double max_worse);

} // namespace spillway
