#include "simulate/recency.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

namespace spillway {

namespace {

// Positions are kept in whole blocks, so that the inner loop has a known length and is vectorised at -O2 as well. What
// fills the last block is the largest number, which is below no limit.
constexpr std::size_t kBlock = 64;

std::size_t whole_blocks(std::size_t count) { return (count + kBlock - 1) / kBlock * kBlock; }

// Adds one to every position below `limit`: compare and subtract over whole vectors.
template <class Position>
void make_room(std::vector<Position>& positions, Position limit) {
    for (std::size_t block = 0; block < positions.size(); block += kBlock) {
        Position* __restrict at = positions.data() + block;
        for (std::size_t i = 0; i < kBlock; ++i) {
            at[i] = static_cast<Position>(at[i] + static_cast<Position>(at[i] < limit));
        }
    }
}

// Numbers the experts from `before` to `count`: not used yet, behind all others.
template <class Position>
void number_new(std::vector<Position>& positions, std::uint32_t before, std::uint32_t count) {
    positions.resize(whole_blocks(count), std::numeric_limits<Position>::max());
    for (std::uint32_t i = before; i < count; ++i) positions[i] = static_cast<Position>(i);
}

template <class Position>
void move_to_front(std::vector<Position>& positions, std::span<const std::uint32_t> experts) {
    for (const std::uint32_t expert : experts) {
        const Position at = positions[expert];
        if (at == 0) continue;
        make_room(positions, at);
        positions[expert] = 0;
    }
}

constexpr std::uint32_t kNarrow = 256;

} // namespace

void LayerRecency::grow(std::uint32_t experts) {
    assert(experts <= 32768U);
    const auto before = static_cast<std::uint32_t>(seen_.size());
    seen_.resize(experts, 0);
    if (experts <= kNarrow) return number_new(narrow_, before, experts);
    if (wide_.empty()) wide_.assign(narrow_.begin(), narrow_.begin() + before);
    number_new(wide_, before, experts);
}

void LayerRecency::step(std::span<const std::uint32_t> experts, std::span<std::uint32_t> positions) {
    assert(positions.size() >= experts.size());
    for (std::size_t i = 0; i < experts.size(); ++i) {
        const std::uint32_t expert = experts[i];
        if (expert >= seen_.size()) grow(expert + 1);
        const bool known = seen_[expert] != 0;
        const auto at = wide_.empty() ? narrow_[expert] : static_cast<std::uint32_t>(wide_[expert]);
        positions[i] = known ? at : kNeverUsed;
        used_ += known ? 0U : 1U;
        seen_[expert] = 1;
    }
    if (wide_.empty()) {
        move_to_front(narrow_, experts);
    } else {
        move_to_front(wide_, experts);
    }
}

WideRecency::WideRecency() {
    constexpr std::uint32_t first_points = 1024;
    words_.resize(first_points / 64U);
    tree_.resize(words_.size() + 1);
    id_at_.resize(first_points);
}

std::uint32_t WideRecency::position(std::uint32_t id) const {
    if (id >= last_.size() || last_[id] == kNeverUsed) return kNeverUsed;
    const std::uint32_t at = last_[id];
    const std::uint32_t word = at / 64U;
    // Bits up to and including `at`: whole words before it by the tree, the rest by counting.
    std::uint32_t before =
        static_cast<std::uint32_t>(std::popcount(words_[word] & (~std::uint64_t{0} >> (63U - at % 64U))));
    for (std::uint32_t node = word; node > 0; node &= node - 1U) before += tree_[node];
    return live_ - before;
}

void WideRecency::touch(std::uint32_t id) {
    if (id >= last_.size()) last_.resize(std::max<std::size_t>(id + 1U, last_.size() * 2), kNeverUsed);
    if (now_ == id_at_.size()) compact();
    const std::uint32_t current = now_ / 64U;
    if (const std::uint32_t at = last_[id]; at != kNeverUsed) {
        const std::uint32_t word = at / 64U;
        words_[word] &= ~(std::uint64_t{1} << (at % 64U));
        // Nodes beyond the current word are not built yet.
        for (std::uint32_t node = word + 1U; node <= current; node += node & (~node + 1U)) --tree_[node];
    } else {
        ++live_;
    }
    words_[current] |= std::uint64_t{1} << (now_ % 64U);
    id_at_[now_] = id;
    last_[id] = now_;
    if (++now_ % 64U == 0) finish_word(current);
}

void WideRecency::finish_word(std::uint32_t word) {
    const std::uint32_t node = word + 1U;
    tree_[node] = static_cast<std::uint32_t>(std::popcount(words_[word]));
    for (std::uint32_t child = 1; child < (node & (~node + 1U)); child <<= 1U) tree_[node] += tree_[node - child];
}

void WideRecency::compact() {
    // Four points per id in use: the next renumbering is at least three uses per id away.
    std::vector<std::uint32_t> ids;
    ids.reserve(live_);
    for (std::uint32_t at = 0; at < now_; ++at) {
        if ((words_[at / 64U] >> (at % 64U) & 1U) != 0) ids.push_back(id_at_[at]);
    }
    const std::size_t points = std::bit_ceil(std::max<std::size_t>(1024, std::size_t{4} * live_));
    words_.assign(points / 64U, 0);
    tree_.assign(words_.size() + 1, 0);
    id_at_.assign(points, 0);
    now_ = 0;
    for (const std::uint32_t id : ids) {
        words_[now_ / 64U] |= std::uint64_t{1} << (now_ % 64U);
        id_at_[now_] = id;
        last_[id] = now_;
        if (++now_ % 64U == 0) finish_word((now_ - 1U) / 64U);
    }
}

} // namespace spillway
