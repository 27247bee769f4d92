#include "calibrate/next_run.h"

#include "calibrate/forward.h"

#include <Eigen/Dense>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

namespace spillway {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kWorthwhile = 0.95;
// Widths of the formats that people run, and depths of common benchmarks.
constexpr std::array<double, 4> kBits = {16.0, 8.5, 4.5, 2.6};
constexpr std::array<double, 3> kDepths = {0.0, 8192.0, 65536.0};

struct Candidate {
    Observation row;
    std::optional<double> bits, depth;
};

Observation with_bits(Observation row, double bits) {
    Quantization& q = row.value.quantization;
    if (q.experts) q.experts = bits;
    q.rest = bits;
    q.embedding = bits;
    q.experts_down.reset();
    return row;
}

Observation with_depth(Observation row, double depth) {
    row.value.scenario.depth = depth;
    row.value.scenario.context = std::max(row.value.scenario.context, depth + 512.0);
    return row;
}

// One row per machine, model, engine and measurand, and its variants.
std::vector<Candidate> candidates(const std::vector<Observation>& rows) {
    std::vector<Candidate> list;
    std::set<std::tuple<std::string, std::string, std::string, Measurand>> seen;
    for (const Observation& row : rows) {
        const auto key =
            std::tuple(row.label(Label::machine), row.label(Label::model), row.label(Label::engine), row.measurand);
        if (!seen.insert(key).second) continue;
        for (const double bits : kBits) list.push_back({with_bits(row, bits), bits, std::nullopt});
        for (const double depth : kDepths) {
            if (depth != row.value.scenario.depth) list.push_back({with_depth(row, depth), std::nullopt, depth});
        }
    }
    std::erase_if(list, [](const Candidate& c) { return !predicted(c.row.value, c.row.measurand); });
    return list;
}

VectorXd slopes(const Candidate& candidate, const Fit& f) {
    std::vector<Parameter> parameters;
    VectorXd at(static_cast<Index>(f.terms.size()));
    for (std::size_t i = 0; i < f.terms.size(); ++i) {
        parameters.push_back(f.terms[i].parameter);
        at[static_cast<Index>(i)] = std::log(f.terms[i].value);
    }
    std::vector<Observation> one = {candidate.row};
    VectorXd slope = Forward(one, parameters).jacobian(at).row(0).transpose();
    for (std::size_t i = 0; i < f.terms.size(); ++i) {
        if (f.terms[i].at_low || f.terms[i].at_high) slope[static_cast<Index>(i)] = 0.0;
    }
    return slope;
}

MatrixXd matrix_of(const std::vector<std::vector<double>>& lists) {
    const auto n = static_cast<Index>(lists.size());
    MatrixXd m(n, n);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) m(i, j) = lists[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    }
    return m;
}

// Where nothing is known of a term, a belief so wide that any run narrows it.
constexpr double kIgnorance = 1e-4; // information on a logarithm: x/ e^100

double error_after(const MatrixXd& information, const VectorXd& slope, double scale, Index term) {
    const MatrixXd more = information + slope * slope.transpose() / (scale * scale);
    return std::sqrt(more.ldlt().solve(MatrixXd::Identity(more.rows(), more.cols()))(term, term));
}

} // namespace

std::vector<NextRun> next_runs(const std::vector<Observation>& rows, const Fit& f) {
    const std::vector<Candidate> list = candidates(rows);
    MatrixXd information = matrix_of(f.information);
    information.diagonal().array() += kIgnorance;
    std::vector<VectorXd> slope_of;
    for (const Candidate& candidate : list) slope_of.push_back(slopes(candidate, f));
    std::vector<NextRun> best;
    for (std::size_t term = 0; term < f.terms.size(); ++term) {
        const auto at = static_cast<Index>(term);
        const double before = error_after(information, VectorXd::Zero(information.rows()), f.scale, at);
        NextRun run{term, "", "", "", {}, {}, "", f.terms[term].standard_error, before * kWorthwhile};
        bool found = false;
        for (std::size_t i = 0; i < list.size(); ++i) {
            const double after = error_after(information, slope_of[i], f.scale, at);
            if (after >= run.after) continue;
            const Observation& row = list[i].row;
            run = {term,
                   row.label(Label::machine),
                   row.label(Label::model),
                   row.label(Label::engine),
                   list[i].bits,
                   list[i].depth,
                   row.quantization,
                   f.terms[term].standard_error,
                   after};
            found = true;
        }
        if (found) best.push_back(run);
    }
    return best;
}

} // namespace spillway
