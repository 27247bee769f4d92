// A list of at most N values without allocation, for results that are made a million times in a sweep.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>

namespace spillway {

// Adding beyond N is a mistake of ours: it stops a build with assertions, and is dropped without them.
template <class T, std::size_t N>
struct FixedList {
    std::array<T, N> items{};
    std::size_t size = 0;

    void add(const T& item) {
        assert(size < N);
        if (size < N) items[size++] = item;
    }
    const T* begin() const { return items.data(); }
    const T* end() const { return items.data() + size; }
};

} // namespace spillway
