// What a minimum says about its parameters: standard errors, correlation, rank, and in words of a fit what the rows
// cannot tell. In: the problem and its solution. Out: numbers per term and notes.
#pragma once

#include "calibrate/fit.h"
#include "calibrate/solver.h"

#include <optional>
#include <vector>

namespace spillway {

struct Uncertainty {
    std::vector<std::optional<double>> error, data_error; // one sigma; empty: undetermined
    std::vector<std::size_t> rows;                        // that change with each parameter
    std::vector<std::vector<double>> correlation;         // from the rows alone
    std::vector<std::vector<double>> information;         // inverse covariance, priors included
    std::size_t rank = 0;                                 // of the parameters that no limit holds
};

// Huber's covariance: spread of the influences over the square of their mean slope, times the inverse of J'J.
Uncertainty uncertainty(const LeastSquares& problem, const Solution& s);

std::vector<FitNote> findings(const Fit& f, bool converged);

} // namespace spillway
