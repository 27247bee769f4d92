// A checkpoint as its headers describe it: files, tensors with exact byte sizes, metadata. Readers for GGUF and
// safetensors fill it; nothing here has read tensor data, and no number was believed before it was checked against
// the size of its file.
//
// The room src/checkpoint: from files of others to a manifest. In: a path. Out: a ModelFile whose bytes are the file's.
// Read first: manifest.cpp, import_checkpoint(): the way in a dozen calls; it has five stretches:
// 1. which files: open.h, with sniff.h (what a file is by its first bytes), folder.h and parts.h (what goes together);
// 2. headers to this struct: gguf.h (gguf_values.h, gguf_layout.h, gguf_types.h) or safetensors.h (json_header.h,
//    safetensors_layout.h, safetensors_index.cpp), both over byte_reader.h; join.h puts several files together,
//    few_problems.h keeps messages few;
// 3. what the configuration declares: config.h over config_reader.h (config_layers, config_attention, config_roles);
//    gguf_config.h brings GGUF metadata into the same words;
// 4. what the tensors are: patterns.h (names to parts), packing.h and unpack.h (weights behind packed elements),
//    classify.h (sums by part and layer);
// 5. one model of both: settle.h (where they differ, shapes win), build_model.cpp, quantize.h (bits that give back the
//    bytes). import.h is the door for `-m some.gguf`.
#pragma once

#include "io/problem.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace spillway {

// One tensor as stored. `elements` is what the file's shape says (packed formats hold several weights per element;
// classify.h unpacks them), `bytes` what it occupies.
struct Tensor {
    std::string name;
    std::string type;                 // "Q4_K", "BF16", "I32", or "type 139" where the id is not known
    std::vector<std::uint64_t> shape; // outermost first
    std::uint64_t elements = 0;
    std::uint64_t bytes = 0;
    int file = 0;              // index into Checkpoint::files
    bool size_derived = false; // from the distance to the next tensor, because the type is not known
    std::uint64_t offset = 0;  // of its first byte in that file
};

// `strict`: a tensor type that is not known is an error, not a warning. `allow_incomplete`: a file that ends before its
// tensors do gives a warning, and sizes are those of the header.
struct ReadOptions {
    bool strict = false;
    bool allow_incomplete = false;
};

enum class CheckpointForm { gguf, safetensors, config_only };

struct Checkpoint {
    CheckpointForm form = CheckpointForm::gguf;
    std::vector<std::filesystem::path> files;
    std::vector<std::uint64_t> file_bytes;
    std::vector<std::uint64_t> data_start; // per file, where its header with padding ends and tensor data may begin
    std::vector<Tensor> tensors;
    // GGUF key-values that are scalars, strings or short arrays of numbers or booleans, as JSON text values ("4096",
    // "\"llama\"", "[8,8,0]", "[true,false]"); other arrays and texts above 64 KiB are skipped and appear as their
    // length under "KEY.length". For safetensors, the strings of __metadata__ under their own keys.
    std::map<std::string, std::string> metadata;
    std::string config_json; // text of config.json beside safetensors, empty if there is none
    Problems warnings;       // what was odd but not fatal (unknown types, identical duplicate keys)
};

} // namespace spillway
