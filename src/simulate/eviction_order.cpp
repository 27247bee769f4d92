#include "simulate/eviction_order.h"

#include <cassert>
#include <utility>

namespace spillway {

EvictionOrder::EvictionOrder(EvictionPolicy policy, std::uint32_t ids, std::uint64_t seed)
    : policy_(policy), rng_(seed), place_(ids, kOut) {
    if (in_list()) {
        before_.assign(ids + 1U, ids);
        after_.assign(ids + 1U, ids);
    } else if (policy_ == EvictionPolicy::lfu || policy_ == EvictionPolicy::belady) {
        keys_.resize(ids);
        uses_.resize(policy_ == EvictionPolicy::lfu ? ids : 0);
    }
}

void EvictionOrder::use(std::uint32_t id, std::uint64_t next_use) {
    const bool inserted = !holds(id);
    if (inserted) ++resident_;
    ++clock_;
    switch (policy_) {
    case EvictionPolicy::lru:
        if (!inserted) unlink(id);
        append(id);
        return;
    case EvictionPolicy::fifo:
        if (inserted) append(id);
        return;
    case EvictionPolicy::lfu: place_in_heap(id, {++uses_[id], clock_}); return;
    case EvictionPolicy::belady: place_in_heap(id, {kNotUsedAgain - next_use, clock_}); return;
    case EvictionPolicy::random:
    case EvictionPolicy::static_hot:
        if (!inserted) return;
        order_.push_back(id);
        put(resident_ - 1U, id);
        return;
    }
}

std::uint32_t EvictionOrder::evict() {
    assert(resident_ > 0 && policy_ != EvictionPolicy::static_hot);
    --resident_;
    if (in_list()) {
        const std::uint32_t id = after_.back();
        unlink(id);
        place_[id] = kOut;
        return id;
    }
    const std::uint32_t at = policy_ == EvictionPolicy::random ? rng_.below(resident_ + 1U) : 0;
    const std::uint32_t id = order_[at];
    const std::uint32_t last = order_.back();
    order_.pop_back();
    if (last != id) {
        put(at, last);
        if (!keys_.empty()) sift_down(at);
    }
    place_[id] = kOut;
    return id;
}

void EvictionOrder::unlink(std::uint32_t id) {
    after_[before_[id]] = after_[id];
    before_[after_[id]] = before_[id];
}

void EvictionOrder::append(std::uint32_t id) {
    const auto ring = static_cast<std::uint32_t>(place_.size());
    before_[id] = before_[ring];
    after_[id] = ring;
    after_[before_[ring]] = id;
    before_[ring] = id;
    place_[id] = 0;
}

void EvictionOrder::place_in_heap(std::uint32_t id, Key key) {
    keys_[id] = key;
    if (place_[id] == kOut) {
        order_.push_back(id);
        put(static_cast<std::uint32_t>(order_.size()) - 1U, id);
    }
    sift_up(place_[id]);
    sift_down(place_[id]);
}

void EvictionOrder::put(std::uint32_t at, std::uint32_t id) {
    order_[at] = id;
    place_[id] = at;
}

void EvictionOrder::sift_up(std::uint32_t at) {
    const std::uint32_t id = order_[at];
    for (; at > 0; at = (at - 1U) / 2U) {
        const std::uint32_t parent = order_[(at - 1U) / 2U];
        if (keys_[parent] <= keys_[id]) break;
        put(at, parent);
    }
    put(at, id);
}

void EvictionOrder::sift_down(std::uint32_t at) {
    const std::uint32_t id = order_[at];
    while (true) {
        std::uint32_t child = 2U * at + 1U;
        if (child >= order_.size()) break;
        if (child + 1U < order_.size() && keys_[order_[child + 1U]] < keys_[order_[child]]) ++child;
        if (keys_[id] <= keys_[order_[child]]) break;
        put(at, order_[child]);
        at = child;
    }
    put(at, id);
}

} // namespace spillway
