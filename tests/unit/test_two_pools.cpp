// A fast and a slow pool, worked by hand, and the limits that tie two pools to one.
#include "engine/routing.h"
#include "support/synthetic.h"

#include "engine/estimate.h"

#include <catch2/catch.hpp>

using namespace spillway;
using namespace spillway::literals;

namespace {

double seconds(const Terms& terms, TermId id, int pool) {
    double sum = 0.0;
    for (const Term& term : terms) {
        if (term.id == id && term.pool == pool) sum += term.seconds.value().value;
    }
    return sum;
}

// 3 GB and 20 GB: the fast pool holds 3 GB less 108.096 MB of everything else, the rest of the 10 GB lies beside.
constexpr double kFastShare = (3e9 - 108.096e6) / 10e9;

} // namespace

TEST_CASE("experts in RAM, computed in place", "[pools]") {
    Case c = synthetic::two_pools();
    c.scenario.runtime.handoff = 0.5_ms;
    const Estimate e = evaluate(c);
    CHECK(*e.placement.residency == 1.0);
    CHECK(e.placement.tiers.items[0].expert_share == Approx(kFastShare));
    CHECK(e.placement.tiers.items[1].expert_share == Approx(1 - kFastShare));
    CHECK(seconds(e.decode.terms, TermId::read_experts, 0) == Approx(400e6 * kFastShare / 100e9));
    CHECK(seconds(e.decode.terms, TermId::read_experts, 1) == Approx(400e6 * (1 - kFastShare) / 20e9));
    CHECK(seconds(e.decode.terms, TermId::handoff, 1) == Approx(10 * 0.5e-3));
    CHECK(e.decode.storage->value == 0.0);
    CHECK(*e.decode.tokens_per_second < 20e9 / (400e6 * (1 - kFastShare))); // no faster than the slow pool allows
}

TEST_CASE("whole layers: the fast pool holds as many as fit, handoffs count the others", "[pools]") {
    Case c = synthetic::two_pools();
    c.scenario.runtime.policy = Policy::static_layers;
    c.scenario.runtime.handoff = 0.5_ms;
    const Estimate e = evaluate(c); // 2.89 GB hold two layers of 1 GB
    CHECK(e.placement.tiers.items[0].expert_bytes.value == Approx(2e9));
    CHECK(e.placement.tiers.items[1].expert_layers == Approx(8));
    CHECK(seconds(e.decode.terms, TermId::handoff, 1) == Approx(8 * 0.5e-3));
}

TEST_CASE("experts in RAM, copied over the link", "[pools]") {
    Case c = synthetic::two_pools();
    c.scenario.runtime.spill_access = Access::copied;
    const Estimate e = evaluate(c);
    // 10 GB/s for the copies, then the fast pool reads all 400 MB.
    CHECK(seconds(e.decode.terms, TermId::link_experts, 1) == Approx(400e6 * (1 - kFastShare) / 10e9));
    CHECK(seconds(e.decode.terms, TermId::read_experts, 0) == Approx(400e6 / 100e9));
    CHECK(seconds(e.decode.terms, TermId::read_experts, 1) == 0.0);
}

TEST_CASE("prefill copies what the chunk touches outside the device", "[pools]") {
    const Estimate e = evaluate(synthetic::two_pools());
    CHECK(seconds(e.prefill.terms, TermId::link_chunk, 1) == Approx(10e9 * (1 - kFastShare) / 10e9).epsilon(1e-6));
    const double total = 2 * 5e8 * 512 / 1e12 + (1 - kFastShare);
    CHECK(*e.prefill.tokens_per_second == Approx(512 / total).epsilon(1e-6));
}

TEST_CASE("prefill of experts that another processor computes needs that processor's rate", "[pools]") {
    Case c = synthetic::two_pools();
    c.scenario.runtime.prefill_spill_access = Access::in_place;
    const Estimate e = evaluate(c);
    CHECK_FALSE(e.prefill.tokens_per_second.has_value());
    CHECK(e.verdict.prefill == State::unknown);
}

TEST_CASE("a cache over two pools serves by use", "[pools]") {
    Case c = synthetic::two_pools();
    c.scenario.runtime.policy = Policy::cache;
    c.scenario.locality.kind = LocalityKind::fitted;
    c.scenario.locality.exponent = 2.0;
    const Estimate e = evaluate(c);
    const double missed_by_fast = miss_fraction(c.scenario.locality, kFastShare);
    CHECK(seconds(e.decode.terms, TermId::read_experts, 1) == Approx(400e6 * missed_by_fast / 20e9));
    // Placed at load the same bytes serve their share, whatever the locality.
    c.scenario.runtime.policy = Policy::static_heat;
    CHECK(seconds(evaluate(c).decode.terms, TermId::read_experts, 1) == Approx(400e6 * (1 - kFastShare) / 20e9));
}

TEST_CASE("three tiers: what no pool holds comes from the drive", "[pools]") {
    Case c = synthetic::two_pools(3.0, 4.0);
    const Estimate e = evaluate(c);
    const double held = (3e9 - 108.096e6 + 4e9) / 10e9;
    CHECK(*e.placement.residency == Approx(held));
    CHECK(e.decode.missed_bytes_per_token->value == Approx(400e6 * (1 - held)));
    // Paged in beside the slow pool and computed there.
    CHECK(seconds(e.decode.terms, TermId::read_experts, 1) == Approx(400e6 * (1 - kFastShare) / 20e9));
}

TEST_CASE("a dense model is split by whole layers", "[pools]") {
    Case c = synthetic::two_pools(0.3, 20.0);
    c.model.blocks[0].experts.reset();
    c.model.blocks[0].extra_params = 50'000'000; // 50 MB a layer, 500 MB in all
    const Estimate e = evaluate(c);
    // 300 MB less 4 MB of embedding and head and 4.096 MB of scratch hold five layers.
    CHECK(*e.placement.residency == 1.0);
    CHECK(e.placement.tiers.items[0].layers == 5);
    CHECK(e.placement.tiers.items[1].layers == 5);
    CHECK(seconds(e.decode.terms, TermId::read_fixed, 0) == Approx((250e6 + 2e6) / 100e9));
    CHECK(seconds(e.decode.terms, TermId::read_fixed, 1) == Approx(250e6 / 20e9));
}

TEST_CASE("an empty second pool changes nothing", "[pools]") {
    const Estimate one = evaluate(synthetic::one_pool(6.0));
    const Estimate two = evaluate(synthetic::two_pools(6.0, 0.0));
    CHECK(*two.placement.residency == Approx(*one.placement.residency));
    // Static placement serves its share of bytes; under uniform routing that is what a cache serves too.
    CHECK(two.decode.storage->value == Approx(one.decode.storage->value));
}

TEST_CASE("a second pool as fast as the first without handoff equals one larger pool", "[pools]") {
    Case two = synthetic::two_pools(6.0, 3.0);
    two.machine.memory[1].bandwidth = two.machine.memory[0].bandwidth;
    const Estimate a = evaluate(two), b = evaluate(synthetic::one_pool(9.0));
    CHECK(*a.placement.residency == Approx(*b.placement.residency));
    CHECK(*a.decode.tokens_per_second == Approx(*b.decode.tokens_per_second));
}

TEST_CASE("a second pool that the runtime does not use is left alone", "[pools]") {
    Case c = synthetic::two_pools(6.0, 20.0);
    c.scenario.runtime.spills = false;
    CHECK(*evaluate(c).placement.residency == Approx(*evaluate(synthetic::one_pool(6.0)).placement.residency));
}

TEST_CASE("page-cached reads: the best expert cache is not the biggest that fits", "[pools]") {
    Case c = synthetic::one_pool(12.0);
    c.machine.memory[0].bandwidth = 1000.0_GB_s;
    c.model.blocks[0].experts->count = 300; // a pool of 30 GB
    Runtime& r = c.scenario.runtime;
    r.read_path = ReadPath::buffered;
    r.page_cache_rate = 28.0_GB_s;
    r.page_cache_share = 0.45;
    c.scenario.locality.kind = LocalityKind::fitted;
    c.scenario.locality.exponent = 2.2;
    const auto speed = [&](double gigabytes) {
        c.scenario.expert_budget = Bytes(gigabytes * 1e9);
        return *evaluate(c).decode.tokens_per_second;
    };
    double best = 0.0, at = 0.0;
    for (double budget = 0.5; budget <= 11.5; budget += 0.5) {
        if (speed(budget) > best) best = speed(budget), at = budget;
    }
    CHECK(at > 1.0);
    CHECK(at < 9.0);
    CHECK(best > 1.2 * speed(11.5));
    CHECK(best > 1.02 * speed(0.5));
    // Left alone, the planner keeps the page cache's share free: 12 x 0.55 - 0.128 GB.
    c.scenario.expert_budget.reset();
    CHECK(evaluate(c).placement.expert_budget->value == Approx(12e9 * 0.55 - 104e6 - 4.096e6 - 20e6).epsilon(0.01));
}

TEST_CASE("layers with a residency of their own lie in the pools in proportion to it", "[pools]") {
    // Five layers whole and five at a fifth: 6 GB, of which the fast pool holds 2.891904. A layer that is whole has
    // 0.2891904 / 0.6 of itself there, one of the others a fifth of that. They route 4 and 2 experts a token.
    Case c = synthetic::two_pools();
    c.model.blocks.push_back(c.model.blocks[0]);
    c.model.blocks[0].layers.numbers = {0, 1, 2, 3, 4};
    c.model.blocks[1].layers.numbers = {5, 6, 7, 8, 9};
    c.model.blocks[1].experts->active = 2;
    c.scenario.residency_ranges = {{LayerSet{{0, 1, 2, 3, 4}}, 1.0}, {LayerSet{{5, 6, 7, 8, 9}}, 0.2}};
    const Estimate e = evaluate(c);
    CHECK(*e.placement.residency == Approx(0.6));
    const double whole = kFastShare / 0.6, others = whole / 5;
    CHECK(seconds(e.decode.terms, TermId::read_experts, 0) == Approx((200e6 * whole + 100e6 * others) / 100e9));
    CHECK(seconds(e.decode.terms, TermId::read_experts, 1) ==
          Approx((200e6 * (1 - whole) + 100e6 * (1 - others)) / 20e9));
    CHECK(e.decode.missed_bytes_per_token->value == Approx(80e6));
}
