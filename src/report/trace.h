// What `trace inspect`, `trace curve` and `trace fit` answer, and one writer per format. All writers of an answer take
// the same struct. Synthetic routing is labelled in every one of them.
#pragma once

#include "simulate/curves.h"
#include "simulate/fit.h"
#include "simulate/inspect.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillway {

// One global LRU of so many bytes, from cold, prompt included, with the experts' own sizes.
struct BudgetReplay {
    std::uint64_t budget_bytes = 0;
    std::uint64_t hits = 0;
    std::uint64_t lookups = 0;
    std::uint64_t missed_bytes = 0;
};

struct TraceCurveAnswer {
    TraceCurves curves;
    std::vector<CurvePoint> points; // at the residencies asked for
    std::vector<BudgetReplay> budgets;
    std::string version;
};

struct TraceInspection {
    TraceShape shape;
    std::string version;
};

struct TraceFitAnswer {
    std::string name; // of the trace or of the counters
    bool synthetic = false;
    bool counters = false;
    Malformed malformed;
    MeasuredPoints measured;
    std::optional<ExponentFit> fit; // nothing without a point between 0 and 1
    Locality profile;               // what --profile writes
    std::string profile_file;       // empty: none was written
    std::string version;
};

struct TraceTextOptions {
    bool color = false;
    int width = 80;
};

std::string trace_text(const TraceInspection& answer, const TraceTextOptions& options);
std::string trace_text(const TraceCurveAnswer& answer, const TraceTextOptions& options);
std::string trace_text(const TraceFitAnswer& answer, const TraceTextOptions& options);

nlohmann::ordered_json trace_json(const TraceInspection& answer);
nlohmann::ordered_json trace_json(const TraceCurveAnswer& answer);
nlohmann::ordered_json trace_json(const TraceFitAnswer& answer);

// Tables with one header row; shares between 0 and 1, unrounded; unknown is empty. The column `routing` says synthetic
// or trace (counters for an engine's counters).
std::string trace_csv(const TraceInspection& answer);  // a row per layer
std::string trace_csv(const TraceCurveAnswer& answer); // a row per residency, overall and by layer
std::string trace_csv(const TraceFitAnswer& answer);   // the points, measured and fitted

// A page of its own: the plot as inline SVG and the table; no scripts, light and dark.
std::string trace_html(const TraceCurveAnswer& answer);

} // namespace spillway
