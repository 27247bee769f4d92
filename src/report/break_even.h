// What `break-even` answers: for each lever the value that meets the target.
#pragma once

#include "explore/closed_form.h"
#include "explore/levers.h"
#include "explore/residency_curve.h"
#include "io/load_case.h"
#include "report/document.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace spillway {

struct BreakEvenAnswer {
    const LoadedCase& loaded;
    std::vector<LeverAnswer> decode, prefill;
    std::optional<double> closed_form;                  // residency
    std::optional<ResidencyCurve> curve = std::nullopt; // for the chart
    std::string version;
};

// With `explain`, the residency line step by step.
Document break_even_document(const BreakEvenAnswer& answer, bool explain = false);

nlohmann::ordered_json break_even_json(const BreakEvenAnswer& answer);

} // namespace spillway
