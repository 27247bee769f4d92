// Cross-validation: how far off a fit is on rows that it has not seen. In: observations and a label; each value of the
// label is left out once and the fit redone without its rows. Out: errors in and out of fold.
#pragma once

#include "calibrate/fit.h"

#include <string>
#include <vector>

namespace spillway {

struct Fold {
    std::string left_out;          // value of the label
    std::vector<double> residuals; // of its rows, under the fit to all others
    std::vector<double> values;    // of the terms in that fit
};

struct CrossValidation {
    Label by = Label::machine;
    std::vector<Fold> folds;
    ErrorSummary before, inside, outside;         // start values, fit to all rows, left out
    std::vector<std::pair<double, double>> range; // of each term over the folds
};

// `whole` is the fit to all rows. Less than two values of the label make no folds.
CrossValidation leave_out(const std::vector<Observation>& rows, const Fit& whole, Label by);

} // namespace spillway
