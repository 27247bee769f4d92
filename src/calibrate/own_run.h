// One's own runs against the estimate. In: a case and figures measured on it. Out: by how much they differ, as a
// calibration for this machine, engine, class of formats and kind of model.
#pragma once

#include "calibrate/observation.h"
#include "io/calibration.h"

#include <optional>
#include <string>
#include <vector>

namespace spillway {

// One figure. What it says about the run replaces the case's own.
struct OwnFigure {
    Measurand which = Measurand::decode;
    double tokens_per_second = 0.0;
    std::optional<double> prompt, depth, micro_batch; // tokens
    std::optional<KvFormat> kv_format;
    std::string text; // as given, for people
};

// "decode=41.3 tok/s" or "prefill=600 tok/s"; a problem otherwise.
std::optional<OwnFigure> read_figure(const std::string& text, Problems& problems);

struct Factor {
    OwnFigure figure;
    double predicted = 0.0; // tok/s
    double factor() const { return figure.tokens_per_second / predicted; }
};

struct OwnRuns {
    std::vector<Factor> factors;
    CalibrationFile calibration;
};

// Medians over the figures. Throws InputError where the case does not fit, an input is unknown, or a factor is so far
// from 1 that the case cannot be the one that ran.
OwnRuns own_runs(const LoadedCase& loaded, const std::vector<OwnFigure>& figures);

} // namespace spillway
