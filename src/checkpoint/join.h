// Puts the tensors of several files into one checkpoint.
#pragma once

#include "checkpoint/checkpoint.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace spillway {

struct CheckpointFile {
    std::filesystem::path path;
    std::uint64_t bytes = 0;
    std::uint64_t data_start = 0;
};

// Appends a file and its tensors, whose `file` is set.
void add_file(CheckpointFile file, std::vector<Tensor> tensors, Checkpoint& checkpoint);

// Throws InputError if a name occurs twice, with the file or files it is in.
void check_names(const Checkpoint& checkpoint);

} // namespace spillway
