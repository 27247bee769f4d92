// What a fit found, and what it cannot say: a document for people and JSON from one struct.
#pragma once

#include "calibrate/fit.h"
#include "calibrate/leave_out.h"
#include "calibrate/lines.h"
#include "calibrate/next_run.h"
#include "report/document.h"
#include "text/field_value.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace spillway {

struct FitReport {
    Fit fit;
    std::vector<Line> lines;
    std::vector<NextRun> next;
    std::optional<CrossValidation> left_out;
    std::vector<std::string> unpredictable; // ids of rows without a prediction
    std::vector<Unit> units;                // of the terms
    std::size_t rows = 0, machines = 0, models = 0;
    std::string version;
};

Document fit_document(const FitReport& report);
nlohmann::ordered_json fit_json(const FitReport& report);

} // namespace spillway
