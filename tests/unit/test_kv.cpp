// KV cache bytes by kind of layer, against engine logs (docs/physics.md 12.3) and faults of other tools
// (docs/faults.md).
#include "engine/params.h"
#include "support/synthetic.h"

#include "engine/kv.h"

#include <catch2/catch.hpp>

using namespace spillway;

namespace {

Block layers(int count, const Attention& attention) {
    Block block;
    for (int i = 0; i < count; ++i) block.layers.numbers.push_back(i);
    block.attention = attention;
    return block;
}

Attention grouped(Count kv_heads, Count width, Count window = 0) {
    Attention a;
    a.kind = window > 0 ? AttentionKind::swa : AttentionKind::gqa;
    a.heads = 16;
    a.kv_heads = kv_heads;
    a.head_dim_k = a.head_dim_v = width;
    a.window = window;
    return a;
}

Attention latent(AttentionKind kind, bool owns_keys = false) {
    Attention a;
    a.kind = kind;
    a.heads = 64;
    a.kv_lora_rank = 512;
    a.rope_dim = 64;
    if (kind == AttentionKind::dsa) {
        a.index = Indexer{};
        a.index->head_dim = 128;
        a.index->owns_keys = owns_keys;
    }
    return a;
}

double mib(const std::vector<Block>& blocks, double context, KvFormat format = KvFormat::f16,
           const Runtime& runtime = {}) {
    Model m;
    m.blocks = blocks;
    Scenario s;
    s.kv_format = format;
    s.runtime = runtime;
    return kv_cache_bytes(m, s, context).value / kMiB;
}

} // namespace

// Logs of ikawrakow/ik_llama.cpp, by pull request.
TEST_CASE("grouped heads: engine logs to the MiB", "[kv]") {
    CHECK(mib({layers(48, grouped(4, 128))}, 32768) == Approx(3072.0).margin(0.02));                 // PR 370
    CHECK(mib({layers(94, grouped(4, 128))}, 16384, KvFormat::q8_0) == Approx(1598.0).margin(0.02)); // PR 370
    CHECK(mib({layers(61, grouped(2, 128))}, 5120, KvFormat::q8_0) == Approx(162.03).margin(0.02));  // PR 344
}

TEST_CASE("A06: windows keep their own cells and widths, rounded as the engine does", "[kv]") {
    Runtime runtime;
    runtime.kv_cell_multiple = 256;
    runtime.kv_window_holds_batch = true;
    runtime.micro_batch = 512;
    const std::vector<Block> gemma = {layers(8, grouped(1, 512)), layers(40, grouped(8, 256, 1024))};
    // Global 1.0625 GiB, windows of pad256(1024 + 512) cells 255 MiB; one formula for all layers gave 47.8 GiB.
    CHECK(mib(gemma, 131072, KvFormat::q8_0, runtime) == Approx(1343.0).margin(1.0));
    CHECK(mib(gemma, 512, KvFormat::q8_0, runtime) < mib(gemma, 131072, KvFormat::q8_0, runtime));
}

TEST_CASE("A07: latent attention stores one latent and the rope part once", "[kv]") {
    CHECK(mib({layers(61, latent(AttentionKind::mla))}, 163840) / 1024 == Approx(10.72).margin(0.01)); // DeepSeek-V3.1
    CHECK(mib({layers(61, latent(AttentionKind::mla))}, 262144) / 1024 == Approx(17.16).margin(0.01)); // Kimi-K2.5
    CHECK(mib({layers(79, latent(AttentionKind::mla))}, 202752) / 1024 ==
          Approx(17.18).margin(0.01));                                                      // GLM-5 and its MTP layer
    CHECK(mib({layers(28, grouped(8, 128))}, 40960) / 1024 == Approx(4.375).margin(0.001)); // Qwen3-0.6B
    CHECK(mib({layers(16, grouped(4, 256))}, 262144) / 1024 ==
          Approx(16.0).margin(0.001)); // Qwen3.5-27B: 16 of 64 layers
}

TEST_CASE("A21: indexer keys only in layers that own them", "[kv]") {
    const double plain = mib({layers(78, latent(AttentionKind::mla))}, 131072);
    const double sparse =
        mib({layers(21, latent(AttentionKind::dsa, true)), layers(57, latent(AttentionKind::dsa))}, 131072);
    CHECK(sparse - plain == Approx(672.0).margin(0.01));
}

TEST_CASE("A05: layers without heads add nothing; the cache grows with context", "[kv]") {
    const std::vector<Block> lfm2 = {layers(6, grouped(8, 64)), layers(10, grouped(0, 64))};
    CHECK(mib(lfm2, 32768) == Approx(384.0));
    CHECK(mib(lfm2, 4096) == Approx(48.0));
}

TEST_CASE("recurrent state is per sequence and does not grow with context", "[kv]") {
    Attention a;
    a.kind = AttentionKind::linear;
    a.form = LinearForm::gdn;
    a.key_heads = 16;
    a.value_heads = 32;
    a.head_dim_k = a.head_dim_v = 128;
    a.conv_kernel = 4;
    CHECK(state_bytes(a).value == 2097152 + 3 * 8192 * 4);
    CHECK(mib({layers(36, a)}, 1024) == mib({layers(36, a)}, 262144));
}

TEST_CASE("layers that share another's cache store none", "[kv]") {
    Attention a = latent(AttentionKind::csa);
    a.head_dim_k = 512;
    a.window = 128;
    a.compress_ratio = 2;
    const double own = mib({layers(1, a)}, 65536);
    a.shares_kv = true;
    CHECK(mib({layers(1, a)}, 65536) == Approx(128.0 * 512 * 2 / kMiB)); // its window alone
    CHECK(own == Approx((65536.0 * 512 / 2 + 128 * 512) * 2 / kMiB));
}
