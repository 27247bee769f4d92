#include "calibrate/fit.h"

#include "calibrate/forward.h"
#include "calibrate/solver.h"
#include "calibrate/uncertainty.h"

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

using Eigen::VectorXd;

std::vector<double> list_of(const VectorXd& v) { return {v.begin(), v.end()}; }

LeastSquares problem_of(Forward& forward, const std::vector<Parameter>& parameters, Loss loss) {
    const auto n = static_cast<Eigen::Index>(parameters.size());
    LeastSquares p;
    p.start = p.low = p.high = p.precision = VectorXd::Zero(n);
    for (Eigen::Index i = 0; i < n; ++i) {
        const Parameter& parameter = parameters[static_cast<std::size_t>(i)];
        p.start[i] = std::log(parameter.start);
        p.low[i] = std::log(parameter.low);
        p.high[i] = std::log(parameter.high);
        if (parameter.prior) p.precision[i] = 1.0 / std::log(*parameter.prior);
    }
    p.residuals = [&forward](const VectorXd& at) { return forward.residuals(at); };
    p.jacobian = [&forward](const VectorXd& at) { return forward.jacobian(at); };
    p.loss = loss;
    return p;
}

void add_terms(const std::vector<Parameter>& parameters, const Solution& s, const Uncertainty& u, Fit& f) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const auto at = static_cast<Eigen::Index>(i);
        FittedTerm term;
        term.parameter = parameters[i];
        term.value = std::exp(s.at[at]);
        term.standard_error = u.error[i];
        term.data_error = u.data_error[i];
        term.rows = u.rows[i];
        term.at_low = s.held[at] && s.at[at] <= std::log(parameters[i].low);
        term.at_high = s.held[at] && s.at[at] >= std::log(parameters[i].high);
        f.terms.push_back(term);
    }
}

} // namespace

Fit fit(std::vector<Observation>& rows, const std::vector<Parameter>& parameters, const FitSettings& settings) {
    Forward forward(rows, parameters);
    const LeastSquares problem = problem_of(forward, parameters, settings.loss);
    Fit f;
    f.start_residuals = list_of(problem.residuals(problem.start));
    const Solution s = solve(problem);
    problem.residuals(s.at); // leaves the rows with the fitted values
    const Uncertainty u = uncertainty(problem, s);
    f.residuals = list_of(s.residuals);
    f.weights = list_of(s.weights);
    f.correlation = u.correlation;
    f.information = u.information;
    f.rank = u.rank;
    f.degrees_of_freedom = static_cast<int>(rows.size()) - static_cast<int>(u.rank);
    f.scale = s.scale;
    f.loss = s.loss;
    f.asked = settings.loss;
    add_terms(parameters, s, u, f);
    f.notes = findings(f, s.converged);
    return f;
}

ErrorSummary error_summary(const std::vector<double>& residuals) {
    ErrorSummary summary;
    summary.rows = residuals.size();
    if (residuals.empty()) return summary;
    std::vector<double> errors;
    for (const double r : residuals) errors.push_back(std::abs(std::expm1(r)));
    std::sort(errors.begin(), errors.end());
    const auto at = [&](double share) {
        const double place = share * static_cast<double>(errors.size() - 1);
        const auto below = static_cast<std::size_t>(place);
        const std::size_t above = std::min(below + 1, errors.size() - 1);
        return errors[below] + (place - static_cast<double>(below)) * (errors[above] - errors[below]);
    };
    summary.median = at(0.5);
    summary.p90 = at(0.9);
    return summary;
}

} // namespace spillway
