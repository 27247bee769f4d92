// What a report shows: its JSON, and the document that every other format prints. Both are made from the same struct,
// so that no format can say something else than another.
//
// The room src/report: results as text, pages and JSON. In: structs of engine/, explore/ and simulate/. Out: strings;
// nothing is computed here but sums, differences and rounding. docs/json.md has every name of the JSON.
// Read first: this file, document.h and report_document.cpp (a builder), print_text.cpp (a printer), then json.cpp.
// names.h, notes.h and levers.h put codes into words, figures.h rounds, views.h holds what several builders show,
// explain.h the arithmetic. Every other kind of answer has a header of its own: break_even.h, sensitivity.h, compare.h,
// gate.h, sweep.h, simulation.h, trace.h, audit.h.
#pragma once

#include "engine/estimate.h"
#include "explore/break_even.h"
#include "explore/levers.h"
#include "explore/residency_curve.h"
#include "explore/sensitivity.h"
#include "io/load_case.h"
#include "report/document.h"
#include "validate/nearest.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace spillway {

// One case and everything that was found out about it. `line` and `influences` may be left at their initial values:
// the report then says that they are unknown, or leaves them out.
struct Report {
    const LoadedCase& loaded;
    Estimate estimate;
    ResidencyLine line;
    std::vector<Influence> influences;
    std::string version;
    std::vector<LeverAnswer> changes = {};                     // smallest change of one input per phase that fails
    std::optional<ResidencyCurve> curve = std::nullopt;        // speed over residency, for charts and JSON
    std::optional<std::vector<NearRun>> nearby = std::nullopt; // what others measured; empty: no measured set at hand
};

// The report as text, markdown and html show it; csv has every number of its JSON, one per row.
Document report_document(const Report& report, bool explain = false);

// The contract of docs/json.md: base units, unrounded, null for what is unknown or not reached. Numbers that
// are not finite cannot occur: they become null. "explain" is there only if asked for.
nlohmann::ordered_json report_json(const Report& report, bool explain = false);

} // namespace spillway
