// safetensors: the JSON header of one file, of all shards of a model, and the index that says which shard holds what.
// Reads headers only and is as strict as the reference implementation: ranges must follow each other without gap or
// overlap and fill the file.
#pragma once

#include "checkpoint/byte_reader.h"
#include "checkpoint/checkpoint.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace spillway {

inline constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000; // the reference implementation's limit

// One file. Tensors are in the order of the header, their `file` is 0.
struct SafetensorsPart {
    std::uint64_t data_start = 0;
    std::vector<Tensor> tensors;
    std::map<std::string, std::string> metadata; // the strings of __metadata__, as JSON text
    Problems warnings;
};

// Bits of an element, or nothing if the dtype is not known.
std::optional<std::uint64_t> safetensors_bits(std::string_view dtype);

// Reads from the file's first byte. Throws InputError: header length, JSON, entries, ranges or sizes that are wrong,
// names twice. An unknown dtype is sized by its range, with a warning.
SafetensorsPart read_safetensors_part(ByteReader& reader, const ReadOptions& options = {});

// A file of which the first bytes are at hand.
Checkpoint read_safetensors(std::span<const std::byte> bytes, std::uint64_t file_bytes, const std::string& shown,
                            const ReadOptions& options = {});

// The shards alone, without looking for names that are in two of them (join.h: check_names).
Checkpoint read_shards(const std::vector<std::filesystem::path>& shards, const ReadOptions& options = {});

// All shards of a model, or its one file. Throws also if a tensor is in two shards.
Checkpoint read_safetensors(const std::vector<std::filesystem::path>& shards, const ReadOptions& options = {});

// model.safetensors.index.json. `files` are names beside the index, sorted; `tensors` maps to an index into `files`.
struct SafetensorsIndex {
    std::vector<std::string> files;
    std::unordered_map<std::string, std::uint32_t> tensors;
    std::optional<double> total_bytes; // metadata.total_size
};

// Throws InputError on what is not JSON, has no weight_map, names a tensor twice or a file in another folder.
SafetensorsIndex read_safetensors_index(std::string_view text, const std::string& shown);

// Reads the index and the shards it names. Throws also if shards are missing (each is named) or a tensor is not where
// the index says. Tensors and files that the index leaves out give a warning, a wrong total_size too.
Checkpoint open_safetensors_index(const std::filesystem::path& index, const ReadOptions& options = {});

} // namespace spillway
