// Reads through the page cache by hand: what it serves, what it takes, and what is left when it is squeezed out. Beside
// the experts lie 108.096 MB: layers 100, embedding and head 4, scratch 4.096 (support/synthetic.h).
#include "support/synthetic.h"
#include "support/terms.h"

#include "engine/estimate.h"

#include <catch2/catch.hpp>

using namespace spillway;
using namespace spillway::literals;
using test::find_note;
using test::seconds;

namespace {

constexpr double kFixed = 108.096e6;

// A machine of 12 GB of which a runtime may wire `usable`, read through the page cache at 20 GB/s.
Case buffered(double usable) {
    Case c = synthetic::one_pool(12.0);
    c.machine.memory[0].usable = Bytes(usable);
    c.scenario.runtime.read_path = ReadPath::buffered;
    c.scenario.runtime.page_cache_rate = 20.0_GB_s;
    return c;
}

// 6 GB, all of it usable, of which the page cache needs 3 GB; `left` bytes are not taken by fixed parts and experts.
Case squeezed(double left) {
    Case c = synthetic::one_pool(6.0);
    c.scenario.runtime.read_path = ReadPath::buffered;
    c.scenario.runtime.page_cache_rate = 20.0_GB_s;
    c.scenario.runtime.page_cache_share = 0.5;
    c.scenario.expert_budget = Bytes(6e9 - kFixed - left);
    return c;
}

double realised(const Case& c) { return evaluate(c).decode.storage_rate->value; }

} // namespace

TEST_CASE("a page cache larger than the engine's cache serves the difference", "[engine][page-cache]") {
    Case c = buffered(4e9);
    c.scenario.runtime.insertion_rate = 10.0_GB_s;
    const Estimate e = evaluate(c);
    const double r = (4e9 - kFixed) / 10e9; // 0.3891904; the 8 GB left hold 80 % of the pool
    CHECK(*e.placement.residency == Approx(r));
    CHECK(e.placement.page_cache->value == Approx(8e9));
    CHECK(seconds(e.decode.terms, TermId::storage_misses) == Approx(400e6 * 0.2 / 5e9));
    CHECK(seconds(e.decode.terms, TermId::page_cache) == Approx(400e6 * (0.8 - r) / 20e9));
    // What the page cache serves is copied into the engine's cache like what the drive serves.
    CHECK(seconds(e.decode.terms, TermId::insertion) == Approx(400e6 * (1 - r) / 10e9));
    CHECK(*e.decode.miss_fraction == Approx(1 - r));
    CHECK(seconds(e.prefill.terms, TermId::page_cache) == Approx(10e9 * (0.8 - r) / 20e9).epsilon(1e-6));
    CHECK(seconds(e.prefill.terms, TermId::storage_chunk) == Approx(10e9 * 0.2 / 5e9).epsilon(1e-6));
    CHECK(e.prefill.read_bytes_per_chunk->value == Approx(10e9 * (1 - r)).epsilon(1e-6));
}

TEST_CASE("a page cache smaller than the engine's cache holds nothing that is missing", "[engine][page-cache]") {
    const Estimate e = evaluate(buffered(8e9));
    const double r = (8e9 - kFixed) / 10e9; // 0.7891904; 4 GB are left: 40 %
    CHECK(e.placement.page_cache->value == Approx(4e9));
    CHECK(seconds(e.decode.terms, TermId::page_cache) == 0.0);
    CHECK(seconds(e.decode.terms, TermId::storage_misses) == Approx(400e6 * (1 - r) / 5e9));
}

TEST_CASE("a squeezed page cache slows reads in proportion, down to a floor", "[engine][page-cache]") {
    CHECK(realised(squeezed(4e9)) == Approx(5e9));
    CHECK(realised(squeezed(1.5e9)) == Approx(2.5e9)); // half of the 3 GB it needs
    CHECK(realised(squeezed(0.3e9)) == Approx(0.5e9));
    CHECK(realised(squeezed(0.0)) == Approx(0.25e9)); // 5 % is left of a rate served by page faults
    CHECK(realised(squeezed(0.1e9)) == Approx(0.25e9));
    // The share is one of the capacity: of 12 GB half, though only 8 are usable; 4.891904 GB are left.
    Case c = buffered(8e9);
    c.scenario.runtime.page_cache_share = 0.5;
    c.scenario.expert_budget = Bytes(7e9);
    CHECK(realised(c) == Approx(5e9 * 4.891904 / 6));
}

TEST_CASE("a page cache that lacks memory is noted with what it lacks", "[engine][page-cache]") {
    const Estimate lacking = evaluate(squeezed(1.0e9));
    REQUIRE(find_note(lacking, NoteId::page_cache_short) != nullptr);
    CHECK(find_note(lacking, NoteId::page_cache_short)->value == Approx(2e9));
    CHECK(find_note(evaluate(squeezed(3.1e9)), NoteId::page_cache_short) == nullptr);
    Case all = squeezed(1.0e9);
    all.scenario.residency = 1.0; // nothing is read
    all.scenario.expert_budget.reset();
    CHECK(find_note(evaluate(all), NoteId::page_cache_short) == nullptr);
}

TEST_CASE("left alone, experts leave the page cache its share of the capacity", "[engine][page-cache]") {
    Case c = buffered(10e9);
    c.scenario.runtime.page_cache_share = 0.5;
    CHECK(evaluate(c).placement.expert_budget->value == Approx(6e9 - kFixed));
    c.scenario.runtime.page_cache_share = 0.1; // 1.2 GB lie outside the usable 10 anyway
    CHECK(evaluate(c).placement.expert_budget->value == Approx(10e9 - kFixed));
}
