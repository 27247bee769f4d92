#include "checkpoint/folder.h"

#include "checkpoint/byte_reader.h"
#include "checkpoint/few_problems.h"
#include "checkpoint/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

namespace spillway {

namespace {

namespace fs = std::filesystem;

// Names of the files by what they are, sorted.
struct Listing {
    std::vector<std::string> gguf, safetensors, indexes, other_weights;
    bool config = false;
};

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

Listing list(const fs::path& folder) {
    Listing listing;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        std::error_code ignored;
        if (!entry.is_regular_file(ignored)) continue;
        const std::string name = entry.path().filename().string();
        if (name.front() == '.') continue; // what macOS and editors leave behind
        if (ends_with(name, ".gguf")) listing.gguf.push_back(name);
        if (ends_with(name, ".safetensors")) listing.safetensors.push_back(name);
        if (ends_with(name, ".safetensors.index.json")) listing.indexes.push_back(name);
        if (ends_with(name, ".bin") || ends_with(name, ".pt") || ends_with(name, ".pth"))
            listing.other_weights.push_back(name);
        if (name == "config.json") listing.config = true;
    }
    if (error) fail(folder.string(), "", "cannot be listed: " + error.message());
    for (auto* names : {&listing.gguf, &listing.safetensors, &listing.indexes, &listing.other_weights}) {
        std::sort(names->begin(), names->end());
    }
    return listing;
}

std::string joined(const std::vector<std::string>& names) {
    constexpr std::size_t most = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += (i > 0 ? ", " : "") + shown_text(names[i]);
    return names.size() > most ? fmt::format("{} and {} more", text, names.size() - most) : text;
}

std::vector<fs::path> in_folder(const fs::path& folder, const std::vector<std::string>& names) {
    std::vector<fs::path> paths;
    paths.reserve(names.size());
    for (const std::string& name : names) paths.push_back(folder / name);
    return paths;
}

FolderChoice choose_index(const fs::path& folder, const std::vector<std::string>& indexes) {
    FolderChoice choice;
    choice.what = FolderChoice::index;
    const bool usual = std::find(indexes.begin(), indexes.end(), "model.safetensors.index.json") != indexes.end();
    if (indexes.size() > 1 && !usual) {
        fail(folder.string(), "", "holds several checkpoints: name the one to read", joined(indexes), "one index");
    }
    choice.files = {folder / (usual ? "model.safetensors.index.json" : indexes.front())};
    if (indexes.size() > 1) {
        choice.warnings.push_back(
            {folder.string(), "", joined(indexes), "", "holds several indexes; model.safetensors.index.json is read"});
    }
    return choice;
}

// One name per set, so that several models are told from several parts.
std::vector<std::string> sets_of(const std::vector<std::string>& names) {
    std::vector<std::string> sets;
    std::set<std::string> keys;
    for (const std::string& name : names) {
        const auto part = part_name(name);
        const std::string key = part ? fmt::format("{}\n{}\n{}", part->base, part->extension, part->total) : name;
        if (keys.insert(key).second) sets.push_back(name);
    }
    return sets;
}

FolderChoice choose_gguf(const fs::path& folder, const std::vector<std::string>& names) {
    FolderChoice choice;
    choice.what = FolderChoice::gguf;
    std::vector<std::string> sets = sets_of(names);
    const auto is_projector = [](const std::string& name) { return name.find("mmproj") != std::string::npos; };
    const auto models = static_cast<std::size_t>(
        std::count_if(sets.begin(), sets.end(), [&](const std::string& n) { return !is_projector(n); }));
    if (models == 1 && sets.size() > 1) {
        sets.erase(std::remove_if(sets.begin(), sets.end(), is_projector), sets.end());
        choice.warnings.push_back(
            {folder.string(), "", joined(names), "", "holds a projector (mmproj) too, which is left out"});
    }
    if (sets.size() > 1)
        fail(folder.string(), "", "holds several models: name the one to read", joined(sets), "one model");
    choice.files = parts_of(folder / sets.front());
    return choice;
}

FolderChoice choose_safetensors(const fs::path& folder, const std::vector<std::string>& names) {
    FolderChoice choice;
    choice.what = FolderChoice::safetensors;
    FewProblems problems(folder.string());
    for (const std::string& name : missing_numbers(names))
        problems.add(name, "is missing", "", "a set of files without gaps");
    problems.throw_if_any();
    const bool usual = names.size() > 1 && std::find(names.begin(), names.end(), "model.safetensors") != names.end();
    if (usual) {
        choice.files = {folder / "model.safetensors"};
        choice.warnings.push_back(
            {folder.string(), "", joined(names), "", "holds other safetensors too; model.safetensors is read"});
        return choice;
    }
    for (const std::string& set : sets_of(names)) {
        for (fs::path& path : parts_of(folder / set)) choice.files.push_back(std::move(path));
    }
    return choice;
}

} // namespace

FolderChoice choose_in_folder(const fs::path& folder) {
    const Listing found = list(folder);
    const bool tensors = !found.safetensors.empty() || !found.indexes.empty();
    if (tensors && !found.gguf.empty()) {
        fail(folder.string(), "", "holds GGUF and safetensors: name the file to read",
             fmt::format("{}, {}", found.gguf.front(),
                         tensors && !found.safetensors.empty() ? found.safetensors.front() : found.indexes.front()),
             "one form");
    }
    if (!found.indexes.empty()) return choose_index(folder, found.indexes);
    if (!found.safetensors.empty()) return choose_safetensors(folder, found.safetensors);
    if (!found.gguf.empty()) return choose_gguf(folder, found.gguf);
    if (!found.config) {
        fail(folder.string(), "", "holds no checkpoint", joined(found.other_weights),
             "*.gguf, *.safetensors or config.json");
    }
    FolderChoice choice;
    choice.files = in_folder(folder, {"config.json"});
    if (!found.other_weights.empty()) {
        choice.warnings.push_back({folder.string(), "", joined(found.other_weights), "safetensors or GGUF",
                                   "its weights are of a form that is not read; sizes come from config.json"});
    }
    return choice;
}

} // namespace spillway
