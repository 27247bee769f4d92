// evaluate() as a function of shared inputs: the model that a fit and a cross-validation turn. In: observations and
// the inputs by path. Out: logarithms of predicted / measured, and their derivatives.
#pragma once

#include "calibrate/fit.h"
#include "text/paths.h"

#include <Eigen/Dense>

#include <vector>

namespace spillway {

// Holds on to `rows`, whose cases it sets. Logarithms of the inputs in the order of `parameters`.
class Forward {
public:
    Forward(std::vector<Observation>& rows, const std::vector<Parameter>& parameters);

    Eigen::VectorXd residuals(const Eigen::VectorXd& at);
    // Central differences; a row without an input costs nothing.
    Eigen::MatrixXd jacobian(const Eigen::VectorXd& at);
    std::size_t rows_with(std::size_t parameter) const;

private:
    void set(std::size_t row, std::size_t parameter, double logarithm);
    double residual(std::size_t row) const;

    std::vector<Observation>& rows_;
    std::vector<std::vector<std::vector<NumberField>>> leaves_; // by row and parameter
};

// log(predicted / measured) of a row as it stands.
double log_ratio(const Observation& row);

} // namespace spillway
