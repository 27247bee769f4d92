// GGUF v2 and v3, little-endian: key-values and tensor table of one file or of all parts of a split one. Reads headers
// only; the layout is that of the GGUF specification in ggml's docs.
#pragma once

#include "checkpoint/byte_reader.h"
#include "checkpoint/checkpoint.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace spillway {

inline constexpr std::uint64_t kGgufAlignment = 32;    // where general.alignment is not given
inline constexpr std::uint64_t kSmallestAlignment = 8; // GGUF asks for a multiple of 8
inline constexpr std::uint64_t kLargestAlignment = 1u << 20;

// One file. Tensors are in the order of the table, their `file` is 0.
struct GgufPart {
    std::uint32_t version = 3;
    std::uint64_t alignment = kGgufAlignment;
    std::uint64_t data_start = 0;
    std::vector<Tensor> tensors;
    std::map<std::string, std::string> metadata; // as in Checkpoint
    Problems warnings;
};

// Reads from where the reader stands, which must be the file's first byte. Throws InputError: wrong magic, version or
// byte order; counts, lengths and products that do not fit the file; keys or tensors twice; offsets not aligned,
// overlapping or outside the file; text that is not UTF-8.
GgufPart read_gguf_part(ByteReader& reader, const ReadOptions& options = {});

// A file of which the first bytes are at hand.
Checkpoint read_gguf(std::span<const std::byte> bytes, std::uint64_t file_bytes, const std::string& shown,
                     const ReadOptions& options = {});

// All parts in order, or the one file. Also throws if a part's own count or number (split.count, split.no) disagrees,
// if the tensors are not as many as split.tensors.count, or if a tensor is in two parts.
Checkpoint read_gguf(const std::vector<std::filesystem::path>& parts, const ReadOptions& options = {});

} // namespace spillway
