// From the entries of a safetensors header to tensors, and whether sizes, ranges and the file agree.
#pragma once

#include "checkpoint/checkpoint.h"

#include <cstdint>
#include <string>
#include <vector>

namespace spillway {

// One entry; `begin` and `end` count from the end of the header.
struct SafetensorsEntry {
    std::string name, dtype;
    std::vector<std::uint64_t> shape;
    std::uint64_t begin = 0, end = 0;
};

// The file that holds the tensors.
struct SafetensorsData {
    std::string shown;
    std::uint64_t data_start = 0;
    std::uint64_t file_bytes = 0;
};

// Throws InputError with up to 20 problems: begin behind end, shape and dtype that give another size than the range,
// products above 2^63-1, elements that do not fill whole bytes, overlaps, gaps, bytes left over, tensors outside the
// file. Unknown dtypes get the size of their range and a warning.
std::vector<Tensor> lay_out(std::vector<SafetensorsEntry> entries, const SafetensorsData& data,
                            const ReadOptions& options, Problems& warnings);

} // namespace spillway
