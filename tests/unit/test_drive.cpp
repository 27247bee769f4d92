// Drives as curves: the measured points of an M5 Pro, limits and scaling.
#include "engine/drive.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace spillway;
using namespace spillway::literals;

namespace {

Drive m5_pro() {
    Drive d;
    d.rate = 17.25_GB_s;
    d.curve = {{16.0_KiB, 1, 0.27_GB_s}, {16.0_KiB, 8, 2.04_GB_s}, {16.0_KiB, 32, 4.54_GB_s},
               {2.76_MB, 1, 9.46_GB_s},  {2.76_MB, 4, 16.95_GB_s}, {2.76_MB, 8, 17.25_GB_s}};
    return d;
}

double rate(const Drive& d, Bytes piece, double depth) { return read_rate(d, piece, depth)->value / 1e9; }

} // namespace

TEST_CASE("a drive's measured points come back", "[drive]") {
    const Drive d = m5_pro();
    CHECK(rate(d, 2.76_MB, 1) == Approx(9.46));
    CHECK(rate(d, 2.76_MB, 4) == Approx(16.95));
    CHECK(rate(d, 2.76_MB, 8) == Approx(17.25));
    CHECK(rate(d, 16.0_KiB, 1) == Approx(0.27));
    CHECK(rate(d, 16.0_KiB, 32) == Approx(4.54));
}

TEST_CASE("between points the rate follows a power law", "[drive]") {
    const Drive d = m5_pro();
    // Depth 2 between (1, 9.46) and (4, 16.95): half way in log depth, so the geometric mean.
    CHECK(rate(d, 2.76_MB, 2) == Approx(std::sqrt(9.46 * 16.95)));
    // A piece half way in log size between the two rows.
    const Bytes middle(std::sqrt(16.0 * 1024.0 * 2.76e6));
    CHECK(rate(d, middle, 1) == Approx(std::sqrt(0.27 * 9.46)));
}

TEST_CASE("outside the measured range the curve is flat and never above the ceiling", "[drive]") {
    const Drive d = m5_pro();
    CHECK(rate(d, 1.0_KiB, 1) == Approx(0.27));
    CHECK(rate(d, 100.0_MB, 64) == Approx(17.25));
    for (double depth = 1; depth < 100; depth *= 1.7) {
        for (double piece = 1e3; piece < 1e9; piece *= 3.1) {
            CHECK(rate(d, Bytes(piece), depth) <= 17.25 + 1e-9);
            CHECK(rate(d, Bytes(piece), depth * 1.3) >= rate(d, Bytes(piece), depth) - 1e-9);
            CHECK(rate(d, Bytes(piece * 1.3), depth) >= rate(d, Bytes(piece), depth) - 1e-9);
        }
    }
}

TEST_CASE("a noisy dip does not make the curve fall", "[drive]") {
    Drive d = m5_pro();
    d.curve.push_back({2.76_MB, 16, 17.18_GB_s});
    CHECK(rate(d, 2.76_MB, 16) == Approx(17.25));
}

TEST_CASE("a stated rate scales the curve to that ceiling", "[drive]") {
    Drive d = m5_pro();
    d.rate = 8.625_GB_s; // half
    CHECK(rate(d, 2.76_MB, 1) == Approx(9.46 / 2));
    CHECK(rate(d, 2.76_MB, 8) == Approx(8.625));
}

TEST_CASE("flat and unknown drives", "[drive]") {
    Drive flat;
    flat.rate = 6.0_GB_s;
    CHECK(rate(flat, 4.0_KiB, 1) == Approx(6.0));
    CHECK(rate(flat, 19.0_MB, 32) == Approx(6.0));
    CHECK_FALSE(read_rate(Drive{}, 1.0_MB, 1).has_value());
    Drive only_curve = m5_pro();
    only_curve.rate.reset();
    CHECK(ceiling_rate(only_curve)->value == Approx(17.25e9));
}

TEST_CASE("a flat curve equals a flat rate", "[drive]") {
    Drive flat, curve;
    flat.rate = 6.0_GB_s;
    curve.rate = 6.0_GB_s;
    curve.curve = {{16.0_KiB, 1, 6.0_GB_s}, {16.0_KiB, 8, 6.0_GB_s}, {19.0_MB, 8, 6.0_GB_s}};
    for (const double depth : {1.0, 3.0, 40.0}) CHECK(rate(curve, 1.0_MB, depth) == Approx(rate(flat, 1.0_MB, depth)));
}
