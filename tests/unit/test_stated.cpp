// What a measured run states beside names: hit rates, missed bytes, experts by pool, and prompts behind a filled cache.
#include "support/synthetic.h"

#include "engine/estimate.h"
#include "io/check_case.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace spillway;

namespace {

Seconds time_of(const Terms& terms, TermId id, int pool) {
    for (const Term& term : terms) {
        if (term.id == id && term.pool == pool) return term.seconds.value();
    }
    return Seconds(0.0);
}

bool has_note(const Estimate& e, NoteId id) {
    return std::any_of(e.notes.begin(), e.notes.end(), [id](const Note& note) { return note.id == id; });
}

} // namespace

TEST_CASE("a stated hit rate decides what decode reads from the drive", "[stated]") {
    // 400 MB of experts a token; a quarter missed at 5 GB/s are 20 ms, whatever the residency and the curve.
    for (const double gigabytes : {0.5, 6.0, 14.0}) {
        Case c = synthetic::one_pool(gigabytes);
        c.scenario.hit_rate = 0.75;
        c.scenario.locality.kind = LocalityKind::fitted;
        c.scenario.locality.exponent = 3.0;
        const Estimate e = evaluate(c);
        INFO(gigabytes);
        CHECK(e.decode.miss_fraction.value() == Approx(0.25));
        CHECK(e.decode.storage->value == Approx(0.020));
        CHECK(time_of(e.decode.terms, TermId::read_experts, 0).value == Approx(0.004));
        CHECK_FALSE(has_note(e, NoteId::uniform_routing));
    }
}

TEST_CASE("missed bytes are those of a token, and never more than it touches", "[stated]") {
    Case c = synthetic::one_pool();
    c.scenario.missed_bytes = Bytes(100e6);
    CHECK(evaluate(c).decode.miss_fraction.value() == Approx(0.25));
    CHECK(evaluate(c).decode.storage->value == Approx(0.020));
    c.scenario.missed_bytes = Bytes(1e9);
    CHECK(evaluate(c).decode.miss_fraction.value() == Approx(1.0));
    // A step that yields two tokens misses twice as much: 200 MB of the 792 MB that two positions touch
    // (10 layers x 100 (1 - 0.96^2) = 7.84 experts of 10 MB: 784 MB).
    c.scenario.positions = c.scenario.accepted = 2.0;
    c.scenario.missed_bytes = Bytes(100e6);
    CHECK(evaluate(c).decode.miss_fraction.value() == Approx(200.0 / 784.0));
    CHECK(evaluate(c).decode.missed_bytes_per_token->value == Approx(100e6));
}

TEST_CASE("a stated hit rate is spread over the pools as the placement has it", "[stated]") {
    // 2 GB of 10 in the first pool, 4 in the second: two thirds of the hits come from the second.
    Case c = synthetic::two_pools(2.106, 4.0);
    c.scenario.hit_rate = 0.9;
    const Estimate e = evaluate(c);
    const double first = time_of(e.decode.terms, TermId::read_experts, 0).value * 100e9;
    const double all = first + time_of(e.decode.terms, TermId::read_experts, 1).value * 20e9;
    CHECK(all == Approx(400e6));
    CHECK(first == Approx(360e6 / 3.0).epsilon(0.01)); // what misses is computed beside the last pool
    CHECK(e.decode.storage->value == Approx(0.008));
}

TEST_CASE("layers whose experts stay on the CPU are an input", "[stated]") {
    Case c = synthetic::two_pools(8.0, 20.0);
    c.scenario.cpu_moe_layers = 4;
    Estimate e = evaluate(c);
    CHECK(e.placement.residency == 1.0);
    CHECK(e.placement.tiers.items[0].expert_bytes.value == Approx(6e9));
    CHECK(e.placement.tiers.items[1].expert_bytes.value == Approx(4e9));
    CHECK(e.placement.tiers.items[1].expert_layers == Approx(4.0));
    CHECK(time_of(e.decode.terms, TermId::read_experts, 0).value == Approx(0.0024));
    CHECK(time_of(e.decode.terms, TermId::read_experts, 1).value == Approx(0.008));
    CHECK_FALSE(has_note(e, NoteId::over_capacity));
    c.scenario.cpu_moe_layers = 99; // --cpu-moe: all of them
    CHECK(evaluate(c).placement.tiers.items[0].expert_bytes.value == 0.0);
    c.scenario.cpu_moe_layers.reset();
    c.scenario.first_pool_experts = 0.25;
    CHECK(evaluate(c).placement.tiers.items[0].expert_bytes.value == Approx(2.5e9));
    // More than the first pool has room for is placed as stated, and said.
    c = synthetic::two_pools(3.0, 20.0);
    c.scenario.cpu_moe_layers = 4;
    e = evaluate(c);
    CHECK(e.placement.tiers.items[0].expert_bytes.value == Approx(6e9));
    CHECK(has_note(e, NoteId::over_capacity));
}

TEST_CASE("a prompt behind a filled cache attends to what is in it", "[stated]") {
    Case c = synthetic::one_pool(14.0);
    Attention attention;
    attention.heads = attention.kv_heads = 10;
    attention.head_dim_k = attention.head_dim_v = 100;
    c.model.blocks[0].attention = attention;
    c.scenario.context = 100'000;
    c.machine.compute.rate = FlopsPerSecond(1e12);
    const auto arithmetic = [](const Case& of) {
        return time_of(evaluate(of).prefill.terms, TermId::compute, 0).value;
    };
    const double empty = arithmetic(c);
    c.scenario.depth = 50'000;
    // 10 layers x 2 x 10 heads x (100 + 100) x 512 tokens x 50,000 more keys, over 1 TFLOP/s.
    CHECK(arithmetic(c) - empty == Approx(10 * 2.0 * 10 * 200 * 512 * 50'000 / 1e12));
    // A window is full long before.
    c.model.blocks[0].attention->kind = AttentionKind::swa;
    c.model.blocks[0].attention->window = 128;
    const double deep = arithmetic(c);
    c.scenario.depth = 10'000;
    CHECK(arithmetic(c) == Approx(deep));
}

TEST_CASE("a long prompt is the sum of its chunks, each priced alone", "[stated]") {
    Case c = synthetic::one_pool(6.0);
    Attention attention;
    attention.heads = attention.kv_heads = 10;
    attention.head_dim_k = attention.head_dim_v = 100;
    c.model.blocks[0].attention = attention;
    Block windowed = c.model.blocks[0];
    windowed.attention->kind = AttentionKind::swa;
    windowed.attention->window = 30'000;
    c.model.blocks.push_back(windowed);
    c.scenario.runtime.overlap_prefill = 0.6;
    c.scenario.depth = 777;
    c.scenario.prompt = 300'000; // 585 chunks and a rest: kinks at the window and where arithmetic passes the drive
    double sum = 0.0;
    for (double before = 0.0; before < c.scenario.prompt; before += 512.0) {
        Case one = c;
        one.scenario.prompt = std::min(512.0, c.scenario.prompt - before);
        one.scenario.depth = c.scenario.depth + before;
        sum += evaluate(one).prefill.total->value;
    }
    CHECK(evaluate(c).prefill.total->value == Approx(sum).epsilon(1e-9));
}

TEST_CASE("what cannot be stated together is told", "[stated]") {
    Scenario s;
    s.hit_rate = 0.5;
    s.missed_bytes = Bytes(1e6);
    s.cpu_moe_layers = 3;
    s.residency = 0.5;
    const Findings findings = check_scenario(s);
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].at == "/residency");
    CHECK(findings[1].at == "/missed_bytes");
    s = Scenario{};
    s.cpu_moe_layers = 3;
    CHECK(check_pools(synthetic::one_pool().machine, s).size() == 1);
    CHECK(check_pools(synthetic::two_pools().machine, s).size() == 1);
    s.runtime.spills = true;
    CHECK(check_pools(synthetic::two_pools().machine, s).empty());
}
