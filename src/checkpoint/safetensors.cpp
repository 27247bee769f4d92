#include "checkpoint/safetensors.h"

#include "checkpoint/few_problems.h"
#include "checkpoint/join.h"
#include "checkpoint/json_header.h"
#include "checkpoint/safetensors_layout.h"
#include "checkpoint/sniff.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

namespace spillway {

namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kMetadataKey = "__metadata__";
constexpr std::size_t kLongestText = 1u << 16;

std::string place(std::string_view name) { return "tensor " + shown_text(name); }

simdjson::padded_string header_text(ByteReader& reader) {
    const auto length = reader.read<std::uint64_t>("the length of the header");
    if (length > kMaxSafetensorsHeader) {
        fail(reader.shown(), "byte 0", "its header is too large", fmt::format("{} bytes", length),
             fmt::format("at most {} bytes, and the file has {}", kMaxSafetensorsHeader, reader.file_bytes()));
    }
    if (length > reader.left()) {
        fail(reader.shown(), "byte 0", "is cut off in its header", fmt::format("a header of {} bytes", length),
             fmt::format("at most the {} bytes left", reader.left()));
    }
    simdjson::padded_string text(static_cast<std::size_t>(length));
    reader.copy(text.data(), text.size(), "the header");
    if (length == 0 || text.data()[0] != '{') {
        fail(reader.shown(), "byte 8", "has no header", shown_text(text), "a JSON object");
    }
    return text;
}

void read_metadata(const dom::element& value, const std::string& shown, SafetensorsPart& part, FewProblems& problems) {
    dom::object object;
    if (value.get(object) != simdjson::SUCCESS) {
        problems.add("__metadata__", "is no object", std::string(kind_text(value)), "an object of strings");
        return;
    }
    for (const dom::key_value_pair field : object) {
        std::string_view text;
        if (field.value.get(text) != simdjson::SUCCESS) {
            problems.add("__metadata__", fmt::format("key \"{}\" is no string", shown_text(field.key)),
                         std::string(kind_text(field.value)), "a string");
            continue;
        }
        const bool fits = text.size() <= kLongestText;
        const std::string key = fits ? std::string(field.key) : std::string(field.key) + ".length";
        const std::string json = fits ? nlohmann::json(std::string(text)).dump() : std::to_string(text.size());
        if (part.metadata.try_emplace(key, json).second) continue;
        part.warnings.push_back(
            {shown, "__metadata__", "", "", fmt::format("key \"{}\" is given twice", shown_text(key))});
    }
}

// Appends the numbers of an array; false, with a problem, if one is no count.
bool read_numbers(const dom::element& value, std::string_view what, std::string_view tensor,
                  std::vector<std::uint64_t>& numbers, FewProblems& problems) {
    dom::array array;
    if (value.get(array) != simdjson::SUCCESS) {
        problems.add(place(tensor), fmt::format("{} is no array", what), std::string(kind_text(value)),
                     "an array of numbers");
        return false;
    }
    numbers.reserve(array.size()); // saves two of three allocations per tensor
    for (const dom::element element : array) {
        std::uint64_t number = 0;
        if (!element.is<std::uint64_t>() || element.get(number) != simdjson::SUCCESS) {
            problems.add(place(tensor), fmt::format("{} holds what is no count", what), std::string(kind_text(element)),
                         "whole numbers from 0 on");
            return false;
        }
        numbers.push_back(number);
    }
    return true;
}

// The three fields of an entry; others are ignored, as the reference does.
bool read_fields(const dom::object& object, std::string_view tensor, SafetensorsEntry& entry, FewProblems& problems) {
    int dtypes = 0, shapes = 0, ranges = 0;
    std::vector<std::uint64_t> range;
    for (const dom::key_value_pair field : object) {
        std::string_view text;
        if (field.key == "dtype") {
            ++dtypes;
            if (field.value.get(text) != simdjson::SUCCESS) {
                problems.add(place(tensor), "dtype is no string", std::string(kind_text(field.value)),
                             "a dtype such as \"BF16\"");
                return false;
            }
            entry.dtype = text;
        } else if (field.key == "shape") {
            ++shapes;
            if (!read_numbers(field.value, "shape", tensor, entry.shape, problems)) return false;
        } else if (field.key == "data_offsets") {
            ++ranges;
            if (!read_numbers(field.value, "data_offsets", tensor, range, problems)) return false;
        }
    }
    if (dtypes != 1 || shapes != 1 || ranges != 1 || range.size() != 2) {
        problems.add(
            place(tensor), "its entry is incomplete or has a field twice",
            fmt::format("{} dtype, {} shape, {} data_offsets with {} numbers", dtypes, shapes, ranges, range.size()),
            "dtype, shape and data_offsets [begin, end]");
        return false;
    }
    entry.begin = range[0];
    entry.end = range[1];
    return true;
}

SafetensorsPart read_part(ByteReader& reader, dom::parser& parser, const ReadOptions& options) {
    SafetensorsPart part;
    const simdjson::padded_string text = header_text(reader);
    part.data_start = reader.at();
    FewProblems problems(reader.shown());
    std::vector<SafetensorsEntry> entries;
    for (const dom::key_value_pair field : parse_header(parser, text, reader.shown())) {
        if (field.key == kMetadataKey) {
            read_metadata(field.value, reader.shown(), part, problems);
            continue;
        }
        SafetensorsEntry entry;
        entry.name = field.key;
        dom::object object;
        if (field.key.empty()) {
            problems.add("", "a tensor has an empty name");
        } else if (field.value.get(object) != simdjson::SUCCESS) {
            problems.add(place(field.key), "its entry is no object", std::string(kind_text(field.value)), "an object");
        } else if (read_fields(object, field.key, entry, problems)) {
            entries.push_back(std::move(entry));
        }
    }
    problems.throw_if_any();
    const SafetensorsData data = {reader.shown(), part.data_start, reader.file_bytes()};
    part.tensors = lay_out(std::move(entries), data, options, part.warnings);
    return part;
}

void append(SafetensorsPart part, std::filesystem::path path, std::uint64_t file_bytes, Checkpoint& checkpoint) {
    checkpoint.metadata.merge(part.metadata);
    checkpoint.warnings.insert(checkpoint.warnings.end(), part.warnings.begin(), part.warnings.end());
    add_file({std::move(path), file_bytes, part.data_start}, std::move(part.tensors), checkpoint);
}

// One shard of several, read on any thread.
struct ShardRead {
    SafetensorsPart part;
    std::uint64_t file_bytes = 0;
    std::exception_ptr error;
};

void read_shard(const std::filesystem::path& path, dom::parser& parser, const ReadOptions& options, ShardRead& read) {
    try {
        ByteReader reader(path.string(), path);
        require_form(reader, CheckpointForm::safetensors);
        read.part = read_part(reader, parser, options);
        read.file_bytes = reader.file_bytes();
    } catch (const InputError&) {
        read.error = std::current_exception();
    }
}

} // namespace

SafetensorsPart read_safetensors_part(ByteReader& reader, const ReadOptions& options) {
    dom::parser parser;
    return read_part(reader, parser, options);
}

Checkpoint read_safetensors(std::span<const std::byte> bytes, std::uint64_t file_bytes, const std::string& shown,
                            const ReadOptions& options) {
    ByteReader reader(shown, bytes, file_bytes);
    Checkpoint checkpoint;
    checkpoint.form = CheckpointForm::safetensors;
    append(read_safetensors_part(reader, options), shown, file_bytes, checkpoint);
    check_names(checkpoint);
    return checkpoint;
}

Checkpoint read_shards(const std::vector<std::filesystem::path>& shards, const ReadOptions& options) {
    Checkpoint checkpoint;
    checkpoint.form = CheckpointForm::safetensors;
    std::vector<ShardRead> reads(shards.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        dom::parser parser; // one for all shards of a thread: its memory is reused
        for (std::size_t i; (i = next++) < shards.size();) read_shard(shards[i], parser, options, reads[i]);
    };
    // Headers of many shards take tens of milliseconds, those of a few less than starting a thread is worth.
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < std::min(cores, shards.size() / 4); ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < shards.size(); ++i) {
        // The first shard that is wrong, in their order, as if they had been read one after another.
        if (reads[i].error) std::rethrow_exception(reads[i].error);
        append(std::move(reads[i].part), shards[i], reads[i].file_bytes, checkpoint);
    }
    return checkpoint;
}

Checkpoint read_safetensors(const std::vector<std::filesystem::path>& shards, const ReadOptions& options) {
    Checkpoint checkpoint = read_shards(shards, options);
    check_names(checkpoint);
    return checkpoint;
}

} // namespace spillway
