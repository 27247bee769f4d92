// When each note of an estimate is there, and with which value (the case is that of support/synthetic.h).
#include "support/synthetic.h"
#include "support/terms.h"

#include "engine/estimate.h"

#include <catch2/catch.hpp>

using namespace spillway;
using namespace spillway::literals;
using test::find_note;

namespace {

bool has(const Case& c, NoteId id) { return find_note(evaluate(c), id) != nullptr; }

} // namespace

TEST_CASE("fewer slots than a token's experts are noted", "[engine][notes]") {
    Case c = synthetic::one_pool();
    c.scenario.residency = 0.03; // 3 slots of 100, of which a token needs 4
    const Estimate e = evaluate(c);
    REQUIRE(find_note(e, NoteId::fewer_slots_than_active) != nullptr);
    CHECK(find_note(e, NoteId::fewer_slots_than_active)->value == Approx(3));
    c.scenario.residency = 0.05;
    CHECK_FALSE(has(c, NoteId::fewer_slots_than_active));
    c.scenario.active_experts = 6;
    CHECK(has(c, NoteId::fewer_slots_than_active));
}

TEST_CASE("a forced budget beyond the usable memory is noted with what is too much", "[engine][notes]") {
    Case c = synthetic::one_pool();
    c.scenario.expert_budget = Bytes(6e9); // beside 108.096 MB
    const Estimate e = evaluate(c);
    REQUIRE(find_note(e, NoteId::over_capacity) != nullptr);
    CHECK(find_note(e, NoteId::over_capacity)->value == Approx(108.096e6));
    c.scenario.expert_budget = Bytes(5e9);
    CHECK_FALSE(has(c, NoteId::over_capacity));
}

TEST_CASE("bounds and what leans on uniform routing are noted", "[engine][notes]") {
    Case c = synthetic::one_pool();
    CHECK(has(c, NoteId::uniform_routing));
    CHECK_FALSE(has(c, NoteId::prefill_uniform));
    c.scenario.locality.kind = LocalityKind::fitted;
    CHECK_FALSE(has(c, NoteId::uniform_routing));
    CHECK(has(c, NoteId::prefill_uniform));
    CHECK_FALSE(has(c, NoteId::union_upper_bound));
    c.scenario.sequences = 2;
    CHECK(has(c, NoteId::union_upper_bound));
    CHECK_FALSE(has(c, NoteId::spills_to_storage_in_place));
    CHECK(has(synthetic::two_pools(3.0, 4.0), NoteId::spills_to_storage_in_place));
    CHECK_FALSE(has(synthetic::two_pools(3.0, 20.0), NoteId::spills_to_storage_in_place));
}

TEST_CASE("what is not known is noted once, by its name", "[engine][notes]") {
    Case copied = synthetic::two_pools();
    copied.scenario.runtime.spill_access = Access::copied;
    CHECK_FALSE(has(copied, NoteId::unknown_link_rate));
    copied.machine.links[0].rate.reset();
    CHECK(has(copied, NoteId::unknown_link_rate));
    Case timeless = synthetic::one_pool();
    timeless.scenario.runtime.t_layer = {};
    CHECK(has(timeless, NoteId::unknown_layer_time));
    Case buffered = synthetic::one_pool(12.0);
    buffered.machine.memory[0].usable = 4.0_GB;
    buffered.scenario.runtime.read_path = ReadPath::buffered;
    CHECK(has(buffered, NoteId::unknown_page_cache_rate));
    Case slow = synthetic::one_pool();
    slow.machine.storage[0].rate.reset();
    CHECK(has(slow, NoteId::unknown_storage_rate));
    CHECK_FALSE(has(slow, NoteId::no_storage));
    Case parts = synthetic::one_pool();
    parts.machine.memory[0].sustained.reset();
    CHECK(has(parts, NoteId::unknown_sustained));
    parts.scenario.resident_pass = 5.0_ms;
    parts.scenario.prefill_compute = 1.0_s;
    CHECK_FALSE(has(parts, NoteId::unknown_sustained)); // nothing is priced by it
}
