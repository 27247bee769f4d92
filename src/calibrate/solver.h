// Robust nonlinear least squares with limits and priors: Levenberg-Marquardt inside iterative reweighting. In: a model
// as residuals over parameters. Out: the minimum, and what the residuals and derivatives there say about it.
#pragma once

#include "calibrate/loss.h"

#include <Eigen/Dense>

#include <functional>

namespace spillway {

struct LeastSquares {
    Eigen::VectorXd start, low, high; // low <= start <= high
    Eigen::VectorXd precision;        // 1 / width of the normal prior around `start`; 0: none
    std::function<Eigen::VectorXd(const Eigen::VectorXd&)> residuals;
    std::function<Eigen::MatrixXd(const Eigen::VectorXd&)> jacobian; // of the residuals
    Loss loss = Loss::huber;
};

struct Solution {
    Eigen::VectorXd at, residuals;
    Eigen::MatrixXd jacobian;
    Eigen::VectorXd weights;                    // of the rows, 0 to 1
    Eigen::Array<bool, Eigen::Dynamic, 1> held; // parameters that a limit holds
    Loss loss = Loss::squares;                  // as used: few rows are fitted without reweighting
    double scale = 0.0;                         // spread of one residual
    bool converged = false;
};

// Fewer degrees of freedom than this say nothing about who is far off.
inline constexpr int kRobustFreedom = 8;
// Residuals are logarithms of ratios of figures printed with three or four digits.
inline constexpr double kLeastScale = 1e-4;

Solution solve(const LeastSquares& problem);

} // namespace spillway
