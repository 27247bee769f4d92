// What must hold of any placement: all bytes lie somewhere once, shares sum to one, nothing exceeds a pool that is not
// forced to, and sizes agree with those counted by hand.
#include "support/by_hand.h"
#include "support/terms.h"
#include "support/variants.h"

#include "engine/estimate.h"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace spillway;
using test::same;

namespace {

constexpr double kRounding = 1.0 + 1e-9;

double count_of(const Block& block) { return static_cast<double>(block.layers.numbers.size()); }

double experts_of(const std::vector<Block>& blocks, const Quantization& q) {
    double bytes = 0.0;
    for (const Block& b : blocks) {
        if (b.experts)
            bytes += count_of(b) * static_cast<double>(b.experts->count) * by_hand::expert_bytes(*b.experts, q);
    }
    return bytes;
}

double table_of(const Case& c) {
    return static_cast<double>(c.model.vocabulary) * static_cast<double>(c.model.hidden) * *c.quantization.embedding /
           8.0;
}

double drafter_of(const Case& c) {
    if (!c.model.drafter) return 0.0;
    const Drafter& d = *c.model.drafter;
    Quantization own = c.quantization;
    own.experts = own.drafter_experts.value_or(*own.experts);
    own.experts_down.reset();
    double fixed = static_cast<double>(d.extra_params);
    for (const Block& b : d.blocks) fixed += count_of(b) * by_hand::layer_params(b, c.model.hidden);
    const double copies = d.embedding_copies ? 2.0 * table_of(c) : 0.0;
    return experts_of(d.blocks, own) + fixed * own.drafter_rest.value_or(*own.rest) / 8.0 + copies;
}

double layers_of(const Case& c) {
    double bytes = 0.0;
    for (const Block& b : c.model.blocks) bytes += count_of(b) * by_hand::layer_params(b, c.model.hidden);
    return bytes * *c.quantization.rest / 8.0;
}

} // namespace

TEST_CASE("sizes are those of the shapes counted by hand", "[property][variants]") {
    CHECK(rc::check([] {
        const Case c = variants::any_case();
        const Placement p = evaluate(c).placement;
        RC_ASSERT(same(p.sizes.layers->value, layers_of(c)));
        RC_ASSERT(same(p.sizes.experts->value, experts_of(c.model.blocks, c.quantization)));
        RC_ASSERT(same(p.sizes.head->value, table_of(c)));
        RC_ASSERT(same(p.sizes.table->value, c.model.tied_embedding ? 0.0 : table_of(c)));
        RC_ASSERT(same(p.sizes.drafter->value, drafter_of(c)));
        RC_ASSERT(same(p.kv_cache.value, by_hand::kv_bytes(c, c.scenario.context), 1e-3));
        const double chunk = c.scenario.chunk.value_or(c.scenario.runtime.micro_batch);
        RC_ASSERT(same(p.scratch.value, 4.0 * static_cast<double>(c.model.vocabulary + c.model.hidden) * chunk));
        double other = 0.0, tables = 0.0;
        for (const OtherPart& part : c.model.other_parts) other += static_cast<double>(*part.params);
        for (const LookupTable& t : c.model.tables) tables += static_cast<double>(t.rows * t.row_params);
        RC_ASSERT(same(p.sizes.other->value, other * *c.quantization.other / 8.0));
        RC_ASSERT(same(p.sizes.tables->value, tables * *c.quantization.tables / 8.0));
    }));
}

TEST_CASE("every byte lies in one pool, and none holds more than it may", "[property][variants]") {
    CHECK(rc::check([] {
        const Case c = variants::any_case();
        const Scenario& s = c.scenario;
        const Placement p = evaluate(c).placement;
        if (!p.residency) return;
        RC_ASSERT(*p.residency >= 0.0);
        RC_ASSERT(*p.residency <= 1.0);
        double weights = 0.0, kv = 0.0, layers = 0.0, fixed = 0.0, held = 0.0;
        const bool first_stated =
            p.tiers.size > 1 && p.sizes.moe_layers > 0.0 && (s.first_pool_experts || s.cpu_moe_layers);
        const bool forced = s.expert_budget || s.residency || !s.residency_ranges.empty() || first_stated;
        for (std::size_t i = 0; i < p.tiers.size; ++i) {
            const Tier& tier = p.tiers.items[i];
            weights += tier.weight_share;
            kv += tier.kv_share;
            layers += tier.layers;
            fixed += tier.fixed.value;
            held += tier.expert_bytes.value;
            RC_ASSERT(same(tier.expert_bytes.value, tier.expert_share * p.sizes.experts->value, 1e-3));
            const double usable = c.machine.memory[i].usable->value;
            const double space = std::max(0.0, usable - tier.fixed.value);
            const bool cached = i == 0 && s.runtime.page_cache_share > 0.0;
            const double kept_free = s.runtime.page_cache_share * c.machine.memory[i].capacity.value;
            const double limit =
                cached ? std::min(space, c.machine.memory[i].capacity.value - kept_free - tier.fixed.value) : space;
            RC_ASSERT(same(tier.expert_budget->value, std::max(0.0, limit), 1.0));
            // What is forced beyond the room there is lies in the last pool; a stated share lies in the first.
            const bool takes_excess = first_stated ? i == 0 : forced && i + 1 == p.tiers.size;
            if (!takes_excess) RC_ASSERT(tier.expert_bytes.value <= tier.expert_budget->value * kRounding);
        }
        if (first_stated) {
            const double left =
                s.cpu_moe_layers ? 1.0 - std::min(1.0, *s.cpu_moe_layers / p.sizes.moe_layers) : *s.first_pool_experts;
            RC_ASSERT(same(p.tiers.items[0].expert_share, left));
            RC_ASSERT(held <= p.sizes.experts->value * kRounding);
        }
        RC_ASSERT(same(weights, 1.0));
        RC_ASSERT(same(kv, 1.0));
        RC_ASSERT(layers == p.sizes.layer_count);
        if (p.sizes.moe_layers > 0.0) RC_ASSERT(same(held, *p.residency * p.sizes.experts->value, 1e-3));
        double most = 0.0;
        for (const Block& b : c.model.blocks) {
            if (b.experts) most = std::max(most, static_cast<double>(b.experts->count));
        }
        if (most > 0.0) RC_ASSERT(same(*p.slots_per_layer, most * *p.residency));
        // What is charged: weights, KV and scratch (or the runtime's working memory, if that is more), what is loaded
        // beside them, and the reserve.
        const auto bytes = [](const std::optional<Bytes>& b) { return b ? b->value : 0.0; };
        double charged = layers_of(c) + static_cast<double>(c.model.extra_params) * *c.quantization.rest / 8.0 +
                         table_of(c) * (c.model.tied_embedding ? 1.0 : 2.0) + bytes(s.runtime.reserve);
        if (s.positions > 1.0) charged += drafter_of(c);
        if (s.use_other_parts) charged += bytes(p.sizes.other);
        if (p.tiers.size == 1) {
            charged += std::max(bytes(s.runtime.working_memory), p.kv_cache.value + p.scratch.value);
            RC_ASSERT(same(fixed, charged, 1.0));
        } else {
            RC_ASSERT(fixed >= charged / kRounding);
        }
        if (p.page_cache) {
            const double left =
                c.machine.memory[0].capacity.value - p.tiers.items[0].fixed.value - p.tiers.items[0].expert_bytes.value;
            RC_ASSERT(same(p.page_cache->value, std::max(0.0, left), 1.0));
        }
        double loaded = layers_of(c) + static_cast<double>(c.model.extra_params) * *c.quantization.rest / 8.0 +
                        table_of(c) * (c.model.tied_embedding ? 1.0 : 2.0) + held;
        if (s.positions > 1.0) loaded += drafter_of(c);
        if (s.use_other_parts) loaded += bytes(p.sizes.other);
        RC_ASSERT(same(p.load->value * c.machine.storage[0].rate->value, loaded, 1.0));
    }));
}

TEST_CASE("no layer moves off a pool that has room for it, and whole layers of experts stay whole",
          "[property][variants]") {
    CHECK(rc::check([] {
        const Case c = variants::any_case();
        const Placement p = evaluate(c).placement;
        if (!p.residency || p.tiers.size < 2) return;
        double moved = 0.0; // the smallest layer that could have stayed
        for (std::size_t i = p.tiers.size; i-- > 1;) moved += p.tiers.items[i].layers;
        const bool drafts = c.model.drafter && c.scenario.positions > 1.0; // its cache stays in the first pool
        for (const Tier& tier : p.tiers) {
            if (c.model.blocks.size() > 1) break;
            const double share = tier.layers / p.sizes.layer_count;
            RC_ASSERT(same(tier.weight_share, share, 1e-12));
            if (!drafts && p.kv_cache.value > 0.0) RC_ASSERT(same(tier.kv_share, share, 1e-12));
        }
        const Tier& first = p.tiers.items[0];
        if (first.layers > 0.0) RC_ASSERT(first.fixed.value <= c.machine.memory[0].usable->value * kRounding);
        if (moved > 0.0 && c.model.blocks.size() == 1) {
            const Block& b = c.model.blocks[0];
            const double weights = by_hand::layer_params(b, c.model.hidden) * *c.quantization.rest / 8.0;
            const double kv = b.attention ? by_hand::kv_layer_bytes(*b.attention, c.scenario, c.scenario.context) : 0.0;
            const double back = first.fixed.value + weights + c.scenario.sequences * kv;
            RC_ASSERT(back * kRounding > c.machine.memory[0].usable->value);
        }
        if (c.scenario.first_pool_experts || c.scenario.cpu_moe_layers) return;
        if (c.scenario.runtime.policy != Policy::static_layers || p.sizes.moe_layers == 0.0) return;
        const double layers = first.expert_share * p.sizes.moe_layers;
        RC_ASSERT(same(layers, std::round(layers), 1e-6));
        for (const Tier& tier : p.tiers) RC_ASSERT(same(tier.expert_layers, tier.expert_share * p.sizes.moe_layers));
    }));
}
