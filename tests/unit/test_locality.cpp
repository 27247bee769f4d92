// Routing locality: closed forms, limits, and the identities that tie D(t) to a cache's misses.
#include "engine/routing.h"
#include "inputs/locality.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace spillway;

namespace {

Locality fitted(double exponent) {
    Locality l;
    l.kind = LocalityKind::fitted;
    l.exponent = exponent;
    return l;
}

Locality table(std::vector<MissPoint> points) {
    Locality l;
    l.kind = LocalityKind::table;
    l.points = std::move(points);
    return l;
}

RoutedStep step(double experts, double active, double positions = 1, double sequences = 1) {
    return RoutedStep{experts, active, positions, sequences};
}

} // namespace

TEST_CASE("uniform routing misses exactly what is not resident", "[locality]") {
    const Locality uniform;
    for (const double r : {0.0, 0.25, 0.744, 0.9136, 1.0}) {
        CHECK(miss_fraction(uniform, r) == Approx(1.0 - r).margin(1e-15));
        CHECK(missed_experts(uniform, step(384, 6), r) == Approx(6.0 * (1.0 - r)).margin(1e-12));
    }
}

TEST_CASE("a 2,048-token chunk under uniform routing touches every expert", "[locality]") {
    // 384 x (1 - (1 - 6/384)^2048) = 384 x (1 - 1.0e-14)
    CHECK(touched_experts(Locality{}, step(384, 6, 2048)) == Approx(384.0).epsilon(1e-12));
}

TEST_CASE("a 6-position block of V4.1-Flash touches 34.6 experts under uniform routing", "[locality]") {
    CHECK(touched_experts(Locality{}, step(384, 6, 6)) == Approx(34.6).margin(0.05));
}

TEST_CASE("a 4-token step under uniform routing touches 3.9 times the experts of one", "[locality]") {
    CHECK(touched_experts(Locality{}, step(384, 6, 4)) / 6.0 == Approx(3.9).margin(0.01));
}

TEST_CASE("D(0) = 0, D(1) = k, concave and bounded by E for every kind of curve", "[locality]") {
    for (const Locality& l : {Locality{}, fitted(2.08), table({{0.25, 0.4}, {0.5, 0.2}, {1.0, 0.02}})}) {
        CHECK(touched_experts(l, step(128, 8, 1)) == Approx(8.0));
        double before = 0.0, growth = 8.0 + 1e-9;
        for (int t = 1; t < 400; ++t) {
            const double now = touched_experts(l, step(128, 8, t));
            CHECK(now - before <= growth + 1e-9);
            CHECK(now <= 128.0);
            growth = now - before;
            before = now;
        }
    }
}

TEST_CASE("one position misses k m(r), n positions miss at most n times that", "[locality]") {
    const Locality l = fitted(2.08);
    const double one = missed_experts(l, step(384, 6), 0.26);
    CHECK(one == Approx(6.0 * std::pow(1.0 - std::sqrt(0.26), 2.08)));
    CHECK(one / 6.0 == Approx(0.22).margin(0.01)); // the 22 % that was measured at 26 %
    const double block = missed_experts(l, step(384, 6, 6), 0.26);
    CHECK(block > one);
    CHECK(block < 6.0 * one);
}

TEST_CASE("a block's misses are D(tau + n) - D(tau)", "[locality]") {
    const Locality l = fitted(1.6);
    const double tau = 40, n = 5;
    const double kept = touched_experts(l, step(256, 8, tau));
    const double expected = touched_experts(l, step(256, 8, tau + n)) - kept;
    CHECK(missed_experts(l, step(256, 8, n), kept / 256.0) == Approx(expected));
}

TEST_CASE("sequences: nothing kept reads the union, everything kept reads nothing", "[locality]") {
    const Locality uniform;
    const double all = touched_experts(uniform, step(256, 8, 1, 8));
    CHECK(all == Approx(256.0 * (1.0 - std::pow(1.0 - 8.0 / 256.0, 8.0))));
    CHECK(missed_experts(uniform, step(256, 8, 1, 8), 0.0) == Approx(all));
    CHECK(missed_experts(uniform, step(256, 8, 1, 8), 1.0) == 0.0);
    // Under uniform routing b sequences of one token are one sequence of b tokens, cached or not.
    CHECK(missed_experts(uniform, step(256, 8, 1, 8), 0.4) == Approx(missed_experts(uniform, step(256, 8, 8, 1), 0.4)));
}

TEST_CASE("a table passes through (0, 1), its points, and its floor", "[locality]") {
    const Locality l = table({{0.25, 0.4}, {0.5, 0.2}});
    CHECK(miss_fraction(l, 0.0) == 1.0);
    CHECK(miss_fraction(l, 0.125) == Approx(0.7));
    CHECK(miss_fraction(l, 0.25) == Approx(0.4));
    CHECK(miss_fraction(l, 0.375) == Approx(0.3));
    CHECK(miss_fraction(l, 0.75) == Approx(0.1));
    CHECK(miss_fraction(l, 1.0) == 0.0);
    const Locality cold = table({{0.5, 0.3}, {1.0, 0.05}});
    CHECK(miss_fraction(cold, 1.0) == Approx(0.05));
}
