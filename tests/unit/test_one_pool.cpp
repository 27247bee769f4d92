// One pool and a drive, worked by hand (the numbers are in tests/support/synthetic.h), and the limits of the model.
#include "support/synthetic.h"

#include "engine/estimate.h"

#include <catch2/catch.hpp>

using namespace spillway;
using namespace spillway::literals;

namespace {

double seconds(const Terms& terms, TermId id) {
    double sum = 0.0;
    for (const Term& term : terms) {
        if (term.id == id) sum += term.seconds.value().value;
    }
    return sum;
}

bool has_note(const Estimate& e, NoteId id) {
    for (const Note& note : e.notes) {
        if (note.id == id) return true;
    }
    return false;
}

} // namespace

TEST_CASE("a streamed case by hand", "[engine]") {
    // Fixed: layers 100 MB, embedding and head 4 MB, scratch 4 B x 2000 x 512 = 4.096 MB; budget 6 GB less that.
    const Case c = synthetic::one_pool();
    const Estimate e = evaluate(c);
    const double budget = 6e9 - 100e6 - 4e6 - 4.096e6;
    const double r = budget / 10e9;
    CHECK(e.placement.expert_budget->value == Approx(budget));
    CHECK(e.placement.expert_pool->value == Approx(10e9));
    CHECK(*e.placement.residency == Approx(r));
    CHECK(*e.placement.slots_per_layer == Approx(100 * r));
    CHECK(*e.placement.pool_over_budget == Approx(10e9 / budget));
    // Decode reads 100 MB of layers, 2 MB of head and all 400 MB of the experts it touches.
    CHECK(seconds(e.decode.terms, TermId::read_fixed) == Approx(102e6 / 100e9));
    CHECK(seconds(e.decode.terms, TermId::read_experts) == Approx(400e6 / 100e9));
    CHECK(seconds(e.decode.terms, TermId::storage_misses) == Approx(400e6 * (1 - r) / 5e9));
    const double step = 502e6 / 100e9 + 400e6 * (1 - r) / 5e9;
    CHECK(e.decode.step->value == Approx(step));
    CHECK(*e.decode.tokens_per_second == Approx(1 / step));
    CHECK(*e.decode.miss_fraction == Approx(1 - r));
    CHECK(*e.decode.limit == Limit::storage);
    CHECK(*e.decode.full_overlap == Approx(1 / (400e6 * (1 - r) / 5e9)));
    CHECK(*e.cost_ratio == Approx(20.0));
    CHECK(e.placement.load->value == Approx((104e6 + budget) / 5e9));
}

TEST_CASE("prefill by hand", "[engine]") {
    // 512 tokens touch all 100 experts; P = 10 x (1e7 + 4e7) = 5e8 parameters, no attention.
    const Estimate e = evaluate(synthetic::one_pool());
    const double r = *e.placement.residency;
    CHECK(e.prefill.compute_per_chunk->value == Approx(2 * 5e8 * 512 / 1e12));
    CHECK(e.prefill.storage_per_chunk->value == Approx(10e9 * (1 - r) / 5e9).epsilon(1e-6));
    const double total = 2 * 5e8 * 512 / 1e12 + 10e9 * (1 - r) / 5e9;
    CHECK(*e.prefill.tokens_per_second == Approx(512 / total).epsilon(1e-6));
    CHECK(*e.prefill.storage_limit == Approx(512 / (10e9 * (1 - r) / 5e9)).epsilon(1e-6));
    CHECK(e.prefill.time_to_first_token->value == Approx(total + e.decode.step->value).epsilon(1e-6));
}

TEST_CASE("every chunk reads the missing pool again, the last one at its true size", "[engine]") {
    Case c = synthetic::one_pool();
    c.scenario.prompt = 1500;
    c.scenario.chunk = 512;
    const Estimate e = evaluate(c);
    CHECK(e.prefill.chunks == 3.0);
    const double r = *e.placement.residency;
    const double compute = 2 * 5e8 * 1500 / 1e12;
    CHECK(e.prefill.total->value == Approx(compute + 3 * 10e9 * (1 - r) / 5e9).epsilon(1e-6));
}

TEST_CASE("all resident: no storage term, no sync, no note on routing", "[engine]") {
    Case c = synthetic::one_pool(20.0);
    c.scenario.runtime.t_sync = 1.0_ms;
    const Estimate e = evaluate(c);
    CHECK(*e.placement.residency == 1.0);
    CHECK(e.decode.storage->value == 0.0);
    CHECK(e.decode.step->value == Approx(502e6 / 100e9));
    CHECK_FALSE(has_note(e, NoteId::uniform_routing));
    CHECK(*e.decode.tokens_per_second == Approx(*e.decode.bandwidth_bound));
}

TEST_CASE("none resident: every touched expert is read", "[engine]") {
    Case c = synthetic::one_pool();
    c.scenario.residency = 0.0;
    const Estimate e = evaluate(c);
    CHECK(e.decode.missed_bytes_per_token->value == Approx(400e6));
    CHECK(*e.decode.miss_fraction == Approx(1.0));
}

TEST_CASE("a dense part that does not fit is an answer", "[engine]") {
    Case c = synthetic::one_pool(0.05);
    const Estimate e = evaluate(c);
    CHECK_FALSE(*e.placement.fits);
    CHECK(e.placement.short_by.value == Approx(100e6 + 4e6 + 4.096e6 - 50e6));
    CHECK_FALSE(e.placement.residency.has_value());
    CHECK_FALSE(e.decode.tokens_per_second.has_value());
    CHECK_FALSE(e.prefill.tokens_per_second.has_value());
    CHECK(e.verdict.overall == State::fails);
    CHECK(has_note(e, NoteId::does_not_fit));
}

TEST_CASE("an unknown input makes unknown only what needs it", "[engine]") {
    SECTION("compute: prefill speed, not the storage cap") {
        Case c = synthetic::one_pool();
        c.machine.compute.rate.reset();
        const Estimate e = evaluate(c);
        CHECK(e.decode.tokens_per_second.has_value());
        CHECK_FALSE(e.prefill.tokens_per_second.has_value());
        CHECK(e.prefill.storage_limit.has_value());
        CHECK(has_note(e, NoteId::unknown_compute));
        CHECK(e.verdict.prefill == State::unknown);
        c.scenario.target_prefill = *e.prefill.storage_limit * 1.01; // the cap alone misses it
        CHECK(evaluate(c).verdict.prefill == State::fails);
    }
    SECTION("bandwidth: decode, unless reading alone is too slow") {
        Case c = synthetic::one_pool();
        c.machine.memory[0].bandwidth.reset();
        CHECK(evaluate(c).verdict.decode == State::unknown);
        CHECK(evaluate(c).placement.residency.has_value());
        c.scenario.target_decode = 50;
        CHECK(evaluate(c).verdict.decode == State::fails);
    }
    SECTION("usable memory: residency and all after it") {
        Case c = synthetic::one_pool();
        c.machine.memory[0].usable.reset();
        const Estimate e = evaluate(c);
        CHECK_FALSE(e.placement.residency.has_value());
        CHECK_FALSE(e.decode.tokens_per_second.has_value());
        CHECK(has_note(e, NoteId::unknown_usable));
    }
    SECTION("usable memory does not matter where the residency is given") {
        Case c = synthetic::one_pool();
        c.machine.memory[0].usable.reset();
        c.scenario.residency = 0.5;
        CHECK(evaluate(c).decode.tokens_per_second.has_value());
    }
    SECTION("no drive: decode cannot spill") {
        Case c = synthetic::one_pool();
        c.machine.storage.clear();
        const Estimate e = evaluate(c);
        CHECK_FALSE(e.decode.tokens_per_second.has_value());
        CHECK(has_note(e, NoteId::no_storage));
    }
    SECTION("bits: everything") {
        Case c = synthetic::one_pool();
        c.quantization.experts.reset();
        const Estimate e = evaluate(c);
        CHECK_FALSE(e.placement.residency.has_value());
        CHECK(has_note(e, NoteId::unknown_bits));
        CHECK(e.verdict.overall == State::unknown);
    }
}

TEST_CASE("a measured locality turns fails into depends", "[engine]") {
    Case c = synthetic::one_pool();
    c.scenario.target_decode = 30;
    CHECK(evaluate(c).verdict.decode == State::fails);
    Locality measured;
    measured.name = "measured";
    measured.kind = LocalityKind::fitted;
    measured.exponent = 2.0;
    c.alternatives = {measured};
    const Estimate e = evaluate(c);
    CHECK(e.verdict.decode == State::depends);
    CHECK(*e.alternatives.items[0].tokens_per_second > 30);
}

TEST_CASE("overlap hides a share of the shorter part, between the bounds", "[engine]") {
    Case c = synthetic::one_pool();
    c.scenario.runtime.overlap_decode = 0.5;
    const Estimate e = evaluate(c);
    CHECK(e.decode.step->value == Approx(e.decode.storage->value + 0.5 * e.decode.resident->value));
    CHECK(*e.decode.no_overlap < *e.decode.tokens_per_second);
    CHECK(*e.decode.tokens_per_second < *e.decode.full_overlap);
}

TEST_CASE("a forced pass below the bandwidth bound gets a note", "[engine]") {
    Case c = synthetic::one_pool(20.0);
    c.scenario.resident_pass = 1.0_ms; // 502 MB at 100 GB/s take 5 ms
    CHECK(has_note(evaluate(c), NoteId::forced_pass_below_bound));
    c.scenario.resident_pass = 10.0_ms;
    CHECK_FALSE(has_note(evaluate(c), NoteId::forced_pass_below_bound));
}

TEST_CASE("lookup tables cost reads, never budget", "[engine]") {
    Case with = synthetic::one_pool();
    with.model.tables = {LookupTable{"rows", 1'000'000'000, 256, 48, 48}};
    with.quantization.tables = 8.0;
    const Estimate a = evaluate(synthetic::one_pool()), b = evaluate(with);
    CHECK(b.placement.expert_budget->value == a.placement.expert_budget->value);
    CHECK(seconds(b.decode.terms, TermId::lookup) == Approx(48 * 256 / 5e9));
}

TEST_CASE("a drafter is charged and read only when the scenario speculates", "[engine]") {
    Case c = synthetic::one_pool();
    Drafter drafter;
    drafter.kind = "mtp";
    drafter.blocks = c.model.blocks;
    drafter.blocks[0].layers.numbers = {0};
    c.model.drafter = drafter; // 1 GB of experts, 10 MB of other weights
    const Estimate idle = evaluate(c);
    CHECK(idle.placement.expert_budget->value == evaluate(synthetic::one_pool()).placement.expert_budget->value);
    c.scenario.positions = 3;
    c.scenario.accepted = 2;
    const Estimate drafting = evaluate(c);
    CHECK(idle.placement.expert_budget->value - drafting.placement.expert_budget->value == Approx(1.01e9));
    // Two passes of one layer: 10 MB, 4 experts of 10 MB and the head of 2 MB each.
    CHECK(seconds(drafting.decode.terms, TermId::read_drafter) == Approx(2 * 52e6 / 100e9));
    CHECK(*drafting.decode.tokens_per_second == Approx(2 / drafting.decode.step->value));
}

TEST_CASE("a residency forced on some layers prices them apart", "[engine]") {
    Case c = synthetic::one_pool();
    LayerSet half;
    half.numbers = {0, 1, 2, 3, 4};
    c.model.blocks.push_back(c.model.blocks[0]);
    c.model.blocks[0].layers = half;
    c.model.blocks[1].layers.numbers = {5, 6, 7, 8, 9};
    c.scenario.residency_ranges = {ResidencyRange{half, 1.0}};
    const Estimate e = evaluate(c);
    // 5 GB are pinned; the other five layers share what is left of the budget.
    const double own = *evaluate(synthetic::one_pool()).placement.residency;
    CHECK(*e.placement.residency == Approx(own));
    CHECK(e.decode.missed_bytes_per_token->value == Approx(200e6 * (1 - (own * 10e9 - 5e9) / 5e9)));
}

TEST_CASE("fewer experts than the model's top-k read fewer bytes", "[engine]") {
    Case c = synthetic::one_pool();
    c.scenario.active_experts = 2;
    CHECK(evaluate(c).decode.expert_bytes_per_token->value == Approx(200e6));
}
