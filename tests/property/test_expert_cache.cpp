// Cache policies against references that search and sort lists, on small random traces.
#include "simulate/cache.h"
#include "simulate/recency.h"
#include "simulate/replay.h"
#include "support/routes.h"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>

using namespace spillway;
using test::random_steps;

namespace {

// A resident as the references see it.
struct Resident {
    std::uint32_t layer = 0, expert = 0;
    std::uint64_t inserted = 0, used = 0, uses = 0, next = kNotUsedAgain;
};

// One cache of whole sizes, everything found by looking through a list. The order of the list is that of insertion,
// with the last in place of one that random evicted, as the random policy states no order of its own.
class Reference {
public:
    Reference(EvictionPolicy policy, std::vector<std::uint64_t> sizes, std::uint64_t budget, std::uint64_t seed)
        : policy_(policy), sizes_(std::move(sizes)), budget_(budget), rng_(seed) {}

    std::uint32_t access(std::uint32_t layer, std::span<const std::uint32_t> experts,
                         std::span<const std::uint64_t> next) {
        std::uint32_t hits = 0;
        for (std::size_t i = 0; i < experts.size(); ++i) {
            const auto is_it = [&](const Resident& r) { return r.layer == layer && r.expert == experts[i]; };
            auto found = std::find_if(list_.begin(), list_.end(), is_it);
            ++clock_;
            if (found != list_.end()) {
                ++hits;
            } else {
                found = list_.insert(list_.end(), {layer, experts[i], clock_, 0, 0, 0});
            }
            found->used = clock_;
            found->uses = ++uses_[{layer, experts[i]}];
            found->next = next[i];
        }
        while (size() > budget_) evict();
        return hits;
    }

private:
    std::uint64_t size() const {
        std::uint64_t sum = 0;
        for (const Resident& r : list_) sum += sizes_[r.layer];
        return sum;
    }
    void evict() {
        const auto leaves_first = [this](const Resident& a, const Resident& b) {
            switch (policy_) {
            case EvictionPolicy::lru: return a.used < b.used;
            case EvictionPolicy::fifo: return a.inserted < b.inserted;
            case EvictionPolicy::lfu: return std::pair(a.uses, a.used) < std::pair(b.uses, b.used);
            case EvictionPolicy::belady: return a.next != b.next ? a.next > b.next : a.used < b.used;
            default: return false;
            }
        };
        if (policy_ == EvictionPolicy::random) {
            std::swap(list_[rng_.below(static_cast<std::uint32_t>(list_.size()))], list_.back());
            list_.pop_back();
        } else {
            list_.erase(std::min_element(list_.begin(), list_.end(), leaves_first));
        }
    }

    EvictionPolicy policy_;
    std::vector<std::uint64_t> sizes_;
    std::uint64_t budget_;
    Rng rng_;
    std::uint64_t clock_ = 0;
    std::vector<Resident> list_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> uses_;
};

constexpr std::array kEvicting = {EvictionPolicy::lru, EvictionPolicy::lfu, EvictionPolicy::fifo,
                                  EvictionPolicy::random, EvictionPolicy::belady};

struct Shape {
    std::uint32_t layers, experts, most;
    std::size_t steps;
    std::uint64_t seed;
};

Shape any_shape(std::uint32_t most_experts = 12) {
    Shape s{};
    s.layers = *rc::gen::inRange(1U, 4U);
    s.experts = *rc::gen::inRange(1U, most_experts + 1U);
    s.most = *rc::gen::inRange(1U, s.experts + 1U);
    s.steps = *rc::gen::inRange<std::size_t>(1, 120);
    s.seed = *rc::gen::arbitrary<std::uint64_t>();
    return s;
}

CacheOptions slots(EvictionPolicy policy, CacheScope scope, const Shape& s, std::uint64_t budget) {
    CacheOptions options;
    options.policy = policy;
    options.scope = scope;
    options.experts = s.experts;
    options.expert_sizes.assign(s.layers, 1);
    options.budget.assign(scope == CacheScope::global ? 1 : s.layers, budget);
    return options;
}

std::uint64_t hits(const StoredSteps& steps, const std::vector<std::uint64_t>& futures, const CacheOptions& options) {
    ExpertCache cache(options);
    return replay(steps, futures, cache, [](const StoredSteps::Entry&) { return true; }).hits;
}

// Least misses of any way to keep at most `slots` of what is at hand after each step: all subsets are tried.
std::uint64_t least_misses(const StoredSteps& steps, std::uint32_t slots) {
    std::map<unsigned, std::uint64_t> states = {{0U, 0}};
    for (std::size_t i = 0; i < steps.size(); ++i) {
        unsigned wanted = 0;
        for (const std::uint32_t e : steps.experts(i)) wanted |= 1U << e;
        std::map<unsigned, std::uint64_t> after;
        for (const auto& [kept, misses] : states) {
            const std::uint64_t now = misses + static_cast<std::uint64_t>(__builtin_popcount(wanted & ~kept));
            const unsigned all = kept | wanted;
            for (unsigned sub = all;; sub = (sub - 1U) & all) {
                if (static_cast<std::uint32_t>(__builtin_popcount(sub)) <= slots) {
                    const auto [at, added] = after.try_emplace(sub, now);
                    if (!added) at->second = std::min(at->second, now);
                }
                if (sub == 0) break;
            }
        }
        states = std::move(after);
    }
    std::uint64_t least = states.begin()->second;
    for (const auto& [kept, misses] : states) least = std::min(least, misses);
    return least;
}

} // namespace

TEST_CASE("every policy does what its reference does, with unequal sizes too", "[property][cache]") {
    CHECK(rc::check([] {
        const Shape s = any_shape();
        Rng rng(s.seed);
        const StoredSteps steps = random_steps(rng, s.layers, s.experts, s.most, s.steps);
        const auto futures = next_uses(steps);
        CacheOptions options = slots(*rc::gen::elementOf(kEvicting), CacheScope::global, s, 0);
        for (std::uint64_t& size : options.expert_sizes) size = 1U + rng.below(5);
        options.budget = {*rc::gen::inRange<std::uint64_t>(0, 60)};
        options.seed = s.seed;
        ExpertCache cache(options);
        Reference reference(options.policy, options.expert_sizes, options.budget[0], s.seed);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const auto experts = steps.experts(i);
            const auto next = std::span(futures).subspan(steps[i].begin, experts.size());
            const CacheStep done = cache.access(steps[i].layer, experts, next);
            RC_ASSERT(done.hits == reference.access(steps[i].layer, experts, next));
            RC_ASSERT(done.hits + done.misses == experts.size());
            RC_ASSERT(cache.size() <= options.budget[0]);
        }
    }));
}

TEST_CASE("a per-layer cache is one global cache per layer", "[property][cache]") {
    CHECK(rc::check([] {
        const Shape s = any_shape();
        Rng rng(s.seed);
        const StoredSteps steps = random_steps(rng, s.layers, s.experts, s.most, s.steps);
        const auto futures = next_uses(steps);
        const auto policy = *rc::gen::elementOf(kEvicting);
        const std::uint64_t budget = *rc::gen::inRange<std::uint64_t>(0, s.experts + 1U);
        const CacheOptions options = slots(policy, CacheScope::per_layer, s, budget);
        ExpertCache cache(options);
        std::vector<Reference> references;
        for (std::uint32_t i = 0; i < s.layers; ++i)
            references.emplace_back(policy, options.expert_sizes, budget, options.seed + i);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const auto next = std::span(futures).subspan(steps[i].begin, steps.experts(i).size());
            RC_ASSERT(cache.access(steps[i].layer, steps.experts(i), next).hits ==
                      references[steps[i].layer].access(steps[i].layer, steps.experts(i), next));
        }
    }));
}

TEST_CASE("Belady is the optimum of all ways to keep experts", "[property][cache]") {
    CHECK(rc::check([] {
        Shape s = any_shape(6);
        s.layers = 1;
        s.steps = std::min<std::size_t>(s.steps, 14);
        Rng rng(s.seed);
        const StoredSteps steps = random_steps(rng, 1, s.experts, s.most, s.steps);
        const auto futures = next_uses(steps);
        const std::uint32_t kept = *rc::gen::inRange(0U, s.experts + 1U);
        const std::uint64_t belady =
            hits(steps, futures, slots(EvictionPolicy::belady, CacheScope::per_layer, s, kept));
        RC_ASSERT(steps.all_experts().size() - belady == least_misses(steps, kept));
    }));
}

TEST_CASE("Belady is never worse than any other policy", "[property][cache]") {
    CHECK(rc::check([] {
        const Shape s = any_shape(24);
        Rng rng(s.seed);
        const StoredSteps steps = random_steps(rng, s.layers, s.experts, s.most, s.steps);
        const auto futures = next_uses(steps);
        const auto scope = *rc::gen::element(CacheScope::per_layer, CacheScope::global);
        const std::uint64_t budget = *rc::gen::inRange<std::uint64_t>(0, s.experts * 2U);
        const std::uint64_t best = hits(steps, futures, slots(EvictionPolicy::belady, scope, s, budget));
        std::vector<std::uint64_t> popularity(std::size_t{s.layers} * s.experts);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            for (const std::uint32_t e : steps.experts(i)) ++popularity[steps[i].layer * s.experts + e];
        }
        for (const auto policy :
             {EvictionPolicy::lru, EvictionPolicy::lfu, EvictionPolicy::fifo, EvictionPolicy::random}) {
            RC_ASSERT(hits(steps, {}, slots(policy, scope, s, budget)) <= best);
        }
        // A hot set is filled beforehand, so its first uses hit; an optimum from cold can lose only those.
        CacheOptions hot = slots(EvictionPolicy::static_hot, scope, s, budget);
        hot.popularity = popularity;
        const std::uint64_t filled = ExpertCache(hot).size();
        RC_ASSERT(hits(steps, {}, hot) <= best + filled);
    }));
}

TEST_CASE("LRU obeys inclusion: a larger cache holds what a smaller one holds", "[property][cache]") {
    CHECK(rc::check([] {
        const Shape s = any_shape(24);
        Rng rng(s.seed);
        const StoredSteps steps = random_steps(rng, s.layers, s.experts, s.most, s.steps);
        const auto scope = *rc::gen::element(CacheScope::per_layer, CacheScope::global);
        const std::uint64_t budget = *rc::gen::inRange<std::uint64_t>(0, s.experts * 2U);
        ExpertCache small(slots(EvictionPolicy::lru, scope, s, budget));
        ExpertCache large(slots(EvictionPolicy::lru, scope, s, budget + 1U));
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const auto in_small = small.access(steps[i].layer, steps.experts(i)).hits;
            RC_ASSERT(in_small <= large.access(steps[i].layer, steps.experts(i)).hits);
            for (std::uint32_t l = 0; l < s.layers; ++l) {
                for (std::uint32_t e = 0; e < s.experts; ++e) {
                    const bool kept = !small.holds(l, e) || large.holds(l, e);
                    RC_ASSERT(kept);
                }
            }
        }
    }));
}

TEST_CASE("stack distances of both structures are positions in a list", "[property][recency]") {
    CHECK(rc::check([] {
        const std::uint32_t experts = *rc::gen::inRange(1U, 400U);
        const std::uint32_t most = *rc::gen::inRange(1U, std::min(experts, 20U) + 1U);
        const auto seed = *rc::gen::arbitrary<std::uint64_t>();
        Rng rng(seed);
        // Enough steps for the wide structure to renumber its points in time.
        const StoredSteps steps = random_steps(rng, 1, experts, most, 300);
        LayerRecency narrow;
        WideRecency wide;
        std::vector<std::uint32_t> list, positions(most);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const auto in_step = steps.experts(i);
            narrow.step(in_step, positions);
            for (std::size_t j = 0; j < in_step.size(); ++j) {
                const auto found = std::find(list.begin(), list.end(), in_step[j]);
                const auto expected =
                    found == list.end() ? kNeverUsed : static_cast<std::uint32_t>(found - list.begin());
                RC_ASSERT(positions[j] == expected);
                RC_ASSERT(wide.position(in_step[j]) == expected);
            }
            for (const std::uint32_t e : in_step) {
                list.erase(std::remove(list.begin(), list.end(), e), list.end());
                list.insert(list.begin(), e);
                wide.touch(e);
            }
            RC_ASSERT(narrow.used() == list.size());
            RC_ASSERT(wide.used() == list.size());
        }
    }));
}
