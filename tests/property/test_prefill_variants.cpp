// What must hold of a prompt whatever the case: terms of a chunk, operations and bytes counted by hand, chunks that
// sum.
#include "support/by_hand.h"
#include "support/terms.h"
#include "support/variants.h"

#include "engine/estimate.h"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace spillway;
using test::same;
using test::seconds;

namespace {

constexpr double kRounding = 1.0 + 1e-9;

// A drawn case whose prompt is one chunk, or the case as it is; discarded where prefill has no speed. No tail, as its
// terms carry the names of a chunk's.
struct Priced {
    Case c = variants::any_case();
    Estimate e;
    const Prefill& f = e.prefill;

    explicit Priced(bool one_chunk) {
        c.model.prefill_tail_tokens = 0;
        if (one_chunk) c.scenario.prompt = std::min(c.scenario.prompt, chunk());
        e = evaluate(c);
        RC_PRE(f.tokens_per_second.has_value());
    }
    double chunk() const { return c.scenario.chunk.value_or(c.scenario.runtime.micro_batch); }
    double arithmetic() const { return seconds(f.terms, {TermId::compute, TermId::forced_compute}); }
    double memory() const { return seconds(f.terms, {TermId::memory_fixed, TermId::memory_experts}); }
    double link() const { return seconds(f.terms, {TermId::link_chunk, TermId::link_latency}); }
    double reading() const { return seconds(f.terms, {TermId::storage_chunk, TermId::page_cache}); }
    double compute_rate() const {
        const auto& rate = c.machine.compute.rate;
        return rate ? rate->value : c.machine.compute.rated->value * *c.scenario.runtime.compute_share.values[2];
    }
    double first_rate() const { return c.machine.memory[0].bandwidth->value * *c.machine.memory[0].sustained; }
};

} // namespace

TEST_CASE("a chunk is the longer of arithmetic and memory, and what is moved, less what overlaps",
          "[property][variants]") {
    CHECK(rc::check([] {
        const Priced p(true);
        const double busy = std::max(p.arithmetic(), p.memory()), moved = p.link() + p.reading();
        RC_ASSERT(same(p.f.compute_per_chunk->value, busy));
        RC_ASSERT(same(p.f.storage_per_chunk->value, p.reading()));
        const double total = busy + moved - p.c.scenario.runtime.overlap_prefill * std::min(busy, moved);
        RC_ASSERT(same(p.f.total->value, total));
        RC_ASSERT(p.f.total->value * kRounding >= std::max(busy, moved));
        RC_ASSERT(same(*p.f.tokens_per_second, p.c.scenario.prompt / total));
        RC_ASSERT(p.f.chunks == 1.0);
        const double read = p.reading();
        RC_ASSERT(p.f.storage_limit.has_value() == (read > 0.0));
        if (read > 0.0) RC_ASSERT(same(*p.f.storage_limit, p.c.scenario.prompt / read));
        if (p.e.decode.step) {
            RC_ASSERT(same(p.f.time_to_first_token->value, total + p.e.decode.step->value));
        }
        const Limit limit = *p.f.limit;
        if (limit == Limit::storage) RC_ASSERT(read * kRounding >= std::max(busy, p.link()));
        if (limit == Limit::link) RC_ASSERT(p.link() * kRounding >= std::max(busy, read));
        if (limit == Limit::memory) RC_ASSERT(p.memory() >= p.arithmetic());
        if (limit == Limit::compute) RC_ASSERT(p.arithmetic() >= p.memory());
        if (limit == Limit::memory || limit == Limit::compute) {
            RC_ASSERT(busy >= std::max(p.link(), read));
        }
    }));
}

TEST_CASE("the operations of a chunk are those of its layers and of attention by kind", "[property][variants]") {
    CHECK(rc::check([] {
        const Priced p(true);
        if (p.c.scenario.prefill_compute) return;
        RC_ASSERT(same(p.arithmetic() * p.compute_rate(),
                       by_hand::chunk_flops(p.c, p.c.scenario.prompt, p.c.scenario.depth)));
    }));
}

TEST_CASE("a chunk reads its layers without the head, and the experts that its tokens touch", "[property][variants]") {
    CHECK(rc::check([] {
        const Priced p(true);
        const Case& c = p.c;
        if (c.scenario.prefill_compute || c.scenario.runtime.prefill_spill_access != Access::copied) return;
        const double outside = static_cast<double>(c.model.extra_params) * *c.quantization.rest / 8.0;
        const double layers = by_hand::layer_bytes(c, true),
                     touched = by_hand::chunk_expert_bytes(c, c.scenario.prompt);
        RC_ASSERT(same(seconds(p.f.terms, TermId::memory_fixed, 0) * p.first_rate(), layers + outside, 1e-3));
        RC_ASSERT(same(seconds(p.f.terms, TermId::memory_experts, 0) * p.first_rate(), touched, 1e-3));
        RC_ASSERT(seconds(p.f.terms, TermId::memory_experts, 1) == 0.0);
        // Over the link comes what later pools hold of both.
        const double link = seconds(p.f.terms, TermId::link_chunk) * c.machine.links[0].rate->value;
        double weights = 0.0, served = 0.0;
        const Placement& place = p.e.placement;
        for (std::size_t i = 1; i < place.tiers.size; ++i) {
            weights += place.tiers.items[i].weight_share * layers;
            served += place.tiers.items[i].expert_share * touched;
        }
        if (!c.scenario.residency_ranges.empty()) return;
        // All of it where a residency of 1 was rounded up from a sum of pools an ulp short.
        RC_ASSERT(same(link, weights + served, 1.0));
        RC_ASSERT(same(p.f.read_bytes_per_chunk->value, (1.0 - *place.residency) * touched, 1.0));
        const double cached =
            place.page_cache ? std::min(1.0, place.page_cache->value / place.expert_pool->value) : 0.0;
        const double from_cache = std::max(0.0, cached - *place.residency) * touched;
        const auto& cache_rate = c.scenario.runtime.page_cache_rate;
        const double read = cache_rate ? seconds(p.f.terms, TermId::page_cache) * cache_rate->value : 0.0;
        RC_ASSERT(same(read, touched > 0.0 ? from_cache : 0.0, 1.0));
    }));
}

TEST_CASE("chunks sum to the prompt, each at its place and at its true size", "[property][variants]") {
    CHECK(rc::check([] {
        const Priced p(false);
        const double size = std::min(p.chunk(), p.c.scenario.prompt);
        RC_ASSERT(p.f.chunk_tokens == size);
        RC_ASSERT(p.f.chunks == std::ceil(p.c.scenario.prompt / size));
        if (p.c.scenario.prefill_compute) return;
        // Of each size one chunk is priced on its own; the arithmetic of the others follows from their place.
        double total = 0.0, storage = 0.0;
        for (double before = 0.0; before < p.c.scenario.prompt; before += size) {
            Case one = p.c;
            one.scenario.prompt = std::min(size, p.c.scenario.prompt - before);
            one.scenario.chunk = p.chunk(); // scratch, and with it the placement, stays
            const Prefill f = evaluate(one).prefill;
            const double arithmetic =
                by_hand::chunk_flops(p.c, one.scenario.prompt, p.c.scenario.depth + before) / p.compute_rate();
            const double memory = seconds(f.terms, {TermId::memory_fixed, TermId::memory_experts});
            const double moved =
                seconds(f.terms, {TermId::link_chunk, TermId::link_latency, TermId::storage_chunk, TermId::page_cache});
            const double busy = std::max(arithmetic, memory);
            total += busy + moved - p.c.scenario.runtime.overlap_prefill * std::min(busy, moved);
            storage += f.storage_per_chunk->value;
        }
        RC_ASSERT(same(p.f.total->value, total));
        if (storage > 0.0) RC_ASSERT(same(*p.f.storage_limit, p.c.scenario.prompt / storage));
    }));
}

TEST_CASE("the last tokens of a prompt run the layers that ordinary chunks skip", "[property][variants]") {
    CHECK(rc::check([] {
        Case c = variants::any_case();
        c.model.blocks.back().phases = Phases::decode;
        c.model.prefill_tail_tokens = variants::whole(1, 300);
        c.scenario.prefill_all_layers = false;
        c.scenario.prefill_compute.reset();
        const Estimate with = evaluate(c);
        RC_PRE(with.prefill.tokens_per_second.has_value());
        Case without = c;
        without.model.prefill_tail_tokens = 0;
        const double added = with.prefill.total->value - evaluate(without).prefill.total->value;
        // The tail as the only chunk of a model that runs nothing but those layers, behind the rest of the prompt.
        const double tokens = std::min(static_cast<double>(c.model.prefill_tail_tokens), c.scenario.prompt);
        Case alone = c;
        alone.model.extra_params = 0;
        for (Block& b : alone.model.blocks) {
            b.phases = b.phases == Phases::decode ? Phases::both : Phases::decode;
        }
        const double flops = by_hand::chunk_flops(alone, tokens, c.scenario.depth + c.scenario.prompt - tokens);
        const auto& rate = c.machine.compute.rate;
        const double per_second =
            rate ? rate->value : c.machine.compute.rated->value * *c.scenario.runtime.compute_share.values[2];
        double arithmetic = -1.0; // of the second of two terms
        for (const Term& term : with.prefill.terms) {
            if (term.id == TermId::compute) arithmetic = term.seconds->value;
        }
        RC_ASSERT(same(arithmetic, flops / per_second));
        RC_ASSERT(added * kRounding >= arithmetic);
        // `added` is a difference of two prompts: their rounding, not its own.
        const double bound = arithmetic + seconds(with.prefill.terms, {TermId::memory_fixed, TermId::memory_experts}) +
                             seconds(with.prefill.terms, {TermId::link_chunk, TermId::link_latency, TermId::page_cache,
                                                          TermId::storage_tail, TermId::storage_chunk});
        RC_ASSERT(added <= bound * kRounding + 1e-9 * with.prefill.total->value);
    }));
}

TEST_CASE("a faster part never slows a prompt", "[property][variants]") {
    CHECK(rc::check([] {
        const Priced p(false);
        const double before = *p.f.tokens_per_second, more = variants::real(1.0, 5.0);
        const auto improved = [&](auto change) {
            Case c = p.c;
            change(c);
            return *evaluate(c).prefill.tokens_per_second * kRounding >= before;
        };
        RC_ASSERT(improved([&](Case& c) { c.machine.storage[0].rate = more * *c.machine.storage[0].rate; }));
        RC_ASSERT(improved([&](Case& c) { c.machine.links[0].rate = more * *c.machine.links[0].rate; }));
        RC_ASSERT(improved([&](Case& c) { c.machine.memory[0].bandwidth = more * *c.machine.memory[0].bandwidth; }));
        RC_ASSERT(improved([&](Case& c) {
            if (c.machine.compute.rate) c.machine.compute.rate = more * *c.machine.compute.rate;
        }));
        RC_ASSERT(improved([&](Case& c) { c.scenario.runtime.overlap_prefill = 1.0; }));
    }));
}
