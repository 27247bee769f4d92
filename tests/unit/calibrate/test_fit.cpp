// Fits to published decode figures of dense models, whose answers are known to the digit, and what a fit says where the
// rows cannot tell.
#include "calibrate/fit.h"
#include "calibrate/leave_out.h"
#include "calibrate/lines.h"
#include "calibrate/next_run.h"
#include "support/dense_case.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace spillway;

namespace {

// ml-explore/mlx-lm mlx_lm/BENCHMARKS.md at d78bf58: decode of Qwen3-4B on an M4 Max (64 GB, rated 546 GB/s), tok/s.
// Widths: bf16 16 bits, groups of 64 N + 0.5, groups of 32 N + 1.
std::vector<Observation> m4_max_rows() {
    const Model model = synthetic::qwen3_4b();
    std::vector<Observation> rows;
    for (const auto& [bits, speed] :
         {std::pair{16.0, 52.47}, std::pair{8.5, 86.907}, std::pair{6.5, 104.68}, std::pair{6.0, 110.29},
          std::pair{5.5, 116.39}, std::pair{5.0, 126.0}, std::pair{4.5, 134.52}})
        rows.push_back(synthetic::decode_row(model, bits, 546.0, speed));
    return rows;
}

// ggml-org/llama.cpp PR 2917: LLaMA 7B on an M2 Ultra (rated 800 GB/s), Q8_0, Q4_1, Q4_0. Bytes read per token are the
// file's size less the input embedding.
std::vector<Observation> m2_ultra_rows() {
    const Model model = synthetic::dense("llama-7b", 32, 1e9);
    std::vector<Observation> rows;
    for (const auto& [gigabytes, speed] :
         {std::pair{7.022543891, 62.05}, std::pair{4.158777867, 83.63}, std::pair{3.748164355, 88.54}})
        rows.push_back(synthetic::decode_row(model, 8.0 * gigabytes, 800.0, speed));
    return rows;
}

// ggml-org/llama.cpp issue 27525: Qwen3.8-27B on an M1 Max (rated 400 GB/s), IQ4_NL, Q4_1, Q3_K_M with empty cache.
std::vector<Observation> m1_max_rows() {
    const Model model = synthetic::dense("qwen3.8-27b", 64, 1e9);
    std::vector<Observation> rows;
    for (const auto& [gigabytes, speed] :
         {std::pair{15.567517302, 14.29}, std::pair{16.710786626, 13.53}, std::pair{13.166651720, 12.63}})
        rows.push_back(synthetic::decode_row(model, 8.0 * gigabytes, 400.0, speed));
    return rows;
}

std::vector<Parameter> share_and_constant() {
    return {{"machine.memory.0.sustained", 0.8, 1e-3, 1.0}, {"scenario.runtime.t_pass", 1e-3, 1e-6, 1.0}};
}

bool has(const Fit& f, FitNoteId id) {
    return std::any_of(f.notes.begin(), f.notes.end(), [&](const FitNote& note) { return note.id == id; });
}

} // namespace

TEST_CASE("seven formats of one model give the bandwidth and the fixed time", "[calibrate]") {
    auto rows = m4_max_rows();
    const std::vector<Line> found = lines(rows);
    REQUIRE(found.size() == 1);
    CHECK(found[0].state == LineState::good);
    CHECK(found[0].rate == Approx(500.0e9).margin(0.5e9));
    CHECK(*found[0].rate_error == Approx(3.3e9).margin(0.1e9));
    CHECK(found[0].constant == Approx(2.98e-3).margin(0.005e-3));
    CHECK(found[0].degrees_of_freedom == 5);

    const Fit f = fit(rows, share_and_constant());
    CHECK(546.0 * f.terms[0].value == Approx(500.0).margin(5.0));
    CHECK(1e3 * f.terms[1].value == Approx(2.98).margin(0.1));
    CHECK(f.rank == 2);
    CHECK(f.degrees_of_freedom == 5);
    CHECK_FALSE(has(f, FitNoteId::few_degrees));
    CHECK(*f.terms[0].standard_error == Approx(0.0125).epsilon(0.1)); // 6.2 of 497 GB/s
}

TEST_CASE("three formats leave one degree of freedom and say so", "[calibrate]") {
    auto rows = m2_ultra_rows();
    const std::vector<Line> found = lines(rows);
    REQUIRE(found.size() == 1);
    CHECK(found[0].rate == Approx(682.6e9).margin(0.1e9));
    CHECK(found[0].constant == Approx(5.83e-3).margin(0.01e-3));
    CHECK(found[0].degrees_of_freedom == 1);

    const Fit f = fit(rows, share_and_constant());
    CHECK(800.0 * f.terms[0].value == Approx(682.0).margin(1.0));
    CHECK(1e3 * f.terms[1].value == Approx(5.8).margin(0.05));
    REQUIRE(has(f, FitNoteId::few_degrees));
    // Three points near each other: rate and constant trade against each other.
    REQUIRE(has(f, FitNoteId::correlated));
    CHECK(std::abs(f.correlation[0][1]) > 0.95);
}

TEST_CASE("rows whose time falls with their bytes are refused", "[calibrate]") {
    const auto rows = m1_max_rows();
    const std::vector<Line> found = lines(rows);
    REQUIRE(found.size() == 1);
    CHECK(found[0].state == LineState::negative_rate);
    CHECK(found[0].rate < 0.0);
    CHECK(refused(found) == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("a rate above its rating shows on the line and stops the fit at its limit", "[calibrate]") {
    auto rows = m4_max_rows();
    for (Observation& row : rows) row.value.machine.memory[0].bandwidth = BytesPerSecond(450e9);
    CHECK(lines(rows).at(0).state == LineState::above_rating);
    const Fit f = fit(rows, share_and_constant());
    CHECK(f.terms[0].value == Approx(1.0));
    CHECK(f.terms[0].at_high);
    CHECK_FALSE(f.terms[0].standard_error);
    CHECK(has(f, FitNoteId::at_limit));
}

TEST_CASE("terms that only act together are not told apart", "[calibrate]") {
    auto rows = m4_max_rows();
    // Every row has 36 layers, so time per layer and time per step are one.
    for (Observation& row : rows) {
        for (auto& t : row.value.scenario.runtime.t_layer.values) t = Seconds(1e-5);
    }
    auto parameters = share_and_constant();
    parameters.push_back({"scenario.runtime.t_layer.apple-gpu", 1e-5, 1e-8, 1.0});
    const Fit f = fit(rows, parameters);
    CHECK(f.rank == 2);
    REQUIRE(has(f, FitNoteId::inseparable));
    CHECK(f.terms[0].standard_error);
    CHECK_FALSE(f.terms[1].standard_error);
    CHECK_FALSE(f.terms[2].standard_error);
    // A model with other layers separates them, which the advice finds nowhere among these rows.
    for (const NextRun& run : next_runs(rows, f)) CHECK(run.term == 0);

    // With a belief in one of them the other is known, and the belief is named.
    rows = m4_max_rows();
    for (Observation& row : rows) {
        for (auto& t : row.value.scenario.runtime.t_layer.values) t = Seconds(1e-5);
    }
    parameters[1].prior = parameters[2].prior = 1.3;
    const Fit believed = fit(rows, parameters);
    CHECK(believed.terms[1].standard_error);
    CHECK(has(believed, FitNoteId::prior_decides));
}

TEST_CASE("an input that no row depends on stays and is named", "[calibrate]") {
    auto rows = m4_max_rows();
    auto parameters = share_and_constant();
    parameters.push_back({"scenario.runtime.handoff", 1e-4, 1e-8, 1.0});
    const Fit f = fit(rows, parameters);
    CHECK(f.terms[2].rows == 0);
    CHECK(f.terms[2].value == Approx(1e-4));
    CHECK_FALSE(f.terms[2].standard_error);
    CHECK(has(f, FitNoteId::no_rows_depend));
    CHECK(546.0 * f.terms[0].value == Approx(500.0).margin(5.0));
}

TEST_CASE("one row of twelve that is far off hardly moves a robust fit", "[calibrate]") {
    const Model model = synthetic::qwen3_4b();
    std::vector<Observation> rows;
    for (double bits = 4.5; bits <= 16.0; bits += 0.9) {
        Observation row = synthetic::decode_row(model, bits, 546.0, 1.0);
        row.value.machine.memory[0].sustained = 0.9;
        row.value.scenario.runtime.t_pass = Seconds(3e-3);
        row.measured = *predicted(row.value, row.measurand) * (1.0 + 0.002 * std::sin(40.0 * bits));
        rows.push_back(row);
    }
    rows[3].measured *= 0.3;
    auto copy = rows;
    const Fit robust = fit(rows, share_and_constant(), {Loss::cauchy});
    const Fit plain = fit(copy, share_and_constant(), {Loss::squares});
    CHECK(robust.terms[0].value == Approx(0.9).epsilon(0.01));
    CHECK(robust.weights[3] < 0.01);
    CHECK(std::abs(plain.terms[0].value - 0.9) > 5.0 * std::abs(robust.terms[0].value - 0.9));
}

TEST_CASE("rows left out are predicted by a fit that has not seen them", "[calibrate]") {
    auto rows = m4_max_rows();
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].labels[0] = i < 3 ? "a" : "b";
    const Fit f = fit(rows, share_and_constant());
    const CrossValidation v = leave_out(rows, f, Label::machine);
    REQUIRE(v.folds.size() == 2);
    CHECK(v.folds[0].residuals.size() == 3);
    CHECK(v.outside.rows == 7);
    CHECK(v.outside.median > v.inside.median);
    // Fold "a" is left out: what is predicted for it is the fit to "b" alone.
    auto seen = std::vector<Observation>(rows.begin() + 3, rows.end());
    const Fit b = fit(seen, share_and_constant());
    CHECK(v.folds[0].values[0] == Approx(b.terms[0].value));
    CHECK(leave_out(rows, f, Label::model).folds.empty());
}

TEST_CASE("the run that tells most is the one far from the others", "[calibrate]") {
    // Widths of 4.5 to 5.5 bits say little about the rate; 16 bits do.
    auto rows = m4_max_rows();
    rows.erase(rows.begin(), rows.begin() + 4);
    const Fit f = fit(rows, share_and_constant());
    const auto runs = next_runs(rows, f);
    REQUIRE_FALSE(runs.empty());
    CHECK(runs[0].term == 0);
    CHECK(runs[0].bits == 16.0);
    CHECK(runs[0].after < 0.5 * *runs[0].before);
}
