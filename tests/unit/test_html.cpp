#include "report/html_page.h"

#include "explore/residency_curve.h"
#include "report/break_even.h"
#include "report/print.h"
#include "report/residency_chart.h"
#include "report/sweep.h"
#include "report_cases.h"
#include "support/well_formed.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>

namespace spillway {

namespace {

std::string page_of(const LoadedCase& loaded) {
    Report report = report_of(loaded);
    report.curve = residency_curve(loaded.value, report.line);
    return print_html(report_document(report));
}

bool has(const std::string& page, std::string_view text) { return page.find(text) != std::string::npos; }

// WCAG 2.1: relative luminance of "#rrggbb", and the contrast of two.
double luminance(std::string_view colour) {
    double sum = 0.0;
    constexpr double weights[] = {0.2126, 0.7152, 0.0722};
    for (std::size_t i = 0; i < 3; ++i) {
        const double share = std::stoi(std::string(colour.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
        sum += weights[i] * (share <= 0.03928 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4));
    }
    return sum;
}
double contrast(std::string_view a, std::string_view b) {
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

Table sweep_rows() {
    Table table;
    table.columns = {{"model", "model", Show::text},
                     {"quant", "quant", Show::text},
                     {"decode.tokens_per_second", "decode tok/s", Show::speed}};
    table.rows = {{"a <model>", "native", 12.5}, {"a <model>", "2.5", 9.9996}, {"a <model>", "3.5", nullptr}};
    return table;
}

SweepView sweep_view() {
    SweepView page;
    page.labels = {"model", "quant", "no such column"};
    page.decode = "decode.tokens_per_second";
    page.prefill = "prefill.tokens_per_second";
    page.target_decode = 10.0;
    page.version = "0";
    return page;
}

} // namespace

TEST_CASE("the page of every kind of report is well-formed and loads nothing") {
    for (const ReportCase& test : report_cases()) {
        INFO(test.name);
        const LoadedCase loaded = load(test.request);
        const std::string page = page_of(loaded);
        CHECK(page_error(page) == "");
        CHECK(has(page, "class=\"verdict "));
    }
}

TEST_CASE("the page of a report holds the answer and the chart") {
    const LoadedCase loaded = load(report_cases().front().request);
    const std::string page = page_of(loaded);
    CHECK(has(page, "5.72 <small>tok/s</small>"));
    CHECK(has(page, "this case: 5.72 tok/s at 82.3 % residency"));
    CHECK(has(page, "92.2 % needed"));
    CHECK(has(page, "100 ms allowed for 10 tok/s"));
    CHECK(has(page, "@media screen and (prefers-color-scheme:dark)"));
}

TEST_CASE("a page without a curve says why") {
    const LoadedCase dense = load({"llama-3.3-70b", "rtx-5090-host-128gb", "default", "native", {}});
    CHECK(residency_curve(dense.value, residency_line(dense.value)).lines.empty());
    CHECK(has(page_of(dense), "the model has no routed experts"));
    const LoadedCase large = load({"deepseek-v4-pro", "apple-m4-16gb", "default", "native", {}});
    CHECK(residency_curve(large.value, residency_line(large.value)).lines.empty());
    CHECK(has(page_of(large), "does not fit"));
}

TEST_CASE("names from files are text in a page") {
    LoadedCase loaded = load(report_cases().front().request);
    loaded.value.model.name = "<script>alert(1)</script>";
    loaded.value.machine.name = "a \"b\" & c\x01";
    loaded.value.alternatives.front().name = "</title><b onload='x'>";
    const std::string page = page_of(loaded);
    CHECK(page_error(page) == "");
    CHECK(has(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
}

TEST_CASE("the residency curve is what evaluate says") {
    const LoadedCase loaded = load(report_cases().front().request);
    const Estimate own = evaluate(loaded.value);
    const ResidencyCurve curve = residency_curve(loaded.value, residency_line(loaded.value));
    REQUIRE(curve.lines.size() == 2);
    CHECK(curve.lines[0].own);
    CHECK(curve.lines[0].uniform);
    bool seen = false, needed = false;
    for (std::size_t i = 0; i < curve.lines[0].points.size(); ++i) {
        const CurveSpeed& point = curve.lines[0].points[i];
        if (i > 0) CHECK(point.residency > curve.lines[0].points[i - 1].residency);
        needed = needed || (point.residency == curve.line.residency && *point.tokens_per_second >= curve.target);
        if (point.residency != own.placement.residency) continue;
        seen = true;
        // Forced or following from the memory, the same residency is the same step but for rounding.
        CHECK(*point.tokens_per_second == Approx(*own.decode.tokens_per_second).epsilon(1e-9));
        CHECK(*curve.lines[1].points[i].tokens_per_second ==
              Approx(*own.alternatives.items[0].tokens_per_second).epsilon(1e-9));
    }
    CHECK(seen);
    CHECK(needed);
    const auto json = curve_json(curve);
    CHECK(json[1]["locality"] == loaded.value.alternatives[0].name);
    CHECK(json[0]["points"].size() == curve.lines[0].points.size());
}

TEST_CASE("a locality is drawn once") {
    LoadedCase loaded = load(report_cases().front().request);
    loaded.value.scenario.locality = loaded.value.alternatives.front();
    const ResidencyCurve curve = residency_curve(loaded.value, residency_line(loaded.value));
    REQUIRE(curve.lines.size() == 2);
    CHECK(curve.lines[0].locality == loaded.value.alternatives.front().name);
    CHECK(curve.lines[1].uniform);
}

TEST_CASE("the page of a break-even holds chart, levers and sentences") {
    const LoadedCase loaded = load(report_cases().front().request);
    BreakEvenAnswer answer{loaded,
                           levers(loaded.value, Phase::decode),
                           levers(loaded.value, Phase::prefill),
                           closed_form_residency(loaded.value),
                           {},
                           "0"};
    answer.curve = residency_curve(loaded.value, residency_line(loaded.value));
    for (LeverAnswer& lever : answer.decode) {
        if (lever.id != LeverId::storage_rate) continue;
        lever.step = "a <drive>";
        lever.step_value = lever.value;
    }
    const std::string page = print_html(break_even_document(answer, true));
    CHECK(page_error(page) == "");
    CHECK(has(page, "92.2 % needed"));
    CHECK(has(page, "<h2>decode at 10.0 tok/s, one lever at a time</h2>"));
    CHECK(has(page, "a &lt;drive&gt;, "));
    CHECK(has(page, "smallest change: "));
}

TEST_CASE("the page of a sweep shows bars against the target") {
    const std::string page = print_html(sweep_document(sweep_rows(), sweep_view()));
    CHECK(page_error(page) == "");
    CHECK(has(page, "1 of 3 cases hold 10 tok/s, 1 has no figure."));
    CHECK(has(page, "All with model a &lt;model&gt;."));
    CHECK(has(page, "class=\"bar meets\""));
    CHECK(has(page, "class=\"bar misses\""));
    CHECK(has(page, "class=\"bar unknown\""));
    CHECK(has(page, ">9.9996</text>")); // rounded, but not to the other side of the target
    CHECK_FALSE(has(page, "<h2>prefill</h2>"));
}

TEST_CASE("the page of a sweep is bounded in bars, not in rows") {
    Table table = sweep_rows();
    for (int i = 0; i < 500; ++i) table.rows.push_back({"m", std::to_string(i), 100.0 + i});
    const std::string page = print_html(sweep_document(table, sweep_view()));
    CHECK(page_error(page) == "");
    CHECK(has(page, "The first 120 of 503 rows; the table has all."));
    CHECK(has(page, "<td>499</td>"));
    CHECK(has(page, "Bars with a notch go on beyond the edge."));
    Table none = sweep_rows();
    none.rows.clear();
    CHECK(page_error(print_html(sweep_document(none, sweep_view()))) == "");
    CHECK(has(print_html(sweep_document(none, sweep_view())), "No case is left."));
}

TEST_CASE("the colours of a page can be read in light and dark") {
    using Use = PageColour::Use;
    for (const PageColour& ground : page_colours()) {
        if (ground.use != Use::ground) continue;
        for (const PageColour& colour : page_colours()) {
            const double least = colour.use == Use::text ? 4.5 : colour.use == Use::mark ? 3.0 : 0.0;
            INFO(colour.name << " on " << ground.name);
            CHECK(contrast(colour.light, ground.light) >= least);
            CHECK(contrast(colour.dark, ground.dark) >= least);
        }
    }
    CHECK(contrast("#000000", "#ffffff") == Approx(21.0));
}

} // namespace spillway
