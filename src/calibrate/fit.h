// Fits inputs of a case to measured figures: least squares of log(predicted / measured) with evaluate() as the forward
// model, over the logarithms of the inputs. In: observations, and the inputs by path. Out: values with standard
// errors, and what the rows cannot say.
#pragma once

#include "calibrate/loss.h"
#include "calibrate/observation.h"

#include <optional>
#include <string>
#include <vector>

namespace spillway {

// An input that all rows share, in base units. Start and limits are above 0.
struct Parameter {
    std::string path; // as number_field() takes it, or scenario.runtime.sustained.KIND: the pools of that kind
    double start = 1.0, low = 1e-12, high = 1e18;
    std::optional<double> prior; // width of the belief in `start`, as a factor above 1: "x/ 1.3"
};

struct FitSettings {
    Loss loss = Loss::huber;
};

// A term as fitted. The standard error is relative, one sigma of the logarithm; empty where nothing determines it.
struct FittedTerm {
    Parameter parameter;
    double value = 0.0;
    std::optional<double> standard_error;
    std::optional<double> data_error; // the same from the rows alone, without the prior
    std::size_t rows = 0;             // that depend on it
    bool at_low = false, at_high = false;
};

enum class FitNoteId {
    no_rows_depend, // term: no row changes with it
    inseparable,    // terms: the rows determine fewer combinations than there are terms
    correlated,     // term and other: value is their correlation
    at_limit,       // term: the rows ask for more than the limit allows
    prior_decides,  // term: the belief narrows it more than the rows; value: share of the prior in what is known
    few_degrees,    // value: degrees of freedom
    no_degrees,     // as many terms as rows: no error can be told
    not_converged
};
inline constexpr double kCorrelated = 0.95;

// A finding with the terms that it is about, as indices into Fit::terms.
struct FitNote {
    FitNoteId id = FitNoteId::not_converged;
    std::vector<std::size_t> terms;
    double value = 0.0;
};

struct Fit {
    std::vector<FittedTerm> terms;
    std::vector<double> residuals;                // log(predicted / measured) per row
    std::vector<double> start_residuals;          // before the fit
    std::vector<double> weights;                  // that the loss left to each row
    std::vector<std::vector<double>> correlation; // of the terms, from the rows alone; 0 where undetermined
    std::vector<std::vector<double>> information; // of the logarithms: inverse covariance, priors included
    std::size_t rank = 0;                         // combinations of terms that the rows determine
    int degrees_of_freedom = 0;
    double scale = 0.0;       // spread of one row
    Loss loss = Loss::huber;  // as used
    Loss asked = Loss::huber; // as asked for
    std::vector<FitNote> notes;
};

// The rows must all be predictable (observation.h) and every path must resolve in at least one of them. The rows'
// cases are left with the fitted values.
Fit fit(std::vector<Observation>& rows, const std::vector<Parameter>& parameters, const FitSettings& settings = {});

// Paths of the leaves of one case that a parameter sets: none if the case has no such input.
std::vector<std::string> leaves_of(Case& c, const std::string& path);

// Median and 90th percentile of |predicted / measured - 1|.
struct ErrorSummary {
    std::size_t rows = 0;
    double median = 0.0, p90 = 0.0;
};
ErrorSummary error_summary(const std::vector<double>& residuals);

} // namespace spillway
