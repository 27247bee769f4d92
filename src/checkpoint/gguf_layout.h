// From the tensor table of a GGUF file to sizes in bytes, and whether these agree with the offsets and with the file.
#pragma once

#include "checkpoint/checkpoint.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace spillway {

// A line of the table. `dims` is innermost first, as stored; unused ones are 1.
struct GgufEntry {
    std::string name;
    std::uint32_t type = 0;
    std::uint32_t n_dims = 0;
    std::array<std::uint64_t, 4> dims = {1, 1, 1, 1};
    std::uint64_t offset = 0; // from data_start
};

// The file that holds the tensors.
struct GgufData {
    std::string shown;
    std::uint64_t data_start = 0;
    std::uint64_t file_bytes = 0;
    std::uint64_t alignment = 32;
};

// Throws InputError with up to 20 problems: zero dimensions, products above 2^63-1, rows that are no whole number of
// blocks, offsets not aligned, overlaps, tensors outside the file. Unknown types get the distance to the next offset,
// padding included, and a warning with their ids.
std::vector<Tensor> lay_out(std::vector<GgufEntry> entries, const GgufData& data, const ReadOptions& options,
                            Problems& warnings);

} // namespace spillway
