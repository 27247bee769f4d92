#include "calibrate/forward.h"

#include "text/path_walk.h"

#include <cmath>
#include <string>

namespace spillway {

namespace {

constexpr std::string_view kSustained = "scenario.runtime.sustained";

// The cube root of the rounding error, where the errors of a central difference meet.
constexpr double kDifference = 6e-6;

// A row that stops fitting while an input is turned counts as far off, whatever it was measured at.
constexpr double kUnpredictable = 10.0;

} // namespace

std::vector<std::string> leaves_of(Case& c, const std::string& path) {
    const auto kind = path_after(path, kSustained);
    if (!kind || kind->empty()) {
        return number_field(c, path) ? std::vector<std::string>{path} : std::vector<std::string>{};
    }
    // load_case has copied a runtime's shares into the pools.
    std::vector<std::string> leaves;
    for (std::size_t i = 0; i < c.machine.memory.size(); ++i) {
        const auto processor = static_cast<std::size_t>(c.machine.memory[i].processor);
        if (EnumNames<Processor>::names[processor] == *kind)
            leaves.push_back("machine.memory." + std::to_string(i) + ".sustained");
    }
    return leaves;
}

Forward::Forward(std::vector<Observation>& rows, const std::vector<Parameter>& parameters) : rows_(rows) {
    for (Observation& row : rows) {
        auto& of_row = leaves_.emplace_back(parameters.size());
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            for (const std::string& leaf : leaves_of(row.value, parameters[i].path))
                of_row[i].push_back(*number_field(row.value, leaf));
        }
    }
}

void Forward::set(std::size_t row, std::size_t parameter, double logarithm) {
    for (const NumberField& leaf : leaves_[row][parameter]) leaf.set(std::exp(logarithm));
}

double log_ratio(const Observation& row) {
    const auto speed = predicted(row.value, row.measurand);
    return speed && *speed > 0.0 ? std::log(*speed / row.measured) : kUnpredictable;
}

double Forward::residual(std::size_t row) const { return log_ratio(rows_[row]); }

Eigen::VectorXd Forward::residuals(const Eigen::VectorXd& at) {
    Eigen::VectorXd residuals(static_cast<Eigen::Index>(rows_.size()));
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        for (Eigen::Index i = 0; i < at.size(); ++i) set(row, static_cast<std::size_t>(i), at[i]);
        residuals[static_cast<Eigen::Index>(row)] = residual(row);
    }
    return residuals;
}

Eigen::MatrixXd Forward::jacobian(const Eigen::VectorXd& at) {
    Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows_.size()), at.size());
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        for (Eigen::Index i = 0; i < at.size(); ++i) set(row, static_cast<std::size_t>(i), at[i]);
        for (Eigen::Index i = 0; i < at.size(); ++i) {
            const auto parameter = static_cast<std::size_t>(i);
            if (leaves_[row][parameter].empty()) continue;
            set(row, parameter, at[i] + kDifference);
            const double above = residual(row);
            set(row, parameter, at[i] - kDifference);
            const double below = residual(row);
            set(row, parameter, at[i]);
            slopes(static_cast<Eigen::Index>(row), i) = (above - below) / (2.0 * kDifference);
        }
    }
    return slopes;
}

std::size_t Forward::rows_with(std::size_t parameter) const {
    std::size_t rows = 0;
    for (const auto& row : leaves_) rows += row[parameter].empty() ? 0 : 1;
    return rows;
}

} // namespace spillway
