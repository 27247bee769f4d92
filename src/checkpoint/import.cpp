#include "checkpoint/import.h"

#include "checkpoint/manifest.h"
#include "checkpoint/patterns.h"
#include "io/json_file.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <system_error>

namespace spillway {

namespace {

// A JSON file of ours says its kind; an index or a configuration of others never does. What cannot be read is left to
// the reader of manifests, whose message is about JSON.
bool is_foreign_json(const std::string& path) {
    Problems ignored;
    const auto file = read_json_file(path, path, ignored);
    return file && file->value->is_object() && !file->value->contains("kind") && !file->value->contains("format");
}

} // namespace

bool names_checkpoint(const std::string& name) {
    if (name.ends_with(".gguf") || name.ends_with(".safetensors")) return true;
    if (name.ends_with(".json")) return is_foreign_json(name);
    const bool path = name.find('/') != std::string::npos || name == "." || name == "..";
    std::error_code error;
    return path && std::filesystem::exists(name, error);
}

std::optional<ModelFile> import_model(const std::string& name, const Catalogue& catalogue, Problems& warnings) {
    if (!names_checkpoint(name)) return std::nullopt;
    Imported imported = import_path(name, load_patterns(catalogue));
    warnings.insert(warnings.end(), imported.warnings.begin(), imported.warnings.end());
    return std::move(imported.file);
}

std::string warnings_text(const Problems& warnings) {
    if (warnings.empty()) return {};
    const std::string text = problems_text(warnings);
    const std::string first =
        "spillway: " + std::to_string(warnings.size()) + (warnings.size() == 1 ? " warning" : " warnings");
    return first + text.substr(text.find('\n'));
}

} // namespace spillway
