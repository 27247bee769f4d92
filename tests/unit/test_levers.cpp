// Break-even levers: the reference values of the article's arithmetic, and that every value fed back meets its target.
#include "support/synthetic.h"

#include "explore/levers.h"
#include "io/load_case.h"

#include <catch2/catch.hpp>

using namespace spillway;

namespace {

Case article(const char* quantization, const char* model = "deepseek-v4.1-flash") {
    CaseRequest request;
    request.model = model;
    request.machine = "apple-m3-ultra-256gb";
    request.scenario = "offload-arithmetic";
    request.quantization = quantization;
    return load_case(request, Catalogue(data_root(""))).value;
}

const LeverAnswer& find(const std::vector<LeverAnswer>& answers, LeverId id) {
    for (const LeverAnswer& answer : answers) {
        if (answer.id == id) return answer;
    }
    throw std::runtime_error("no such lever");
}

double value(const std::vector<LeverAnswer>& answers, LeverId id) { return find(answers, id).value.value(); }

} // namespace

TEST_CASE("reference values for V4.1-Flash MXFP4 at 10 tok/s", "[levers]") {
    const Case c = article("mxfp4");
    const auto answers = levers(c, Phase::decode);
    CHECK(value(answers, LeverId::residency) == Approx(0.9136).margin(0.00005));
    CHECK(value(answers, LeverId::miss_fraction) == Approx(0.0864).margin(0.00005));
    CHECK(value(answers, LeverId::expert_pool) == Approx(235.3e9).margin(0.05e9));
    CHECK(value(answers, LeverId::expert_bits) == Approx(3.532).margin(0.0005));
    CHECK(value(answers, LeverId::expert_budget) == Approx(263.8e9).margin(0.05e9));
    CHECK(value(answers, LeverId::storage_rate) == Approx(17.74e9).margin(0.005e9));
    CHECK(find(answers, LeverId::resident_pass).answer == Answer::nowhere);
    CHECK(value(answers, LeverId::top_k) == Approx(2.03).margin(0.005));
    CHECK(find(answers, LeverId::top_k).whole == 2.0);
    CHECK(value(answers, LeverId::locality) == Approx(3.0).margin(0.05));
    const Estimate at_bits = evaluate(with_lever(c, LeverId::expert_bits, value(answers, LeverId::expert_bits)));
    CHECK(at_bits.placement.expert_pool->value == Approx(239.96e9).margin(0.01e9));
    CHECK(*at_bits.placement.residency == Approx(0.896).margin(0.0005));
}

TEST_CASE("how many times fewer misses the others of the list need", "[levers]") {
    CHECK(value(levers(article("mxfp4", "kimi-k2"), Phase::decode), LeverId::locality) == Approx(17).margin(0.5));
    CHECK(value(levers(article("2.5", "deepseek-v4-pro"), Phase::decode), LeverId::locality) ==
          Approx(10.8).margin(0.05));
    CHECK(value(levers(article("mxfp4", "glm-5.2"), Phase::decode), LeverId::locality) == Approx(13.6).margin(0.05));
}

TEST_CASE("prefill at 100 tok/s needs 57.4 % residency", "[levers]") {
    const auto answers = levers(article("mxfp4"), Phase::prefill);
    CHECK(value(answers, LeverId::residency) == Approx(0.574).margin(0.0005));
    CHECK(find(answers, LeverId::residency).holds_now);
    CHECK(cheapest(answers) == nullptr); // nothing has to change
}

TEST_CASE("measured locality moves the line to 47.9 %", "[levers]") {
    Case c = article("mxfp4");
    c.scenario.locality.kind = LocalityKind::fitted;
    c.scenario.locality.exponent = 2.08;
    CHECK(value(levers(c, Phase::decode), LeverId::residency) == Approx(0.479).margin(0.0005));
}

TEST_CASE("closed form and solver agree", "[levers]") {
    for (const char* quantization : {"mxfp4", "4", "6"}) {
        const Case c = article(quantization);
        const auto closed = closed_form_residency(c);
        REQUIRE(closed.has_value());
        CHECK(value(levers(c, Phase::decode), LeverId::residency) == Approx(*closed).epsilon(1e-9));
    }
}

TEST_CASE("every value found meets the target when fed back", "[levers]") {
    for (Case c : {article("mxfp4"), synthetic::one_pool(), synthetic::two_pools(3.0, 4.0)}) {
        for (const Phase phase : {Phase::decode, Phase::prefill}) {
            if (phase == Phase::decode) c.scenario.target_decode = 1.5 * *evaluate(c).decode.tokens_per_second;
            if (phase == Phase::prefill) c.scenario.target_prefill = 1.2 * *evaluate(c).prefill.tokens_per_second;
            for (const LeverAnswer& answer : levers(c, phase)) {
                if (answer.answer != Answer::found || answer.derived) continue;
                INFO(static_cast<int>(answer.id));
                const Estimate e = evaluate(with_lever(c, answer.id, *answer.value));
                if (phase == Phase::decode) CHECK(*e.decode.tokens_per_second >= c.scenario.target_decode);
                if (phase == Phase::prefill && e.prefill.tokens_per_second) {
                    CHECK(*e.prefill.tokens_per_second >= c.scenario.target_prefill);
                }
            }
        }
    }
}

TEST_CASE("what the scenario forces has no effect, and says so", "[levers]") {
    const auto answers = levers(article("mxfp4"), Phase::decode);
    CHECK(find(answers, LeverId::memory).answer == Answer::no_effect);
    CHECK(find(answers, LeverId::memory).forced);
    CHECK(find(answers, LeverId::memory_bandwidth).forced);
}

TEST_CASE("holds everywhere, and nowhere with the best that was reached", "[levers]") {
    Case c = synthetic::one_pool();
    c.scenario.target_decode = 1e-3;
    CHECK(find(levers(c, Phase::decode), LeverId::residency).answer == Answer::holds_everywhere);
    c.scenario.target_decode = 1e6;
    const auto answers = levers(c, Phase::decode);
    const LeverAnswer& residency = find(answers, LeverId::residency);
    CHECK(residency.answer == Answer::nowhere);
    CHECK(*residency.best == Approx(1 / (502e6 / 100e9)));
}

TEST_CASE("the next thing that exists is the nearest that meets the target", "[levers]") {
    Obtainables steps;
    steps.formats = {{"q4", 4.5}, {"q3", 3.44}, {"q2", 2.6}};
    steps.drives = {{"slow", 15e9}, {"fast", 20e9}, {"faster", 28e9}};
    const auto answers = levers(article("mxfp4"), Phase::decode, steps);
    CHECK(find(answers, LeverId::expert_bits).step == "q3");
    CHECK(find(answers, LeverId::storage_rate).step == "fast");
    CHECK(cheapest(answers)->id == LeverId::expert_bits);
}

TEST_CASE("dropping the drafter is a lever whenever one is loaded", "[levers]") {
    Case c = article("mxfp4");
    CHECK_THROWS(find(levers(c, Phase::decode), LeverId::drop_drafter));
    c.scenario.positions = 4;
    c.scenario.accepted = 1.2;
    CHECK_NOTHROW(find(levers(c, Phase::decode), LeverId::drop_drafter));
}

TEST_CASE("a model without routed experts has no expert levers", "[levers]") {
    Case c = synthetic::one_pool();
    c.model.blocks[0].experts.reset();
    CHECK(find(levers(c, Phase::decode), LeverId::residency).answer == Answer::no_effect);
}

TEST_CASE("any numeric input can be a lever, and its value fed back meets the target", "[levers]") {
    const Case c = article("mxfp4");
    const std::string path = "scenario.resident_pass";
    const LeverAnswer slower = input_lever(c, Phase::decode, {path, 1e-6, 1.0});
    CHECK(!slower.rising);
    CHECK(slower.answer == Answer::nowhere);
    const LeverAnswer rate = input_lever(c, Phase::decode, {"machine.storage.internal.rate", 1e9, 1e11});
    CHECK(rate.rising);
    REQUIRE(rate.answer == Answer::found);
    // The same input as the table's lever, over another range.
    CHECK(*rate.value == Approx(value(levers(c, Phase::decode), LeverId::storage_rate)).epsilon(1e-9));
    const LeverAnswer shares = input_lever(c, Phase::decode, {"scenario.runtime.overlap_decode", 0.0, 1.0});
    CHECK(shares.unit == LeverUnit::ratio);
    CHECK(shares.answer == Answer::nowhere);
    const auto range = usual_range(c, "machine.storage.internal.rate");
    REQUIRE(range);
    CHECK(range->low == Approx(6e6));
    CHECK(range->high == Approx(6e12));
    CHECK(!usual_range(c, "scenario.runtime.t_pass"));
}
