// Searches and differences over evaluate(), by hand: where a search ends, what a lever turns, which change is the
// smallest, and what inputs are worth. The case is that of support/synthetic.h: 5.02 ms from memory, 400 MB of experts.
#include "support/synthetic.h"

#include "explore/break_even.h"
#include "explore/closed_form.h"
#include "explore/lever_search.h"
#include "explore/levers.h"
#include "explore/residency_curve.h"
#include "explore/sensitivity.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace spillway;
using namespace spillway::literals;

namespace {

LeverAnswer found_at(LeverId id, bool rising, double value) {
    LeverAnswer answer;
    answer.id = id;
    answer.rising = rising;
    answer.answer = Answer::found;
    answer.value = value;
    return answer;
}

double speed(const Case& c) { return *evaluate(c).decode.tokens_per_second; }

} // namespace

TEST_CASE("a search ends at the first value that meets the target", "[levers][explore]") {
    const auto line = [](double x) { return std::optional(x); };
    CHECK(*search_lever({true, 0.0, 10.0, false}, 5.3, line).value == 5.3);
    CHECK(*search_lever({true, 1e-3, 1e3, true}, 5.3, line).value == 5.3);
    const auto falling = [](double x) { return std::optional(10.0 - x); };
    CHECK(*search_lever({false, 0.0, 10.0, false}, 5.3, falling).value == Approx(4.7).epsilon(1e-12));
    CHECK(search_lever({true, 0.0, 10.0, false}, 11.0, line).answer == Answer::nowhere);
    CHECK(*search_lever({true, 0.0, 10.0, false}, 11.0, line).best == 10.0);
    CHECK(search_lever({true, 1.0, 10.0, false}, 1.0, line).answer == Answer::holds_everywhere);
    CHECK(search_lever({true, 0.0, 10.0, false}, 5.0, [](double) { return std::optional(7.0); }).answer ==
          Answer::no_effect);
}

TEST_CASE("bits scale both matrices of a mix, memory grows with what is usable, chunks are whole",
          "[levers][explore]") {
    Case c = synthetic::one_pool();
    c.quantization.experts_down = 6.0;
    const Case halved = with_lever(c, LeverId::expert_bits, 4.0);
    CHECK(*halved.quantization.experts_down == Approx(3.0));
    CHECK(evaluate(halved).placement.expert_pool->value == Approx(10e9 * 3.5 / 8));
    CHECK(with_lever(c, LeverId::memory, 20e9).machine.memory[0].capacity.value == 20e9);
    CHECK(with_lever(c, LeverId::memory, 2e9).machine.memory[0].capacity.value == 6e9);
    CHECK(*with_lever(c, LeverId::chunk, 100.4).scenario.chunk == 100.0);
    c.scenario.residency_ranges = {{LayerSet{{0, 1}}, 1.0}};
    CHECK(with_lever(c, LeverId::residency, 0.5).scenario.residency_ranges.empty());
    CHECK(*evaluate(with_lever(c, LeverId::residency, 0.5)).placement.residency == Approx(0.5));
}

TEST_CASE("the smallest change is relative, and ends at what exists", "[levers][explore]") {
    Case c = synthetic::one_pool();
    c.scenario.target_decode = 1 / 37.5e-3; // of 37.9 ms: 8 % more bandwidth, or a little less of many others
    Obtainables only;
    only.formats = {{"4 bits", 4.0}};
    only.drives = {{"5.5 GB/s", 5.5e9}};
    only.memory_sizes = {{"12 GB", 12e9}};
    const auto answers = levers(c, Phase::decode, only);
    REQUIRE(cheapest(answers) != nullptr);
    CHECK(cheapest(answers)->id == LeverId::memory_bandwidth);
    const auto list = ranked(answers);
    REQUIRE(list.size() > 2);
    for (std::size_t i = 1; i < list.size(); ++i) CHECK(std::abs(*list[i - 1]->change) <= std::abs(*list[i]->change));
    for (const LeverAnswer* answer : list) CHECK(*answer->change == Approx(*answer->value / *answer->current - 1.0));
}

TEST_CASE("two phases that turn the same lever turn it as far as both need", "[levers][explore]") {
    Case c = synthetic::one_pool();
    c.scenario.target_prefill = 1;
    c.scenario.target_decode = 100; // 5.02 ms and 164.3 MB: 33 GB/s
    CHECK(*holds_after(c, {found_at(LeverId::storage_rate, true, 6e9), found_at(LeverId::storage_rate, true, 50e9)}));
    CHECK_FALSE(*holds_after(c, {found_at(LeverId::storage_rate, true, 6e9)}));
    // All resident at 4 bits and less, and then 102 MB and 200 MB from memory.
    CHECK(*holds_after(c, {found_at(LeverId::expert_bits, false, 7.0), found_at(LeverId::expert_bits, false, 4.0)}));
    CHECK(*holds_after(c, {found_at(LeverId::expert_bits, false, 4.0), found_at(LeverId::expert_bits, false, 7.0)}));
    LeverAnswer step = found_at(LeverId::storage_rate, true, 30e9); // too slow, but what is sold meets it
    step.step_value = 50e9;
    CHECK(*holds_after(c, {step}));
}

TEST_CASE("the residency line: the pool that the budget holds to that share", "[levers][explore]") {
    Case c = synthetic::one_pool();
    c.scenario.target_decode = 50; // 20 ms less 5.02 read 74.9 MB at 5 GB/s
    const ResidencyLine line = residency_line(c);
    const double r = 1.0 - 74.9 / 400.0;
    CHECK(*line.residency == Approx(r));
    CHECK(*line.miss_fraction == Approx(1 - r));
    CHECK(line.expert_pool->value == Approx(5.891904e9 / r));
    CHECK(*line.best == Approx(1 / 5.02e-3));
    c.scenario.target_decode = 1;
    CHECK(*residency_line(c).residency == 0.0);
    c.scenario.target_decode = 50;
    const auto form = closed_form(c);
    REQUIRE(form);
    CHECK(form->residency == Approx(r));
    CHECK(form->miss_fraction == Approx(1 - r));
    CHECK(form->left.value == Approx(14.98e-3));
    c.scenario.runtime.realised_share = 0.5;
    CHECK(closed_form(c)->readable.value == Approx(37.45e6));
    c.scenario.runtime.t_sync = 0.1_ms; // paid only where something may be missing
    CHECK_FALSE(closed_form(c));
}

TEST_CASE("a curve over residency is drawn for each locality", "[levers][explore]") {
    Case c = synthetic::one_pool();
    Locality measured;
    measured.name = "measured";
    measured.kind = LocalityKind::fitted;
    measured.exponent = 2.0;
    c.alternatives = {measured};
    const ResidencyCurve curve = residency_curve(c, residency_line(c));
    REQUIRE(curve.lines.size() == 2);
    for (const LocalityCurve& line : curve.lines) {
        const auto half = std::find_if(line.points.begin(), line.points.end(),
                                       [](const CurveSpeed& point) { return point.residency == 0.5; });
        REQUIRE(half != line.points.end());
        const double missed = line.uniform ? 0.5 : (1 - std::sqrt(0.5)) * (1 - std::sqrt(0.5));
        CHECK(*half->tokens_per_second == Approx(1 / (5.02e-3 + missed * 400e6 / 5e9)));
    }
}

TEST_CASE("inputs are worth a relative change by a relative change, and tok/s by the piece", "[levers][explore]") {
    Case c = synthetic::one_pool();
    const auto list = influences(c);
    const auto rate = std::find_if(list.begin(), list.end(),
                                   [](const Influence& i) { return i.path.find("storage") != std::string::npos; });
    REQUIRE(rate != list.end());
    Case faster = c;
    faster.machine.storage[0].rate = 5.05_GB_s;
    CHECK(*rate->decode == Approx((speed(faster) / speed(c) - 1.0) / 0.01));
    const auto bought = purchases(c);
    const auto drive =
        std::find_if(bought.begin(), bought.end(), [](const Purchase& p) { return p.unit == "+1 GB/s"; });
    REQUIRE(drive != bought.end());
    faster.machine.storage[0].rate = 6.0_GB_s;
    CHECK(*drive->decode == Approx(speed(faster) - speed(c)));
}

TEST_CASE("a chunk that is found meets the target at whole tokens", "[levers][explore]") {
    Case c = synthetic::one_pool();
    c.scenario.prompt = 8192;
    for (const double tokens : {700.0, 1100.0, 1500.0}) {
        c.scenario.target_prefill = 1.0003 * *evaluate(with_lever(c, LeverId::chunk, tokens)).prefill.tokens_per_second;
        const auto answers = levers(c, Phase::prefill);
        const auto chunk = std::find_if(answers.begin(), answers.end(),
                                        [](const LeverAnswer& answer) { return answer.id == LeverId::chunk; });
        REQUIRE(chunk->answer == Answer::found);
        const Estimate e = evaluate(with_lever(c, LeverId::chunk, *chunk->value));
        CHECK(*e.prefill.tokens_per_second >= c.scenario.target_prefill);
    }
}
