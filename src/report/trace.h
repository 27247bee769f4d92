// What `trace inspect`, `trace curve` and `trace fit` answer: documents and JSON. Synthetic routing is labelled in
// every format.
#pragma once

#include "report/document.h"
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

// csv: shares between 0 and 1, unrounded; unknown is empty. The column `routing` says synthetic or trace (counters for
// an engine's counters).
Document trace_document(const TraceInspection& answer);  // csv: a row per layer
Document trace_document(const TraceCurveAnswer& answer); // csv: a row per residency, overall and by layer
Document trace_document(const TraceFitAnswer& answer);   // csv: the points, measured and fitted

nlohmann::ordered_json trace_json(const TraceInspection& answer);
nlohmann::ordered_json trace_json(const TraceCurveAnswer& answer);
nlohmann::ordered_json trace_json(const TraceFitAnswer& answer);

} // namespace spillway
