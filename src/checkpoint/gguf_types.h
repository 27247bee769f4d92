// The tensor types of GGUF: how many weights share a block and how many bytes a block has. Sizes follow from the block
// structures of ggml (scales included), so that bits per weight are bytes x 8 / weights and nothing nominal.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace spillway {

struct GgufType {
    std::uint32_t id = 0;
    std::string_view name;
    std::uint32_t weights = 1; // per block; a row is a whole number of blocks
    std::uint32_t bytes = 0;   // per block
};

constexpr double bits_per_weight(const GgufType& type) {
    return 8.0 * static_cast<double>(type.bytes) / static_cast<double>(type.weights);
}

// All known types by rising id. An id may occur twice, where a fork stored another layout under it: the second is used
// where only that agrees with the offsets.
std::span<const GgufType> gguf_types();

// nullptr if the id is not known (36 to 38 were removed and 36 has another meaning in a fork; 133 and up are forks').
const GgufType* find_gguf_type(std::uint32_t id);

// The second layout under the id of `type`, or nullptr.
const GgufType* other_layout(const GgufType& type);

} // namespace spillway
