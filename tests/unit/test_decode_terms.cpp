// Parts of a decode step that the plain cases do not have, by hand: lookup rows at depth, the KV cache in the bandwidth
// bound, drafters and other parts in budget and load time, links with a latency.
#include "support/synthetic.h"
#include "support/terms.h"

#include "engine/estimate.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace spillway;
using namespace spillway::literals;
using test::seconds;

namespace {

// 10 layers of grouped heads: 8 query heads and 2 key heads of 64. Parameters a layer: 1000 x (512 + 128 + 128) +
// 512 x 1000 = 1.28 M; cache a token: 10 layers x 2 x 128 elements x 2 B = 5,120 B.
Case with_attention() {
    Case c = synthetic::one_pool();
    Attention a;
    a.heads = 8;
    a.kv_heads = 2;
    a.head_dim_k = a.head_dim_v = 64;
    c.model.blocks[0].attention = a;
    c.scenario.context = c.scenario.depth = 20'000;
    return c;
}

Drafter one_layer(const Case& c) {
    Drafter d;
    d.kind = "mtp";
    d.blocks = c.model.blocks;
    d.blocks[0].layers.numbers = {0};
    return d; // 1 GB of experts, 10 MB of other weights
}

} // namespace

TEST_CASE("lookup rows are read as many at a time as the runtime's lanes and the step allow", "[engine][lookup]") {
    Case c = synthetic::one_pool();
    c.machine.storage[0].curve = {{Bytes(256), 1, BytesPerSecond(1e8)},
                                  {Bytes(256), 8, BytesPerSecond(4e8)},
                                  {Bytes(1e7), 1, BytesPerSecond(5e9)}};
    c.quantization.tables = 8.0;
    c.model.tables = {LookupTable{"rows", 1'000'000, 256, 48, 48}};
    const auto lookup = [&c] { return seconds(evaluate(c).decode.terms, TermId::lookup); };
    CHECK(lookup() == Approx(48 * 256 / 1e8)); // one lane
    c.scenario.runtime.lanes = 8;
    CHECK(lookup() == Approx(48 * 256 / 4e8));
    // Four reads a token keep four lanes busy: two thirds of the way from 1 to 8 in the logarithm.
    c.model.tables[0].reads_per_token = c.model.tables[0].rows_per_token = 4;
    CHECK(lookup() == Approx(4 * 256 / (1e8 * std::pow(4.0, 2.0 / 3.0))));
}

TEST_CASE("the KV cache counts in the bandwidth bound, and is read at its own share", "[engine][kv]") {
    Case c = with_attention();
    c.scenario.runtime.kv_share = 0.5;
    const Estimate e = evaluate(c);
    CHECK(e.placement.kv_cache.value == Approx(102.4e6));
    CHECK(seconds(e.decode.terms, TermId::read_kv) == Approx(102.4e6 / (0.5 * 100e9)));
    CHECK(seconds(e.decode.terms, TermId::read_fixed) == Approx(114.8e6 / 100e9));
    CHECK(*e.decode.bandwidth_bound == Approx(100e9 / (114.8e6 + 400e6 + 102.4e6)));
}

TEST_CASE("loading reads what stays resident, drafter and other parts if they are loaded", "[engine][load]") {
    Case c = synthetic::one_pool();
    c.scenario.residency = 0.3;
    c.model.drafter = one_layer(c);
    c.model.other_parts = {OtherPart{"vision", 500'000'000}};
    c.quantization.other = 16.0;
    const auto load = [&c] { return evaluate(c).placement.load->value; };
    CHECK(load() == Approx((104e6 + 3e9) / 5e9));
    c.scenario.use_other_parts = true;
    CHECK(load() == Approx((104e6 + 3e9 + 1e9) / 5e9));
    c.scenario.positions = 2;
    CHECK(load() == Approx((104e6 + 3e9 + 1e9 + 1.01e9) / 5e9));
}

TEST_CASE("other parts take from the expert budget when they are loaded", "[engine][load]") {
    Case c = synthetic::one_pool();
    c.model.other_parts = {OtherPart{"vision", 500'000'000}};
    c.quantization.other = 16.0;
    const double without = evaluate(c).placement.expert_budget->value;
    c.scenario.use_other_parts = true;
    CHECK(without - evaluate(c).placement.expert_budget->value == Approx(1e9));
}

TEST_CASE("a block drafter runs one pass for all positions, and may store its embedding again", "[engine][drafter]") {
    Case c = synthetic::one_pool();
    c.model.drafter = one_layer(c);
    c.model.drafter->drafts_block = true;
    c.model.drafter->extra_params = 2'000'000;
    c.model.drafter->embedding_copies = true;
    c.scenario.positions = 5;
    for (auto& t : c.scenario.runtime.t_layer.values) t = 1.0_ms;
    const Estimate e = evaluate(c);
    // 10 MB and 2 MB fixed, 4 experts of 10 MB, the head of 2 MB; 11 layers of 1 ms.
    CHECK(seconds(e.decode.terms, TermId::read_drafter) == Approx(54e6 / 100e9));
    CHECK(seconds(e.decode.terms, TermId::layers) == Approx(11e-3));
    // 1 GB of experts, 12 MB, and embedding and head of 2 MB each.
    CHECK(e.placement.sizes.drafter->value == Approx(1.016e9));
    c.quantization.drafter_experts = 4.0;
    c.quantization.drafter_rest = 16.0;
    CHECK(seconds(evaluate(c).decode.terms, TermId::read_drafter) == Approx((24e6 + 20e6 + 2e6) / 100e9));
    CHECK(evaluate(c).placement.sizes.drafter->value == Approx(0.5e9 + 24e6 + 4e6));
}

TEST_CASE("recurrent state is kept once per draft position and sequence", "[engine][kv]") {
    Case c = synthetic::one_pool();
    Attention a;
    a.kind = AttentionKind::linear;
    a.form = LinearForm::kda;
    a.heads = 4;
    a.head_dim_k = a.head_dim_v = 32;
    a.conv_kernel = 4;
    c.model.blocks[0].attention = a;
    // f32: 4 heads x 32 x 32 of state, and the last 3 inputs of 3 x 128 channels: 4 x (4,096 + 1,152) B.
    CHECK(evaluate(c).placement.kv_cache.value == 10 * 20'992);
    c.scenario.positions = 3;
    c.scenario.sequences = 2;
    CHECK(evaluate(c).placement.kv_cache.value == 10 * 20'992 * 3 * 2);
}

TEST_CASE("each layer copied over a link starts one transfer", "[engine][link]") {
    Case c = synthetic::two_pools();
    c.scenario.runtime.spill_access = Access::copied;
    c.machine.links[0].latency = 20.0_us;
    CHECK(seconds(evaluate(c).decode.terms, TermId::link_latency) == Approx(10 * 20e-6));
    CHECK(seconds(evaluate(c).prefill.terms, TermId::link_latency) == Approx(10 * 20e-6));
}

TEST_CASE("reads in flight: pieces of the experts that one layer misses, at most the lanes", "[engine][drive]") {
    Case c = synthetic::one_pool();
    c.scenario.residency = 0.5; // 2 of 4 experts missing per layer
    c.scenario.runtime.lanes = 32;
    CHECK(evaluate(c).decode.reads_in_flight == Approx(2));
    c.scenario.runtime.pieces = 3;
    CHECK(evaluate(c).decode.reads_in_flight == Approx(6));
    c.scenario.runtime.lanes = 4;
    CHECK(evaluate(c).decode.reads_in_flight == Approx(4));
    c.scenario.residency = 0.99;
    CHECK(evaluate(c).decode.reads_in_flight == 1.0);
    // A piece is a third of 10 MB; the curve has that rate at any depth.
    c.machine.storage[0].curve = {{Bytes(10e6 / 3), 1, BytesPerSecond(2e9)}, {Bytes(10e6), 1, BytesPerSecond(5e9)}};
    c.scenario.runtime.realised_share = 0.5;
    CHECK(evaluate(c).decode.storage_rate->value == Approx(1e9));
}

TEST_CASE("what a step waits for most names its limit", "[engine][limit]") {
    Case c = synthetic::one_pool(20.0);
    CHECK(*evaluate(c).decode.limit == Limit::memory);
    c.scenario.runtime.t_pass = 10.0_ms;
    CHECK(*evaluate(c).decode.limit == Limit::overhead);
    c.scenario.residency = 0.1;
    CHECK(*evaluate(c).decode.limit == Limit::storage);
    Case copied = synthetic::two_pools();
    copied.scenario.runtime.spill_access = Access::copied;
    CHECK(*evaluate(copied).decode.limit == Limit::link);
}

TEST_CASE("a phase that fails outweighs one that is unknown, and that one what depends", "[engine][verdict]") {
    Case c = synthetic::one_pool();
    c.machine.compute.rate.reset();
    c.scenario.target_decode = 1000;
    CHECK(evaluate(c).verdict.prefill == State::unknown);
    CHECK(evaluate(c).verdict.overall == State::fails);
    c.scenario.target_decode = 30; // 26 tok/s under uniform routing
    Locality measured;
    measured.kind = LocalityKind::fitted;
    measured.exponent = 2.0;
    c.alternatives = {measured};
    CHECK(evaluate(c).verdict.decode == State::depends);
    CHECK(evaluate(c).verdict.overall == State::unknown);
    c.scenario.target_decode = 1;
    CHECK(evaluate(c).verdict.overall == State::unknown);
}
