#include "checkpoint/open.h"

#include "checkpoint/byte_reader.h"
#include "checkpoint/folder.h"
#include "checkpoint/gguf.h"
#include "checkpoint/parts.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/sniff.h"
#include "io/json_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace spillway {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndexEnd = ".index.json";

bool ends_with(const std::string& text, std::string_view end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// The file as JSON object, with its text.
JsonFile read_object(const fs::path& path) {
    ByteReader reader(path.string(), path);
    refuse_placeholder(reader.peek(), reader.shown());
    Problems problems;
    auto file = read_json_file(path, path.string(), problems);
    throw_if_any(problems);
    if (!file->value->is_object()) fail(path.string(), "", "is no JSON object", file->value->type_name(), "an object");
    return std::move(*file);
}

void add_config(const fs::path& folder, Checkpoint& checkpoint) {
    const fs::path path = folder / "config.json";
    std::error_code error;
    if (fs::exists(path, error)) checkpoint.config_json = read_object(path).bytes;
}

Checkpoint config_only(const fs::path& path, JsonFile file) {
    Checkpoint checkpoint;
    checkpoint.form = CheckpointForm::config_only;
    checkpoint.files = {path};
    checkpoint.file_bytes = {file.bytes.size()};
    checkpoint.data_start = {file.bytes.size()};
    checkpoint.config_json = std::move(file.bytes);
    return checkpoint;
}

Checkpoint open_index(const fs::path& path, const ReadOptions& options) {
    Checkpoint checkpoint = open_safetensors_index(path, options);
    add_config(path.parent_path(), checkpoint);
    return checkpoint;
}

Checkpoint open_json(const fs::path& path, const ReadOptions& options) {
    if (ends_with(path.filename().string(), kIndexEnd)) return open_index(path, options);
    JsonFile file = read_object(path);
    if (file.value->contains("weight_map")) return open_index(path, options);
    return config_only(path, std::move(file));
}

// The index in the folder of a shard that names it.
std::optional<fs::path> index_of(const fs::path& shard) {
    const auto part = part_name(shard.filename().string());
    if (!part) return std::nullopt;
    const fs::path index = shard.parent_path() / (part->base + part->extension + std::string(kIndexEnd));
    std::error_code error;
    if (!fs::is_regular_file(index, error)) return std::nullopt;
    return index;
}

Checkpoint open_file(const fs::path& path, const ReadOptions& options) {
    CheckpointForm form = CheckpointForm::gguf;
    {
        ByteReader reader(path.string(), path);
        form = sniff(reader.peek(), reader.file_bytes(), reader.shown());
    }
    if (form == CheckpointForm::gguf) return read_gguf(parts_of(path), options);
    if (const auto index = index_of(path)) return open_index(*index, options);
    Checkpoint checkpoint = read_safetensors(parts_of(path), options);
    add_config(path.parent_path(), checkpoint);
    return checkpoint;
}

Checkpoint open_shards(const fs::path& folder, const std::vector<fs::path>& shards, const ReadOptions& options) {
    Checkpoint checkpoint = read_safetensors(shards, options);
    add_config(folder, checkpoint);
    return checkpoint;
}

Checkpoint open_folder(const fs::path& path, const ReadOptions& options) {
    FolderChoice choice = choose_in_folder(path);
    Checkpoint checkpoint;
    switch (choice.what) {
    case FolderChoice::gguf: checkpoint = read_gguf(choice.files, options); break;
    case FolderChoice::safetensors: checkpoint = open_shards(path, choice.files, options); break;
    case FolderChoice::index: checkpoint = open_index(choice.files.front(), options); break;
    case FolderChoice::config: checkpoint = config_only(choice.files.front(), read_object(choice.files.front())); break;
    }
    checkpoint.warnings.insert(checkpoint.warnings.end(), choice.warnings.begin(), choice.warnings.end());
    return checkpoint;
}

} // namespace

Checkpoint open_checkpoint(const fs::path& path, const ReadOptions& options) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found) {
        fail(path.string(), "", "there is no such file or folder", "",
             "a GGUF file, a safetensors file or folder, or a config.json");
    }
    Checkpoint checkpoint = fs::is_directory(status)            ? open_folder(path, options)
                            : ends_with(path.string(), ".json") ? open_json(path, options)
                                                                : open_file(path, options);
    if (checkpoint.form != CheckpointForm::config_only && checkpoint.tensors.empty()) {
        checkpoint.warnings.push_back({path.string(), "", "", "", "holds no tensors"});
    }
    return checkpoint;
}

} // namespace spillway
