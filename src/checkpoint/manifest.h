// A manifest (the model file of io/files.h) from a checkpoint: shapes, and per part the bits per weight that reproduce
// the tensors' bytes exactly.
#pragma once

#include "checkpoint/checkpoint.h"
#include "checkpoint/patterns.h"
#include "io/files.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace spillway {

// The name under which the bytes of a file are its model's quantization. The same widths are also called "native",
// which is what -q stands for where it is not given.
inline constexpr std::string_view kImported = "imported";

// Difference between independent counts, or between a label and what it labels, above which an import warns.
inline constexpr double kCountTolerance = 0.05;

// One part of the checkpoint, as --inspect shows it. `bits` is empty where it holds no weights.
struct PartRow {
    std::string part;
    bool drafter = false;
    Count tensors = 0;
    double weights = 0.0;
    Bytes bytes;
    double share = 0.0; // of all tensor bytes
    std::optional<double> bits;
};

// Three independent counts of parameters: what the shapes come to, what the tensors hold, what the file states.
struct ParameterCounts {
    double shapes = 0.0;
    std::optional<double> tensors; // empty: no tensors
    std::optional<double> declared;
};

struct Imported {
    ModelFile file;
    std::string form; // "GGUF", "safetensors", "config.json"
    std::vector<PartRow> parts;
    ParameterCounts counts;
    std::vector<std::string> unmatched; // names of tensors that no pattern names
    Bytes tensor_bytes, file_bytes;
    Problems warnings;
};

// Throws InputError if the configuration is missing, lacks something or contradicts itself. `name` is the model's name
// if not empty, else the file's or folder's.
Imported import_checkpoint(const Checkpoint& checkpoint, const PatternFile& patterns, const std::string& name = {});

// The same for a path.
Imported import_path(const std::filesystem::path& path, const PatternFile& patterns, const std::string& name = {},
                     const ReadOptions& options = {});

} // namespace spillway
