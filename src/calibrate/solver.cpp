#include "calibrate/solver.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace spillway {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kMadToSigma = 1.4826; // of a normal law
constexpr int kMaxSteps = 60, kMaxScales = 30;
constexpr double kSmallStep = 1e-9, kSameScale = 1e-6;

double total_cost(const LeastSquares& p, const VectorXd& at, const VectorXd& residuals, double scale, Loss loss) {
    double sum = 0.5 * (p.precision.array() * (at - p.start).array()).square().sum();
    for (const double r : residuals) sum += cost(loss, r / scale);
    return sum;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

double spread(const VectorXd& residuals, int freedom, Loss loss) {
    const double n = static_cast<double>(residuals.size());
    if (loss == Loss::squares) return std::max(kLeastScale, std::sqrt(residuals.squaredNorm() / std::max(1, freedom)));
    std::vector<double> sizes;
    for (const double r : residuals) sizes.push_back(std::abs(r));
    return std::max(kLeastScale, kMadToSigma * median(std::move(sizes)) * std::sqrt(n / std::max(1, freedom)));
}

VectorXd weights_of(const VectorXd& residuals, double scale, Loss loss) {
    return residuals.unaryExpr([&](double r) { return weight(loss, r / scale); });
}

// Whether a limit stops the descent along a parameter.
Eigen::Array<bool, Eigen::Dynamic, 1> held_by_limit(const LeastSquares& p, const VectorXd& at,
                                                    const VectorXd& gradient) {
    Eigen::Array<bool, Eigen::Dynamic, 1> held(at.size());
    for (Eigen::Index i = 0; i < at.size(); ++i)
        held[i] = (at[i] <= p.low[i] && gradient[i] >= 0.0) || (at[i] >= p.high[i] && gradient[i] <= 0.0);
    return held;
}

// One linear problem: rows of the data over their scale, the prior, and the damping, solved with pivoting.
VectorXd step(const LeastSquares& p, const Solution& s, double damping) {
    const Eigen::Index n = s.residuals.size(), m = s.at.size();
    MatrixXd a = MatrixXd::Zero(n + 2 * m, m);
    VectorXd b = VectorXd::Zero(n + 2 * m);
    const VectorXd root = s.weights.cwiseSqrt() / s.scale;
    a.topRows(n) = root.asDiagonal() * s.jacobian;
    b.head(n) = -root.cwiseProduct(s.residuals);
    a.block(n, 0, m, m) = p.precision.asDiagonal();
    b.segment(n, m) = -p.precision.cwiseProduct(s.at - p.start);
    const VectorXd gradient = -a.transpose() * b;
    const VectorXd lengths = a.topRows(n + m).colwise().norm().transpose().cwiseMax(1e-8);
    a.bottomRows(m) = (std::sqrt(damping) * lengths).asDiagonal();
    const auto held = held_by_limit(p, s.at, gradient);
    for (Eigen::Index i = 0; i < m; ++i) {
        if (held[i]) a.col(i).setZero();
    }
    return a.colPivHouseholderQr().solve(b);
}

// Descends at a fixed scale until steps are small.
bool descend(const LeastSquares& p, Solution& s) {
    double damping = 1e-4;
    double now = total_cost(p, s.at, s.residuals, s.scale, s.loss);
    for (int i = 0; i < kMaxSteps; ++i) {
        s.weights = weights_of(s.residuals, s.scale, s.loss);
        const VectorXd next = (s.at + step(p, s, damping)).cwiseMax(p.low).cwiseMin(p.high);
        const double length = (next - s.at).lpNorm<Eigen::Infinity>();
        if (length < kSmallStep) return true;
        const VectorXd residuals = p.residuals(next);
        const double then = total_cost(p, next, residuals, s.scale, s.loss);
        if (then <= now) {
            const bool flat = now - then < 1e-10 * (1.0 + now) && length < 1e-5;
            s.at = next;
            s.residuals = residuals;
            s.jacobian = p.jacobian(next);
            now = then;
            damping = std::max(1e-12, damping * 0.2);
            if (flat) return true;
        } else {
            damping *= 8.0;
            if (damping > 1e12) return length < 1e-4;
        }
    }
    return false;
}

} // namespace

Solution solve(const LeastSquares& problem) {
    Solution s;
    s.at = problem.start.cwiseMax(problem.low).cwiseMin(problem.high);
    s.residuals = problem.residuals(s.at);
    s.jacobian = problem.jacobian(s.at);
    const int freedom = static_cast<int>(s.residuals.size() - s.at.size());
    s.loss = freedom >= kRobustFreedom ? problem.loss : Loss::squares;
    s.scale = spread(s.residuals, freedom, s.loss);
    for (int i = 0; i < kMaxScales; ++i) {
        const bool settled = descend(problem, s);
        const double scale = spread(s.residuals, freedom, s.loss);
        const bool same = std::abs(scale - s.scale) <= kSameScale * s.scale;
        s.scale = scale;
        s.converged = settled && same;
        if (s.converged) break;
    }
    s.weights = weights_of(s.residuals, s.scale, s.loss);
    const VectorXd gradient = s.jacobian.transpose() * s.weights.cwiseProduct(s.residuals) / (s.scale * s.scale) +
                              problem.precision.cwiseAbs2().cwiseProduct(s.at - problem.start);
    s.held = held_by_limit(problem, s.at, gradient);
    return s;
}

} // namespace spillway
