#include "calibrate/uncertainty.h"

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Derivatives are central differences: smaller ratios of singular values are noise.
constexpr double kRankThreshold = 1e-6;
constexpr double kNoEffect = 1e-9; // slope of a logarithm

// Variance of one row as it enters the covariance; empty if there are no rows left over.
std::optional<double> row_variance(const Solution& s, std::size_t rank) {
    const Index n = s.residuals.size();
    const Index freedom = n - static_cast<Index>(rank);
    if (freedom <= 0) return std::nullopt;
    double influences = 0.0, slope = 0.0;
    for (const double residual : s.residuals) {
        const double r = residual / s.scale;
        influences += std::pow(r * weight(s.loss, r), 2);
        slope += influence_slope(s.loss, r);
    }
    slope = std::max(slope / static_cast<double>(n), 0.05);
    const double variance = s.scale * s.scale * influences / static_cast<double>(freedom) / (slope * slope);
    return std::max(variance, kLeastScale * kLeastScale);
}

// The columns of parameters that are free and have an effect, each of length 1; the others are zero.
MatrixXd unit_columns(const Solution& s, VectorXd& lengths) {
    MatrixXd columns = s.jacobian;
    lengths = columns.colwise().norm();
    for (Index i = 0; i < columns.cols(); ++i) {
        if (s.held[i] || lengths[i] < kNoEffect) lengths[i] = 0.0;
        if (lengths[i] > 0.0)
            columns.col(i) /= lengths[i];
        else
            columns.col(i).setZero();
    }
    return columns;
}

std::vector<std::vector<double>> lists_of(const MatrixXd& m) {
    std::vector<std::vector<double>> lists;
    for (Index i = 0; i < m.rows(); ++i) lists.emplace_back(m.row(i).begin(), m.row(i).end());
    return lists;
}

// Inverse of J'J by its singular values, and for each parameter how much of it lies where the rows are silent.
struct Inverse {
    MatrixXd matrix;
    VectorXd silent;
    std::size_t rank = 0;
};

Inverse inverse_of(const MatrixXd& columns, const VectorXd& lengths) {
    const Index m = columns.cols();
    const Eigen::JacobiSVD<MatrixXd> svd(columns, Eigen::ComputeThinU | Eigen::ComputeFullV);
    const VectorXd values = svd.singularValues();
    Inverse inverse{MatrixXd::Zero(m, m), VectorXd::Zero(m), 0};
    for (Index k = 0; k < m; ++k) {
        const VectorXd v = svd.matrixV().col(k);
        if (k >= values.size() || values[k] <= kRankThreshold * values[0]) {
            inverse.silent += v.cwiseAbs2();
            continue;
        }
        ++inverse.rank;
        inverse.matrix += v * v.transpose() / (values[k] * values[k]);
    }
    for (Index i = 0; i < m; ++i) {
        const double scale = lengths[i] > 0.0 ? 1.0 / lengths[i] : 0.0;
        inverse.matrix.row(i) *= scale;
        inverse.matrix.col(i) *= scale;
    }
    return inverse;
}

MatrixXd correlation_of(const MatrixXd& covariance) {
    MatrixXd correlation = MatrixXd::Zero(covariance.rows(), covariance.cols());
    for (Index i = 0; i < covariance.rows(); ++i) {
        for (Index j = 0; j < covariance.cols(); ++j) {
            const double size = std::sqrt(covariance(i, i) * covariance(j, j));
            if (size > 0.0) correlation(i, j) = covariance(i, j) / size;
        }
    }
    return correlation;
}

constexpr double kSilent = 1e-6; // share of a direction that no row sees

} // namespace

Uncertainty uncertainty(const LeastSquares& problem, const Solution& s) {
    Uncertainty u;
    VectorXd lengths;
    const MatrixXd columns = unit_columns(s, lengths);
    const Inverse data = inverse_of(columns, lengths);
    u.rank = data.rank;
    u.correlation = lists_of(correlation_of(data.matrix));
    const std::optional<double> variance = row_variance(s, u.rank);
    MatrixXd free = s.jacobian;
    for (Index i = 0; i < free.cols(); ++i) {
        if (lengths[i] == 0.0) free.col(i).setZero();
    }
    MatrixXd information = problem.precision.cwiseAbs2().asDiagonal();
    if (variance) information += free.transpose() * free / *variance;
    u.information = lists_of(information);
    const MatrixXd covariance = information.completeOrthogonalDecomposition().pseudoInverse();
    for (Index i = 0; i < s.at.size(); ++i) {
        const bool seen = lengths[i] > 0.0 && data.silent[i] < kSilent;
        const bool known = problem.precision[i] > 0.0 || (seen && variance);
        u.error.push_back(known && !s.held[i] ? std::optional(std::sqrt(covariance(i, i))) : std::nullopt);
        u.data_error.push_back(seen && variance ? std::optional(std::sqrt(*variance * data.matrix(i, i)))
                                                : std::nullopt);
        u.rows.push_back(static_cast<std::size_t>((s.jacobian.col(i).array().abs() > kNoEffect).count()));
    }
    return u;
}

namespace {

void add_term_notes(const Fit& f, std::vector<FitNote>& notes) {
    for (std::size_t i = 0; i < f.terms.size(); ++i) {
        const FittedTerm& term = f.terms[i];
        if (term.rows == 0) notes.push_back({FitNoteId::no_rows_depend, {i}, 0.0});
        if (term.at_low || term.at_high) notes.push_back({FitNoteId::at_limit, {i}, term.value});
        if (!term.parameter.prior || !term.standard_error || term.rows == 0) continue;
        const double width = std::log(*term.parameter.prior);
        const double share = *term.standard_error * *term.standard_error / (width * width);
        if (share > 0.5) notes.push_back({FitNoteId::prior_decides, {i}, share});
    }
}

void add_separability(const Fit& f, std::vector<FitNote>& notes) {
    FitNote inseparable{FitNoteId::inseparable, {}, 0.0};
    for (std::size_t i = 0; i < f.terms.size(); ++i) {
        const FittedTerm& term = f.terms[i];
        const bool held = term.at_low || term.at_high;
        if (!held && term.rows > 0 && f.degrees_of_freedom > 0 && !term.data_error) inseparable.terms.push_back(i);
        for (std::size_t j = i + 1; j < f.terms.size(); ++j) {
            const double value = f.correlation[i][j];
            if (std::abs(value) > kCorrelated && term.data_error && f.terms[j].data_error)
                notes.push_back({FitNoteId::correlated, {i, j}, value});
        }
    }
    if (!inseparable.terms.empty()) notes.push_back(inseparable);
}

} // namespace

std::vector<FitNote> findings(const Fit& f, bool converged) {
    std::vector<FitNote> notes;
    add_term_notes(f, notes);
    add_separability(f, notes);
    constexpr int kFew = 3;
    if (f.degrees_of_freedom <= 0)
        notes.push_back({FitNoteId::no_degrees, {}, 0.0});
    else if (f.degrees_of_freedom < kFew)
        notes.push_back({FitNoteId::few_degrees, {}, static_cast<double>(f.degrees_of_freedom)});
    if (!converged) notes.push_back({FitNoteId::not_converged, {}, 0.0});
    return notes;
}

} // namespace spillway
