#include "checkpoint/safetensors.h"

#include "checkpoint/few_problems.h"
#include "checkpoint/join.h"
#include "checkpoint/json_header.h"
#include "checkpoint/sniff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <set>
#include <system_error>
#include <utility>

namespace spillway {

namespace {

namespace dom = simdjson::dom;

// An index must not lead out of its folder.
bool is_plain_name(std::string_view name) {
    return !name.empty() && name != "." && name != ".." &&
           name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

void read_weight_map(const dom::object& map, SafetensorsIndex& index, FewProblems& problems) {
    std::unordered_map<std::string_view, std::uint32_t> files; // names as the parser holds them
    index.tensors.reserve(map.size());
    for (const dom::key_value_pair field : map) {
        const auto place = [&] { return "tensor " + shown_text(field.key); };
        std::string_view name;
        if (field.value.get(name) != simdjson::SUCCESS) {
            problems.add(place(), "its file is no string", std::string(kind_text(field.value)), "the name of a file");
            continue;
        }
        if (!is_plain_name(name)) {
            problems.add(place(), "its file is not beside the index", shown_text(name),
                         "the name of a file in the same folder");
            continue;
        }
        const auto number = static_cast<std::uint32_t>(index.files.size());
        const auto [file, fresh] = files.try_emplace(name, number);
        if (fresh) index.files.emplace_back(name);
        if (!index.tensors.try_emplace(std::string(field.key), file->second).second) {
            problems.add(place(), "is in the index twice");
        }
    }
}

void sort_files(SafetensorsIndex& index) {
    std::vector<std::string> sorted = index.files;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::uint32_t> place;
    for (const std::string& file : index.files) {
        place.push_back(
            static_cast<std::uint32_t>(std::lower_bound(sorted.begin(), sorted.end(), file) - sorted.begin()));
    }
    for (auto& [name, file] : index.tensors) file = place[file];
    index.files = std::move(sorted);
}

std::vector<std::filesystem::path> shards_of(const SafetensorsIndex& index, const std::filesystem::path& path) {
    std::vector<std::filesystem::path> shards;
    FewProblems problems(path.string());
    for (const std::string& file : index.files) {
        shards.push_back(path.parent_path() / file);
        std::error_code error;
        if (!std::filesystem::exists(shards.back(), error)) {
            problems.add(file, "is missing", "",
                         fmt::format("a shard beside the index, one of {}", index.files.size()));
        }
    }
    problems.throw_if_any();
    return shards;
}

// Each tensor must be where the index says; the index may say less than there is.
void compare(const SafetensorsIndex& index, const std::string& shown, Checkpoint& checkpoint) {
    FewProblems problems(shown);
    std::size_t found = 0, unlisted = 0;
    std::string first;
    std::set<std::string_view> present;
    double bytes = 0.0;
    for (const Tensor& tensor : checkpoint.tensors) {
        bytes += static_cast<double>(tensor.bytes);
        const auto entry = index.tensors.find(tensor.name);
        if (entry == index.tensors.end()) {
            if (unlisted++ == 0) first = tensor.name;
            continue;
        }
        ++found;
        if (entry->second != static_cast<std::uint32_t>(tensor.file)) {
            problems.add("tensor " + shown_text(tensor.name), "is not in the file that the index names",
                         index.files[static_cast<std::size_t>(tensor.file)], index.files[entry->second]);
        }
    }
    if (found < index.tensors.size()) {
        for (const Tensor& tensor : checkpoint.tensors) present.insert(tensor.name);
        for (const auto& [name, file] : index.tensors) {
            if (present.count(name) > 0) continue;
            problems.add("tensor " + shown_text(name), "is in the index but not in its file", "", index.files[file]);
        }
    }
    problems.throw_if_any();
    if (unlisted > 0) {
        checkpoint.warnings.push_back({shown, "tensor " + shown_text(first), "", "",
                                       fmt::format("{} tensors are not in the index; they are counted", unlisted)});
    }
    if (index.total_bytes && *index.total_bytes != bytes) {
        checkpoint.warnings.push_back({shown, "metadata.total_size", fmt::format("{:.0f}", *index.total_bytes),
                                       fmt::format("{:.0f}", bytes), "is not the sum of the tensors, which is used"});
    }
}

} // namespace

SafetensorsIndex read_safetensors_index(std::string_view text, const std::string& shown) {
    dom::parser parser;
    const simdjson::padded_string padded(text);
    const dom::object root = parse_header(parser, padded, shown);
    SafetensorsIndex index;
    FewProblems problems(shown);
    int maps = 0;
    for (const dom::key_value_pair field : root) {
        dom::object object;
        const bool is_object = field.value.get(object) == simdjson::SUCCESS;
        if (field.key == "weight_map") {
            if (++maps > 1)
                problems.add("weight_map", "is given twice");
            else if (is_object)
                read_weight_map(object, index, problems);
            else
                problems.add("weight_map", "is no object", std::string(kind_text(field.value)),
                             "tensor names with their files");
        } else if (field.key == "metadata" && is_object) {
            double total = 0.0;
            if (object["total_size"].get(total) == simdjson::SUCCESS && std::isfinite(total)) index.total_bytes = total;
        }
    }
    if (maps == 0) problems.add("weight_map", "is missing", "", "tensor names with their files");
    problems.throw_if_any();
    sort_files(index);
    return index;
}

Checkpoint open_safetensors_index(const std::filesystem::path& path, const ReadOptions& options) {
    ByteReader reader(path.string(), path);
    refuse_placeholder(reader.peek(), reader.shown());
    if (reader.file_bytes() > kMaxSafetensorsHeader) {
        fail(reader.shown(), "", "is too large for an index", fmt::format("{} bytes", reader.file_bytes()),
             fmt::format("at most {}", kMaxSafetensorsHeader));
    }
    std::string text(static_cast<std::size_t>(reader.file_bytes()), '\0');
    reader.copy(text.data(), text.size(), "the index");
    const SafetensorsIndex index = read_safetensors_index(text, reader.shown());
    Checkpoint checkpoint = read_shards(shards_of(index, path), options);
    // Two looks at every name, on two cores: one reads the tensors, the other beside that adds warnings.
    std::future<void> names = std::async(std::launch::async, [&checkpoint] { check_names(checkpoint); });
    try {
        compare(index, reader.shown(), checkpoint);
    } catch (const InputError&) {
        names.get(); // a name given twice is the plainer problem
        throw;
    }
    names.get();
    return checkpoint;
}

} // namespace spillway
