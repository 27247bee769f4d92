// A fit recovers the terms that noisy runs were made with, as often as its standard errors say.
#include "calibrate/fit.h"
#include "support/dense_case.h"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <random>

using namespace spillway;

namespace {

constexpr double kShare = 0.72, kPass = 2.5e-3, kMoeLayer = 80e-6, kNoise = 0.03;

// Dense and MoE rows of several widths on two machines.
std::vector<Observation> true_rows() {
    std::vector<Observation> rows;
    for (const double bandwidth : {400.0, 800.0}) {
        for (double bits = 4.0; bits <= 16.0; bits += 3.0) {
            rows.push_back(synthetic::decode_row(synthetic::qwen3_4b(), bits, bandwidth, 1.0));
            rows.push_back(synthetic::decode_row(synthetic::model(), bits, bandwidth, 1.0));
            rows.push_back(synthetic::decode_row(synthetic::dense("14b", 48, 14e9), bits, bandwidth, 1.0));
        }
    }
    for (Observation& row : rows) {
        row.value.machine.memory[0].sustained = kShare;
        row.value.scenario.runtime.t_pass = Seconds(kPass);
        row.value.scenario.runtime.t_layer_moe = Seconds(kMoeLayer);
        row.measured = *predicted(row.value, row.measurand);
    }
    return rows;
}

std::vector<Parameter> parameters() {
    return {{"machine.memory.0.sustained", 0.9, 1e-3, 1.0},
            {"scenario.runtime.t_pass", 1e-3, 1e-7, 1.0},
            {"scenario.runtime.t_layer_moe", 2e-4, 1e-8, 1.0}};
}

struct Coverage {
    int fits = 0, within_one = 0, within_two = 0;
    void add(double z) {
        ++fits;
        within_one += std::abs(z) < 1.0 ? 1 : 0;
        within_two += std::abs(z) < 2.0 ? 1 : 0;
    }
    double one() const { return static_cast<double>(within_one) / fits; }
    double two() const { return static_cast<double>(within_two) / fits; }
};

// `far`: every tenth row is off by a factor, as published runs are.
std::array<Coverage, 3> coverage(Loss loss, int seeds, double far) {
    const std::vector<Observation> exact = true_rows();
    const std::array<double, 3> truth = {kShare, kPass, kMoeLayer};
    std::array<Coverage, 3> covered;
    for (int seed = 0; seed < seeds; ++seed) {
        std::mt19937_64 random(static_cast<std::uint64_t>(seed) + 1);
        std::normal_distribution<double> noise(0.0, kNoise);
        std::vector<Observation> rows = exact;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const double wild = i % 10 == static_cast<std::size_t>(seed) % 10 ? far : 1.0;
            rows[i].measured *= std::exp(noise(random)) * wild;
        }
        const Fit f = fit(rows, parameters(), {loss});
        for (std::size_t i = 0; i < truth.size(); ++i)
            covered[i].add(std::log(f.terms[i].value / truth[i]) / *f.terms[i].standard_error);
    }
    return covered;
}

} // namespace

// 200 fits: a share of 0.68 is seen as 0.58 to 0.78 and one of 0.95 as at least 0.90 with three sigma of the binomial
// law; 27 degrees of freedom widen the tails by less than that.
TEST_CASE("terms lie within one and two standard errors as often as a normal law says", "[property][calibrate]") {
    for (const Coverage& term : coverage(Loss::squares, 200, 1.0)) {
        CHECK(term.one() > 0.58);
        CHECK(term.one() < 0.78);
        CHECK(term.two() > 0.90);
    }
    for (const Coverage& term : coverage(Loss::huber, 200, 1.0)) {
        CHECK(term.one() > 0.56);
        CHECK(term.one() < 0.78);
        CHECK(term.two() > 0.88);
    }
}

TEST_CASE("a row of ten that is half as fast does not spoil a robust fit's errors", "[property][calibrate]") {
    for (const Coverage& term : coverage(Loss::cauchy, 100, 0.5)) CHECK(term.two() > 0.85);
}

TEST_CASE("without noise the terms come back exactly", "[property][calibrate]") {
    std::vector<Observation> rows = true_rows();
    const Fit f = fit(rows, parameters());
    CHECK(f.terms[0].value == Approx(kShare).epsilon(1e-6));
    CHECK(f.terms[1].value == Approx(kPass).epsilon(1e-6));
    CHECK(f.terms[2].value == Approx(kMoeLayer).epsilon(1e-6));
    CHECK(f.rank == 3);
}
