// Parts of a prompt that the plain cases do not have, by hand: attention at its place in the prompt, the tail, layers
// that come over a link, and a chunk that memory limits.
#include "support/synthetic.h"
#include "support/terms.h"

#include "engine/estimate.h"

#include <catch2/catch.hpp>

using namespace spillway;
using namespace spillway::literals;
using test::seconds;

namespace {

// Everything resident, arithmetic at 1 TFLOP/s, memory too fast to matter.
Case computing(const Attention& a) {
    Case c = synthetic::one_pool(100.0);
    c.machine.memory[0].bandwidth = BytesPerSecond(1e15);
    c.model.blocks[0].attention = a;
    return c;
}

Attention grouped() {
    Attention a;
    a.heads = 8;
    a.kv_heads = 2;
    a.head_dim_k = a.head_dim_v = 64;
    return a; // 1.28 M parameters at a hidden size of 1000
}

double arithmetic(const Case& c) { return evaluate(c).prefill.total->value * 1e12; } // in FLOP

} // namespace

TEST_CASE("attention costs by the mean position of a chunk", "[engine][prefill]") {
    Case c = computing(grouped());
    c.scenario.prompt = 1024;
    c.scenario.chunk = 512;
    // Parameters: 10 x (10 M + 1.28 M + 4 x 10 M) for 1024 tokens. Attention: 2 x 8 x 128 x 10 layers, and the sum of
    // mean positions 512 x 256 + 512 x 768 = 1024^2 / 2.
    const double params = 2.0 * 512.8e6 * 1024, attention = 2.0 * 1024 * 10 * (1024.0 * 1024 / 2);
    CHECK(arithmetic(c) == Approx(params + attention).epsilon(1e-9));
    c.scenario.chunk = 1024;
    CHECK(arithmetic(c) == Approx(params + attention).epsilon(1e-9));
    c.model.blocks[0].attention->kind = AttentionKind::swa;
    c.model.blocks[0].attention->window = 100;
    CHECK(arithmetic(c) == Approx(params + 2.0 * 1024 * 10 * 1024 * 100).epsilon(1e-9));
}

TEST_CASE("latent attention scores its rope part too", "[engine][prefill]") {
    Attention a;
    a.kind = AttentionKind::mla;
    a.heads = 8;
    a.head_dim_k = 64;
    a.head_dim_v = 32;
    a.rope_dim = 16;
    a.kv_lora_rank = 100;
    const Case c = computing(a);
    // Queries 1000 x 8 x 80, latent 1000 x 116, keys and values 100 x 8 x 96, output 8 x 32 x 1000: 1,088,800.
    const double params = 2.0 * 10 * (50e6 + 1'088'800.0) * 512;
    CHECK(arithmetic(c) == Approx(params + 2.0 * 8 * (64 + 16 + 32) * 512 * 256 * 10).epsilon(1e-9));
}

TEST_CASE("linear attention attends to no tokens", "[engine][prefill]") {
    Attention a;
    a.kind = AttentionKind::linear;
    a.form = LinearForm::mamba2;
    a.heads = 10;
    a.head_dim_k = a.head_dim_v = 64;
    a.state_dim = 32;
    a.groups = 1;
    a.conv_kernel = 4;
    const Case c = computing(a);
    // 1000 x (2 x 640 + 64 + 10) in, a convolution of 4 x 704, 640 x 1000 out: 1,996,816.
    CHECK(arithmetic(c) == Approx(2.0 * 10 * (50e6 + 1'996'816.0) * 512).epsilon(1e-9));
}

TEST_CASE("model-wide parameters multiply every token, the head only the last one", "[engine][prefill]") {
    Case c = synthetic::one_pool(100.0);
    const Estimate plain = evaluate(c);
    c.model.extra_params = 5'000'000;
    const Estimate e = evaluate(c);
    CHECK(e.prefill.compute_per_chunk->value - plain.prefill.compute_per_chunk->value ==
          Approx(2.0 * 5e6 * 512 / 1e12));
    // Layers of 100 MB and the 5 MB beside them, not the head of 2 MB.
    CHECK(seconds(e.prefill.terms, TermId::memory_fixed) == Approx(105e6 / 100e9));
    CHECK(seconds(e.decode.terms, TermId::read_fixed) == Approx(107e6 / 100e9));
}

TEST_CASE("a chunk that reads longer than it computes is limited by memory", "[engine][prefill]") {
    Case c = synthetic::one_pool(20.0);
    c.machine.compute.rate = 1000.0_TFLOP_s;
    const Estimate e = evaluate(c);
    // 10.1 GB at 100 GB/s against 2 x 5e8 x 512 FLOP at 10^15.
    CHECK(e.prefill.total->value == Approx(0.101).epsilon(1e-6));
    CHECK(*e.prefill.limit == Limit::memory);
    c.machine.compute.rate = 1.0_TFLOP_s;
    CHECK(*evaluate(c).prefill.limit == Limit::compute);
    c = synthetic::one_pool(1.0);
    CHECK(*evaluate(c).prefill.limit == Limit::storage);
    c = synthetic::two_pools(1.0, 20.0);
    CHECK(*evaluate(c).prefill.limit == Limit::link);
}

TEST_CASE("layers that lie in a later pool come over the link for every chunk", "[engine][prefill]") {
    Case c = synthetic::two_pools(0.3, 20.0);
    c.model.blocks[0].experts.reset();
    c.model.blocks[0].extra_params = 50'000'000;
    const Estimate e = evaluate(c); // five of ten layers of 50 MB fit beside 8.096 MB
    CHECK(seconds(e.prefill.terms, TermId::link_chunk) == Approx(250e6 / 10e9));
    CHECK(seconds(e.prefill.terms, TermId::memory_fixed, 0) == Approx(500e6 / 100e9));
    CHECK(seconds(e.prefill.terms, TermId::memory_fixed, 1) == 0.0);
    CHECK(e.prefill.total->value == Approx(2.0 * 5e8 * 512 / 1e12 + 0.025));
}

TEST_CASE("the tail of a prompt runs the decode-only layers at the prompt's end", "[engine][prefill]") {
    Case c = computing(grouped());
    c.model.blocks.push_back(c.model.blocks[0]);
    c.model.blocks[0].layers.numbers = {0, 1, 2, 3, 4, 5, 6, 7};
    c.model.blocks[1].layers.numbers = {8, 9};
    c.model.blocks[1].phases = Phases::decode;
    c.model.extra_params = 1'000'000; // multiplied by the chunks, not again by the tail
    c.scenario.prompt = 1024;
    c.scenario.chunk = 1024;
    const double chunk = 2.0 * (8 * 51.28e6 + 1e6) * 1024 + 2.0 * 8 * 128 * 8 * 1024 * 512;
    CHECK(arithmetic(c) == Approx(chunk).epsilon(1e-9));
    c.model.prefill_tail_tokens = 128;
    // 128 tokens behind 896: a mean position of 960.
    const double tail = 2.0 * 2 * 51.28e6 * 128 + 2.0 * 8 * 128 * 2 * 128 * 960;
    CHECK(arithmetic(c) == Approx(chunk + tail).epsilon(1e-9));
    c.scenario.prefill_all_layers = true;
    const double all = 2.0 * (10 * 51.28e6 + 1e6) * 1024 + 2.0 * 8 * 128 * 10 * 1024 * 512;
    CHECK(arithmetic(c) == Approx(all).epsilon(1e-9));
}

TEST_CASE("overlap hides a share of the shorter of computing and moving", "[engine][prefill]") {
    Case c = synthetic::one_pool();
    c.scenario.residency = 0.5;
    c.scenario.runtime.overlap_prefill = 0.5;
    // 0.512 s of arithmetic, 5 GB read in 1 s.
    CHECK(evaluate(c).prefill.total->value == Approx(1.512 - 0.256).epsilon(1e-6));
    c.scenario.residency = 0.9;
    CHECK(evaluate(c).prefill.total->value == Approx(0.712 - 0.1).epsilon(1e-6));
    c.scenario.prefill_compute = 2.0_s; // per chunk, in place of arithmetic and memory
    CHECK(evaluate(c).prefill.total->value == Approx(2.2 - 0.1).epsilon(1e-6));
}

TEST_CASE("an achieved rate comes before a share of a rated one", "[engine][prefill]") {
    Case c = synthetic::one_pool(20.0);
    c.machine.compute.rate.reset();
    c.machine.compute.rated = 4.0_TFLOP_s;
    CHECK_FALSE(evaluate(c).prefill.total.has_value());
    for (auto& share : c.scenario.runtime.compute_share.values) share = 0.25;
    CHECK(evaluate(c).prefill.total->value == Approx(0.512));
    c.machine.compute.rate = 2.0_TFLOP_s;
    CHECK(evaluate(c).prefill.total->value == Approx(0.256));
}
