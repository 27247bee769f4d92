// What a file is by its first bytes, and what it is instead of a checkpoint: the web page, pointer or archive that a
// download left behind.
#pragma once

#include "checkpoint/byte_reader.h"
#include "checkpoint/checkpoint.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace spillway {

// The form that `head`, the first bytes of a file with `file_bytes`, belongs to. Throws InputError with what the file
// is if it is neither GGUF nor safetensors. The name decides only where the bytes leave it open.
CheckpointForm sniff(std::string_view head, std::uint64_t file_bytes, const std::string& shown);

// Throws InputError unless the file is of that form. The reader stays at the first byte.
void require_form(ByteReader& reader, CheckpointForm form);

// For JSON files: throws InputError if `head` is a Git LFS pointer or a web page.
void refuse_placeholder(std::string_view head, const std::string& shown);

} // namespace spillway
