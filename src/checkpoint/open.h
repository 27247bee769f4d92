// Opens whatever a user points at: a GGUF file or any part of a split one, a safetensors file or shard, an index, a
// folder, or a config.json alone.
#pragma once

#include "checkpoint/checkpoint.h"

#include <filesystem>

namespace spillway {

// Reads the headers of everything that belongs to the checkpoint, and config.json where it lies beside safetensors.
// Throws InputError (exit code 3) on everything that is not a whole checkpoint; what was odd but harmless is in
// `warnings`.
Checkpoint open_checkpoint(const std::filesystem::path& path, const ReadOptions& options = {});

} // namespace spillway
