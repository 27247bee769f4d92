// Random numbers that are the same on every compiler and machine: xoshiro256** (Blackman and Vigna, 2018), seeded by
// splitmix64. The standard library's distributions are not: each implementation draws differently.
#pragma once

#include <array>
#include <cstdint>

namespace spillway {

// One step of splitmix64 (Steele, Lea and Flood, 2014); advances `state`.
constexpr std::uint64_t splitmix64(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

class Rng {
public:
    explicit constexpr Rng(std::uint64_t seed) {
        for (std::uint64_t& word : state_) word = splitmix64(seed);
    }

    constexpr std::uint64_t next() {
        const std::uint64_t result = rotated(state_[1] * 5U, 7U) * 9U;
        const std::uint64_t t = state_[1] << 17U;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = rotated(state_[3], 45U);
        return result;
    }

    // A whole number in [0, bound), bound >= 1. Multiplies the upper 32 bits instead of dividing; no number is likelier
    // than another by more than bound / 2^32, which is below 10^-5 for the bounds used here.
    constexpr std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(((next() >> 32U) * bound) >> 32U);
    }

    // A multiple of 2^-53 in [0, 1).
    constexpr double unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

private:
    static constexpr std::uint64_t rotated(std::uint64_t x, unsigned by) { return (x << by) | (x >> (64U - by)); }

    std::array<std::uint64_t, 4> state_{};
};

} // namespace spillway
