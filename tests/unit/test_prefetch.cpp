// Prefetch by hand: what it hides at most, what it reads in vain, and that it never hides more than there is. The case
// is that of support/synthetic.h: a resident pass of 502 MB at 100 GB/s, 5.02 ms, over 10 layers; 400 MB of experts.
#include "support/synthetic.h"
#include "support/terms.h"

#include "engine/estimate.h"

#include <catch2/catch.hpp>

using namespace spillway;
using namespace spillway::literals;
using test::seconds;

namespace {

Case guessing(double lookahead, double recall, double residency = 0.5) {
    Case c = synthetic::one_pool();
    c.scenario.residency = residency;
    c.scenario.runtime.prefetch_lookahead = lookahead;
    c.scenario.runtime.prefetch_recall = recall;
    return c;
}

double hidden(const Case& c) { return -seconds(evaluate(c).decode.terms, TermId::hidden); }

} // namespace

TEST_CASE("a prefetch hides recall x lookahead layers of compute per missing layer", "[engine][prefetch]") {
    // All 10 layers miss: 0.3 x 1 x 10 x 0.502 ms; twice that two layers ahead.
    CHECK(hidden(guessing(1, 0.3)) == Approx(1.506e-3));
    CHECK(hidden(guessing(2, 0.3)) == Approx(3.012e-3));
    CHECK(hidden(guessing(1, 0.0)) == 0.0);
    CHECK(hidden(guessing(0, 1.0)) == 0.0);
}

TEST_CASE("layers that miss nothing do not lend their time to a prefetch", "[engine][prefetch]") {
    Case c = guessing(1, 0.3);
    c.scenario.residency.reset();
    c.model.blocks.push_back(c.model.blocks[0]);
    c.model.blocks[0].layers.numbers = {0, 1, 2, 3};
    c.model.blocks[1].layers.numbers = {4, 5, 6, 7, 8, 9};
    c.scenario.residency_ranges = {{LayerSet{{0, 1, 2, 3}}, 1.0}, {LayerSet{{4, 5, 6, 7, 8, 9}}, 0.5}};
    const Estimate e = evaluate(c);
    // Six of the ten layers miss: 0.3 x 1 x 6 x 0.502 ms; 120 MB are read in 24 ms.
    CHECK(-seconds(e.decode.terms, TermId::hidden) == Approx(0.9036e-3));
    CHECK(e.decode.storage_per_layer->value == Approx(4e-3));
    CHECK(e.decode.missed_bytes_per_layer->value == Approx(20e6));
}

TEST_CASE("a prefetch hides no more than the shorter side, and does not add to overlap", "[engine][prefetch]") {
    // 200 MB at 5 GB/s: 40 ms to read, 5.02 ms to compute; all of it hidden.
    const Estimate long_read = evaluate(guessing(100, 1.0));
    CHECK(-seconds(long_read.decode.terms, TermId::hidden) == Approx(5.02e-3));
    CHECK(long_read.decode.step->value == Approx(40e-3));
    // 4 MB: 0.8 ms to read.
    const Estimate short_read = evaluate(guessing(100, 1.0, 0.99));
    CHECK(-seconds(short_read.decode.terms, TermId::hidden) == Approx(0.8e-3));
    CHECK(short_read.decode.step->value == Approx(5.02e-3));
    Case both = guessing(1, 0.3);
    both.scenario.runtime.overlap_decode = 0.5;
    CHECK(hidden(both) == Approx(2.51e-3)); // overlap's half of 5.02 ms is more than the 1.506 ms guessed
}

TEST_CASE("wrong guesses are read and not inserted", "[engine][prefetch]") {
    Case c = guessing(1, 0.0);
    c.scenario.runtime.prefetch_waste = 0.25;
    c.scenario.runtime.insertion_rate = 20.0_GB_s;
    const Estimate e = evaluate(c);
    CHECK(seconds(e.decode.terms, TermId::storage_misses) == Approx(1.25 * 200e6 / 5e9));
    CHECK(seconds(e.decode.terms, TermId::insertion) == Approx(200e6 / 20e9));
    CHECK(e.decode.missed_bytes_per_token->value == Approx(200e6));
    c.scenario.runtime.prefetch_lookahead = 0;
    CHECK(seconds(evaluate(c).decode.terms, TermId::storage_misses) == Approx(200e6 / 5e9));
}
