// What must hold for every case: monotone in memory and drive, bounded by bandwidth, homogeneous in time, and
// break-even values that meet their target. Cases are drawn at random around the synthetic model.
#include "support/synthetic.h"

#include "engine/estimate.h"
#include "explore/break_even.h"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include <cmath>

using namespace spillway;

namespace {

double uniform(double low, double high) { return low + (high - low) * (*rc::gen::inRange(0, 1'000'001)) / 1e6; }

Locality any_locality() {
    Locality l;
    switch (*rc::gen::inRange(0, 3)) {
    case 0: return l;
    case 1:
        l.kind = LocalityKind::fitted;
        l.exponent = uniform(1.0, 4.0);
        return l;
    default:
        l.kind = LocalityKind::table;
        l.points = {{0.2, uniform(0.3, 1.0)}, {0.5, uniform(0.1, 0.3)}, {0.9, uniform(0.0, 0.1)}};
        return l;
    }
}

// One pool, a direct path, no prefetch; everything else varies.
Case any_case() {
    Case c = synthetic::one_pool(uniform(0.5, 14.0));
    c.machine.memory[0].bandwidth = BytesPerSecond(uniform(1e10, 2e12));
    c.machine.memory[0].sustained = uniform(0.3, 1.0);
    c.machine.storage[0].rate = BytesPerSecond(uniform(5e8, 2e10));
    if (*rc::gen::arbitrary<bool>()) {
        const double slow = uniform(1e8, 1e9);
        c.machine.storage[0].curve = {{Bytes(1e5), 1, BytesPerSecond(slow)},
                                      {Bytes(1e5), 8, BytesPerSecond(slow * 4)},
                                      {Bytes(1e7), 1, BytesPerSecond(slow * 6)},
                                      {Bytes(1e7), 8, BytesPerSecond(slow * 9)}};
    }
    c.machine.compute.rate = FlopsPerSecond(uniform(1e11, 1e14));
    Runtime& r = c.scenario.runtime;
    for (auto& t : r.t_layer.values) t = Seconds(uniform(0.0, 1e-3));
    r.t_pass = Seconds(uniform(0.0, 1e-3));
    r.t_sync = Seconds(uniform(0.0, 1e-3));
    r.overlap_decode = uniform(0.0, 1.0);
    r.overlap_prefill = uniform(0.0, 1.0);
    r.lanes = *rc::gen::inRange(1, 33);
    r.pieces = *rc::gen::inRange(1, 10);
    r.realised_share = uniform(0.1, 1.0);
    c.quantization.experts = uniform(1.0, 16.0);
    c.scenario.sequences = *rc::gen::inRange(1, 5);
    c.scenario.positions = *rc::gen::inRange(1, 6);
    c.scenario.accepted = uniform(1.0, c.scenario.positions);
    c.scenario.prompt = *rc::gen::inRange(1, 5000);
    c.scenario.depth = *rc::gen::inRange(0, 4000);
    c.scenario.locality = any_locality();
    return c;
}

double decode(const Case& c) { return evaluate(c).decode.tokens_per_second.value_or(0.0); }
double prefill(const Case& c) { return evaluate(c).prefill.tokens_per_second.value_or(0.0); }

constexpr double kRounding = 1.0 + 1e-9;

} // namespace

TEST_CASE("more memory never slows", "[property]") {
    CHECK(rc::check([] {
        Case c = any_case();
        // At a flat rate: on a curve the few misses that remain may be read at a lower depth.
        c.machine.storage[0].curve.clear();
        const double before = decode(c), prompt_before = prefill(c);
        MemoryPool& pool = c.machine.memory[0];
        pool.capacity = *pool.usable * uniform(1.0, 3.0);
        pool.usable = pool.capacity;
        RC_ASSERT(decode(c) * kRounding >= before);
        RC_ASSERT(prefill(c) * kRounding >= prompt_before);
    }));
}

TEST_CASE("a faster drive never slows", "[property]") {
    CHECK(rc::check([] {
        Case c = any_case();
        const double before = decode(c), prompt_before = prefill(c);
        c.machine.storage[0].rate = *c.machine.storage[0].rate * uniform(1.0, 5.0);
        RC_ASSERT(decode(c) * kRounding >= before);
        RC_ASSERT(prefill(c) * kRounding >= prompt_before);
    }));
}

TEST_CASE("no speed above pool bandwidth over bytes without a forced pass", "[property]") {
    CHECK(rc::check([] {
        const Estimate e = evaluate(any_case());
        if (!e.decode.tokens_per_second) return;
        RC_ASSERT(*e.decode.tokens_per_second <= *e.decode.bandwidth_bound * kRounding);
        RC_ASSERT(*e.decode.tokens_per_second <= *e.decode.full_overlap * kRounding);
        RC_ASSERT(*e.decode.tokens_per_second * kRounding >= *e.decode.no_overlap);
    }));
}

TEST_CASE("doubling every rate and halving every fixed time doubles the speed", "[property]") {
    CHECK(rc::check([] {
        Case c = any_case();
        const double before = decode(c), prompt_before = prefill(c);
        MemoryPool& pool = c.machine.memory[0];
        pool.bandwidth = 2.0 * *pool.bandwidth;
        Drive& drive = c.machine.storage[0];
        drive.rate = 2.0 * *drive.rate;
        for (RatePoint& point : drive.curve) point.rate = 2.0 * point.rate;
        c.machine.compute.rate = 2.0 * *c.machine.compute.rate;
        Runtime& r = c.scenario.runtime;
        for (auto& t : r.t_layer.values) t = *t / 2.0;
        r.t_pass = *r.t_pass / 2.0;
        r.t_sync = *r.t_sync / 2.0;
        RC_ASSERT(std::abs(decode(c) - 2.0 * before) <= 1e-9 * before);
        RC_ASSERT(std::abs(prefill(c) - 2.0 * prompt_before) <= 1e-9 * prompt_before);
    }));
}

TEST_CASE("named terms sum to the step", "[property]") {
    CHECK(rc::check([] {
        const Estimate e = evaluate(any_case());
        if (!e.decode.step) return;
        double sum = 0.0;
        for (const Term& term : e.decode.terms) sum += term.seconds->value;
        RC_ASSERT(std::abs(sum - e.decode.step->value) <= 1e-12 + 1e-9 * e.decode.step->value);
    }));
}

TEST_CASE("a break-even residency fed back meets the target, and nothing smaller does", "[property]") {
    CHECK(rc::check([] {
        Case c = any_case();
        c.machine.storage[0].curve.clear();
        c.scenario.target_decode = uniform(0.5, 400.0);
        const ResidencyLine line = residency_line(c);
        if (line.answer != Answer::found) return;
        c.scenario.residency = *line.residency;
        RC_ASSERT(decode(c) >= c.scenario.target_decode);
        c.scenario.residency = *line.residency * (1.0 - 1e-6);
        RC_ASSERT(decode(c) < c.scenario.target_decode * kRounding);
    }));
}

TEST_CASE("no figure is negative or not finite", "[property]") {
    CHECK(rc::check([] {
        const Estimate e = evaluate(any_case());
        for (const auto& figure : {e.decode.tokens_per_second, e.decode.no_overlap, e.decode.full_overlap,
                                   e.prefill.tokens_per_second, e.prefill.storage_limit, e.placement.residency}) {
            // RC_ASSERT evaluates both sides of ||.
            const bool sound = !figure || (std::isfinite(*figure) && *figure >= 0.0);
            RC_ASSERT(sound);
        }
    }));
}
