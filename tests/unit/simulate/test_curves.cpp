// Curves: steps, D(t), warm parts, hot sets, the global cliff, and what synthetic routing has to give.
#include "simulate/curves.h"
#include "simulate/fit.h"
#include "simulate/inspect.h"
#include "simulate/replay.h"
#include "simulate/synthetic.h"
#include "simulate/windows.h"
#include "support/routes.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <set>

using namespace spillway;
using test::ListedRoutes;

namespace {

SyntheticRouting uniform(std::uint32_t experts, std::uint32_t k, std::uint32_t layers, std::uint64_t tokens,
                         std::uint64_t seed) {
    SyntheticRouting r;
    r.experts = experts;
    r.top_k = k;
    r.layers = layers;
    r.tokens = tokens;
    r.seed = seed;
    return r;
}

TraceCurves curves_of(const SyntheticRouting& routing, const CurveOptions& options = {}) {
    SyntheticSource source(routing);
    return trace_curves(source, options);
}

std::vector<std::string> steps_of(std::vector<ListedRoutes::Listed> routes, StepSizes sizes) {
    ListedRoutes source(std::move(routes));
    LayerStepBuilder builder(sizes);
    std::vector<std::string> steps;
    const auto sink = [&](const LayerStep& s) {
        std::string line =
            std::to_string(s.layer) + "@" + std::to_string(s.first_token) + "x" + std::to_string(s.tokens);
        for (const std::uint32_t e : s.experts) line += " " + std::to_string(e);
        steps.push_back(line);
    };
    Route route;
    while (source.next(route)) builder.add(route, sink);
    builder.flush(sink);
    return steps;
}

} // namespace

TEST_CASE("a step's experts count once; prompts are one step per layer, layers in order", "[trace][steps]") {
    const auto p = RoutePhase::prefill;
    const std::vector<ListedRoutes::Listed> routes = {{0, {1, 2}, p, 0}, {0, {2, 3}, p, 0}, {1, {5}, p, 0}, {0, {4}},
                                                      {1, {6}},          {0, {4, 5}},       {1, {6}},       {0, {7}}};
    CHECK(steps_of(routes, {1, 0}) ==
          std::vector<std::string>{"0@0x2 1 2 3", "1@0x1 5", "0@0x1 4", "1@0x1 6", "0@1x1 4 5", "1@1x1 6", "0@2x1 7"});
    CHECK(steps_of(routes, {2, 1}) ==
          std::vector<std::string>{"0@0x1 1 2", "0@1x1 2 3", "1@0x1 5", "0@0x2 4 5", "1@0x2 6", "0@2x1 7"});
}

TEST_CASE("D(t) over sequences is the mean over all windows inside them", "[trace][windows]") {
    // Experts 1,2 | 2,3 | 1,2 and, in another sequence, 9 | 9.
    WindowCounter windows(8);
    const std::vector<std::vector<std::uint32_t>> first = {{1, 2}, {2, 3}, {1, 2}}, second = {{9}, {9}};
    for (const auto& token : first) windows.add(token);
    windows.end_sequence();
    for (const auto& token : second) windows.add(token);
    const std::vector<double> distinct = windows.distinct();
    REQUIRE(distinct.size() == 3);
    CHECK(distinct[0] == Approx(8.0 / 5.0)); // 2 2 2 1 1
    CHECK(distinct[1] == Approx(7.0 / 3.0)); // {1,2,3} {1,2,3} {9}
    CHECK(distinct[2] == Approx(3.0));       // {1,2,3}
}

TEST_CASE("D(t) equals counting every window, whatever the longest one asked for", "[trace][windows]") {
    Rng rng(7);
    std::vector<std::vector<std::uint32_t>> tokens;
    for (int i = 0; i < 60; ++i) tokens.push_back(test::draw_distinct(rng, 20, 3));
    for (const std::uint32_t longest : {5U, 60U, 100U}) {
        WindowCounter windows(longest);
        for (const auto& token : tokens) windows.add(token);
        const std::vector<double> distinct = windows.distinct();
        REQUIRE(distinct.size() == std::min<std::size_t>(longest, 60));
        for (std::size_t t = 1; t <= distinct.size(); ++t) {
            double sum = 0.0;
            for (std::size_t from = 0; from + t <= tokens.size(); ++from) {
                std::set<std::uint32_t> in_window;
                for (std::size_t i = from; i < from + t; ++i) in_window.insert(tokens[i].begin(), tokens[i].end());
                sum += static_cast<double>(in_window.size());
            }
            CHECK(distinct[t - 1] == Approx(sum / static_cast<double>(tokens.size() - t + 1)));
        }
    }
}

// 4 layers x 30,000 tokens x 6, half of it warm: the standard error of a share is below 0.0008 even if the lookups of a
// token counted as one; five of these are 0.004.
TEST_CASE("uniform routing misses 1 - r at 90, 75 and 50 % residency", "[trace][synthetic]") {
    for (const auto& [experts, k] : {std::pair{384U, 6U}, std::pair{128U, 8U}}) {
        const TraceCurves curves = curves_of(uniform(experts, k, 4, 30000, 11));
        for (const double r : {0.9, 0.75, 0.5}) {
            const CurvePoint p = curve_point(curves, r);
            CHECK(*p.warm == Approx(1.0 - r).margin(0.004));
            CHECK(*p.hot_outside == Approx(1.0 - r).margin(0.006));
            CHECK(*p.by_windows == Approx(1.0 - r).margin(0.004));
        }
    }
}

// Tolerance: 1 point. D(t) averages over all tokens, the replay counts the later half; the positions that the experts
// of a step take among themselves add up to (k - 1) / 2 slots.
TEST_CASE("the curve from D(t) agrees with exact replay where routing is stationary", "[trace][synthetic]") {
    for (const std::uint64_t step : {1U, 4U}) {
        for (const double reuse : {0.0, 0.5, 0.8}) {
            SyntheticRouting routing = uniform(128, 6, 3, 20000, 5);
            routing.kind = SyntheticKind::zipf;
            routing.reuse = reuse;
            CurveOptions options;
            options.step = step;
            const TraceCurves curves = curves_of(routing, options);
            for (const double r : {0.9, 0.75, 0.5, 0.25}) {
                const CurvePoint p = curve_point(curves, r);
                INFO("step " << step << ", reuse " << reuse << ", r " << r);
                REQUIRE(p.by_windows);
                CHECK(*p.by_windows == Approx(*p.warm).margin(0.01));
            }
        }
    }
}

TEST_CASE("a topic shift shows as a difference between D(t) and replay", "[trace][synthetic]") {
    // The first half of the tokens uses 4 experts, the second half 64.
    std::vector<ListedRoutes::Listed> routes;
    Rng rng(3);
    for (int i = 0; i < 4096; ++i) routes.push_back({0, test::draw_distinct(rng, i < 2048 ? 4 : 64, 2)});
    ListedRoutes source(std::move(routes));
    const TraceCurves curves = trace_curves(source, CurveOptions{});
    const std::vector<CurvePoint> points = {curve_point(curves, 0.5), curve_point(curves, 0.25)};
    REQUIRE(window_difference(points));
    CHECK(*window_difference(points) > kStationaryDifference);
}

TEST_CASE("a global LRU below a token's cycle hits nothing", "[trace][global]") {
    const TraceCurves curves = curves_of(uniform(64, 4, 10, 500, 2));
    REQUIRE(curves.global);
    CHECK(curves.global->cycle == 40);
    // (layers - 1) x k others come between two tokens of a layer.
    CHECK(curves.global->first_hit == 37U);
    CHECK(curves.global->cold.missed_with(36) == static_cast<double>(curves.global->cold.lookups));
    CHECK(curves.global->distinct_experts == 640);
}

TEST_CASE("a trace ordered by layer has no global curve", "[trace][global]") {
    std::vector<ListedRoutes::Listed> routes;
    for (std::uint32_t layer = 0; layer < 2; ++layer) {
        for (std::uint32_t t = 0; t < 10; ++t) routes.push_back({layer, {t % 4U}});
    }
    ListedRoutes source(std::move(routes));
    const TraceCurves curves = trace_curves(source, CurveOptions{});
    CHECK_FALSE(curves.token_order);
    CHECK_FALSE(curves.global);
    CHECK(curves.layers.size() == 2);
}

TEST_CASE("hot sets: known in advance and learned from the part before", "[trace][hot]") {
    // Eight tokens on expert 0, then eight on expert 1; the split is after 8.
    std::vector<ListedRoutes::Listed> routes;
    for (std::uint32_t t = 0; t < 16; ++t) routes.push_back({0, {t < 8 ? 0U : 1U}});
    ListedRoutes source(std::move(routes));
    const TraceCurves curves = trace_curves(source, CurveOptions{});
    const LayerCurves& layer = curves.layers.at(0);
    CHECK(layer.warm_after == 8);
    CHECK(layer.hot_inside.missed_with(1) == 8.0);
    CHECK(layer.hot_outside.lookups == 8);
    CHECK(layer.hot_outside.missed_with(1) == 8.0);
    CHECK(layer.hot_outside.missed_with(2) == 0.0);
}

TEST_CASE("the warm part can be stated, and is at most half of the tokens by itself", "[trace]") {
    for (const std::uint64_t tokens : {1U, 2U, 3U, 7U, 8U, 9U, 100U}) {
        const TraceCurves curves = curves_of(uniform(16, 2, 1, tokens, 1));
        const std::uint64_t split = curves.layers.at(0).warm_after;
        CHECK(split * 2 <= tokens);
        CHECK(split * 4 + 2 > tokens);
    }
    CurveOptions options;
    options.warm = 30;
    CHECK(curves_of(uniform(16, 2, 1, 100, 1), options).layers[0].warm.lookups == 140);
    options.warm = 100;
    CHECK_FALSE(curve_point(curves_of(uniform(16, 2, 1, 100, 1), options), 0.5).warm);
}

TEST_CASE("Belady's misses at whole slots lie below LRU's", "[trace][belady]") {
    StoredSteps steps;
    CurveOptions options;
    options.observer = [&](const LayerStep& step) { steps.add(step); };
    const TraceCurves curves = curves_of(uniform(32, 4, 3, 400, 9), options);
    const auto futures = next_uses(steps);
    for (const double r : {0.25, 0.5, 0.75, 1.0}) {
        const double belady = belady_miss(steps, futures, 32 * r, RoutePhase::decode, 0);
        CHECK(belady <= *curve_point(curves, r).cold + 1e-12);
    }
    CHECK(belady_miss(steps, futures, 32, RoutePhase::decode, 0) == Approx(*curve_point(curves, 1.0).cold));
}

TEST_CASE("synthetic routing is the same everywhere", "[trace][synthetic]") {
    // xoshiro256** from splitmix64(1); first outputs as its authors' code gives them.
    Rng rng(1);
    CHECK(rng.next() == 0xb3f2af6d0fc710c5U);
    SyntheticRouting routing = uniform(32, 3, 2, 3, 42);
    routing.kind = SyntheticKind::zipf;
    SyntheticSource a(routing), b(routing);
    Route x, y;
    std::uint64_t digest = 14695981039346656037U;
    while (a.next(x)) {
        REQUIRE(b.next(y));
        CHECK(std::equal(x.experts.begin(), x.experts.end(), y.experts.begin(), y.experts.end()));
        for (const std::uint32_t e : x.experts) digest = (digest ^ e) * 1099511628211U;
    }
    CHECK(digest == 0xfa9ce11a1e8d3772U);
    CHECK(a.info().synthetic);
    CHECK(a.info().name.find("synthetic") != std::string::npos);
}

TEST_CASE("inspect: coverage, entropy, popularity and repetition", "[trace][inspect]") {
    ListedRoutes source({{0, {0, 1}}, {0, {1, 2}}, {0, {0, 1}}, {0, {1, 3}}});
    const TraceShape shape = inspect_trace(source, 10U);
    REQUIRE(shape.layers.size() == 1);
    const LayerPopularity& layer = shape.layers[0];
    CHECK(shape.experts == 10);
    CHECK(shape.decode_tokens == 4);
    CHECK(layer.distinct_experts == 4);
    // Shares 1/4, 1/2, 1/8, 1/8: 0.5 + 0.5 + 0.375 + 0.375 bits.
    CHECK(layer.entropy_bits == Approx(1.75));
    CHECK(layer.hottest_share == Approx(0.5));
    CHECK(layer.hottest_expert == 1);
    CHECK(*layer.repeated == Approx(0.5));
}

TEST_CASE("the exponent of a curve of the family is found, others are called bad", "[trace][fit]") {
    std::vector<MissPoint> exact, uniform_points, rough;
    for (int i = 1; i < 20; ++i) {
        const double r = i / 20.0, m = std::pow(1.0 - std::sqrt(r), 2.08);
        exact.push_back({r, m});
        uniform_points.push_back({r, 1.0 - r});
        rough.push_back({r, m + (i % 2 == 0 ? 0.01 : -0.01)});
    }
    const auto fit = fit_exponent(exact);
    REQUIRE(fit);
    CHECK(fit->exponent == Approx(2.08).margin(1e-6));
    CHECK(fit->good());
    CHECK(*fit->standard_error < 1e-6);
    const auto noisy = fit_exponent(rough);
    CHECK(noisy->good());
    CHECK(std::abs(noisy->exponent - 2.08) < 3.0 * *noisy->standard_error);
    const auto bad = fit_exponent(uniform_points);
    CHECK_FALSE(bad->good());
    CHECK(bad->at_limit);
    CHECK_FALSE(bad->standard_error);
    CHECK_FALSE(fit_exponent(std::vector<MissPoint>{{1.0, 0.1}}));
}
