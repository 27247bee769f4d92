// Which of the files in a folder are the checkpoint.
#pragma once

#include "io/problem.h"

#include <filesystem>
#include <vector>

namespace spillway {

struct FolderChoice {
    enum What { gguf, safetensors, index, config } what = config;
    std::vector<std::filesystem::path> files; // in order; the one index or config.json
    Problems warnings;                        // files left out
};

// An index decides over files; without one, all safetensors belong together, or the only GGUF (a projector beside it
// is left out). config.json counts where there are no weights. Throws InputError if there is nothing, more than one
// model (each is listed), or a gap in a numbered set.
FolderChoice choose_in_folder(const std::filesystem::path& folder);

} // namespace spillway
