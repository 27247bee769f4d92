// Which further run would tell more. In: the fit and its rows. Out: for each term the candidate - a machine, model and
// engine of the rows, at a width of weights or a depth that the rows hold or that is asked for first - that lowers its
// standard error most.
#pragma once

#include "calibrate/fit.h"

#include <optional>
#include <string>
#include <vector>

namespace spillway {

struct NextRun {
    std::size_t term = 0; // index into Fit::terms
    std::string machine, model, engine;
    std::optional<double> bits;   // per weight, where it differs from the row's
    std::optional<double> depth;  // tokens in the cache, where it differs
    std::string quantization;     // of the row it starts from
    std::optional<double> before; // standard error now; empty: undetermined
    double after = 0.0;           // with one such run, noise as in the fit
};

// At most one per term; none where no candidate lowers the error by 5 %.
std::vector<NextRun> next_runs(const std::vector<Observation>& rows, const Fit& f);

} // namespace spillway
