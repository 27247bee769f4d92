#include "checkpoint/gguf.h"

#include "checkpoint/few_problems.h"
#include "checkpoint/gguf_layout.h"
#include "checkpoint/gguf_values.h"
#include "checkpoint/join.h"
#include "checkpoint/sniff.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace spillway {

namespace {

constexpr std::uint32_t kMagic = 0x46554747; // "GGUF"
constexpr std::uint32_t kSwapped = 0x47475546;
constexpr std::uint64_t kSmallestValue = 14; // length and byte of a key, type, byte
constexpr std::uint64_t kSmallestEntry = 25; // length and byte of a name, count of dimensions, type, offset
constexpr std::uint32_t kMostDims = 4;
// No published file has a twentieth of these; they bound memory at some ten bytes per byte of the header.
constexpr std::uint64_t kMostTensors = 2'000'000;
constexpr std::uint64_t kMostValues = 1'000'000;

std::uint32_t read_version(ByteReader& reader) {
    const auto magic = reader.read<std::uint32_t>("the magic number");
    const auto version = reader.read<std::uint32_t>("the version");
    const auto refuse = [&](std::string message) {
        fail(reader.shown(), "byte 4", std::move(message), std::to_string(version), "version 2 or 3, little-endian");
    };
    if (magic == kSwapped) refuse("is a big-endian GGUF");
    if (magic != kMagic)
        fail(reader.shown(), "byte 0", "is not a GGUF file", fmt::format("0x{:08x}", magic), "\"GGUF\"");
    // Big-endian files have the same magic; only the version tells.
    if (version != 0 && (version & 0xffffu) == 0) {
        refuse(fmt::format("is a big-endian GGUF v{}", version >> 24 | (version >> 8 & 0xff00u)));
    }
    if (version == 0) refuse("is no GGUF: there was never a version 0");
    if (version == 1) refuse("is a GGUF v1, which no current program writes: convert it to v3");
    if (version > 3) refuse(fmt::format("is a GGUF v{}, newer than this program", version));
    return version;
}

std::uint64_t read_count(ByteReader& reader, const char* what, std::uint64_t smallest, std::uint64_t most) {
    const std::string place = reader.place();
    const auto count = reader.read<std::uint64_t>(what);
    if (count > reader.left() / smallest) {
        fail(reader.shown(), place, fmt::format("{} does not fit into the file", what), std::to_string(count),
             fmt::format("at most {} in the {} bytes left", reader.left() / smallest, reader.left()));
    }
    if (count > most) {
        fail(reader.shown(), place, fmt::format("{} is beyond what is read", what), std::to_string(count),
             fmt::format("at most {}", most));
    }
    return count;
}

GgufEntry read_entry(ByteReader& reader) {
    GgufEntry entry;
    entry.name = read_gguf_name(reader, "the name of a tensor");
    entry.n_dims = reader.read<std::uint32_t>("the dimensions of a tensor");
    if (entry.n_dims > kMostDims) {
        fail(reader.shown(), "tensor " + shown_text(entry.name),
             fmt::format("n_dims {} exceeds {}", entry.n_dims, kMostDims));
    }
    for (std::uint32_t i = 0; i < entry.n_dims; ++i) {
        entry.dims[i] = reader.read<std::uint64_t>("the dimensions of a tensor");
    }
    entry.type = reader.read<std::uint32_t>("the type of a tensor");
    entry.offset = reader.read<std::uint64_t>("the offset of a tensor");
    return entry;
}

// The number a key holds, if it is one.
std::optional<std::uint64_t> number_at(const GgufPart& part, const std::string& key) {
    const auto found = part.metadata.find(key);
    if (found == part.metadata.end() || found->second.empty() || found->second.size() > 18) return std::nullopt;
    const std::string& text = found->second;
    if (text.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
    return std::stoull(text);
}

void check_split(const GgufPart& part, const std::string& shown, std::size_t index, std::size_t total) {
    const auto count = number_at(part, "split.count");
    const auto number = number_at(part, "split.no");
    if (total == 1 && count.value_or(1) > 1) {
        fail(shown, "key \"split.count\"", "is a part of a split model, but its name does not say so",
             fmt::format("part {} of {}", number.value_or(0) + 1, *count), "a name like model-00001-of-00003.gguf");
    }
    if (total > 1 && count && *count != total) {
        fail(shown, "key \"split.count\"", "disagrees with the file name", std::to_string(*count),
             std::to_string(total));
    }
    if (total > 1 && number && *number != index) {
        fail(shown, "key \"split.no\"", "disagrees with the file name", fmt::format("{} (counted from 0)", *number),
             std::to_string(index));
    }
}

// Parts other than the first usually hold only split.*; what two of them hold must agree.
void merge_metadata(const GgufPart& part, const std::string& shown, Checkpoint& checkpoint) {
    for (const auto& [key, value] : part.metadata) {
        const auto [known, fresh] = checkpoint.metadata.try_emplace(key, value);
        if (fresh || known->second == value || key == "split.no") continue;
        if (key == "general.architecture") {
            fail(shown, "key \"general.architecture\"", "differs from the first part's", shown_text(value),
                 shown_text(known->second));
        }
        checkpoint.warnings.push_back(
            {shown, "", shown_text(value), shown_text(known->second),
             fmt::format("key \"{}\": differs from an earlier part's, which is used", shown_text(key))});
    }
}

void check_total(std::optional<std::uint64_t> total, const std::string& shown, std::size_t tensors) {
    if (!total || *total == tensors) return;
    fail(shown, "key \"split.tensors.count\"", "disagrees with the tensors in all parts", std::to_string(*total),
         std::to_string(tensors));
}

void append(GgufPart part, std::filesystem::path path, std::uint64_t file_bytes, Checkpoint& checkpoint) {
    add_file({std::move(path), file_bytes, part.data_start}, std::move(part.tensors), checkpoint);
    checkpoint.warnings.insert(checkpoint.warnings.end(), part.warnings.begin(), part.warnings.end());
}

} // namespace

GgufPart read_gguf_part(ByteReader& reader, const ReadOptions& options) {
    GgufPart part;
    part.version = read_version(reader);
    const std::uint64_t tensors = read_count(reader, "the number of tensors", kSmallestEntry, kMostTensors);
    const std::uint64_t pairs = read_count(reader, "the number of key-values", kSmallestValue, kMostValues);
    GgufValues values = read_gguf_values(reader, pairs);
    if (values.alignment != 0) part.alignment = values.alignment;
    std::vector<GgufEntry> entries;
    for (std::uint64_t i = 0; i < tensors; ++i) entries.push_back(read_entry(reader));
    part.data_start = reader.at() + (part.alignment - reader.at() % part.alignment) % part.alignment;
    part.metadata = std::move(values.metadata);
    part.warnings = std::move(values.warnings);
    const GgufData data = {reader.shown(), part.data_start, reader.file_bytes(), part.alignment};
    part.tensors = lay_out(std::move(entries), data, options, part.warnings);
    return part;
}

Checkpoint read_gguf(std::span<const std::byte> bytes, std::uint64_t file_bytes, const std::string& shown,
                     const ReadOptions& options) {
    ByteReader reader(shown, bytes, file_bytes);
    GgufPart part = read_gguf_part(reader, options);
    Checkpoint checkpoint;
    checkpoint.metadata = part.metadata;
    append(std::move(part), shown, file_bytes, checkpoint);
    check_names(checkpoint);
    return checkpoint;
}

Checkpoint read_gguf(const std::vector<std::filesystem::path>& parts, const ReadOptions& options) {
    Checkpoint checkpoint;
    std::vector<std::optional<std::uint64_t>> totals;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        ByteReader reader(parts[i].string(), parts[i]);
        require_form(reader, CheckpointForm::gguf);
        GgufPart part = read_gguf_part(reader, options);
        check_split(part, reader.shown(), i, parts.size());
        merge_metadata(part, reader.shown(), checkpoint);
        totals.push_back(number_at(part, "split.tensors.count"));
        append(std::move(part), parts[i], reader.file_bytes(), checkpoint);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) check_total(totals[i], parts[i].string(), checkpoint.tensors.size());
    check_names(checkpoint);
    return checkpoint;
}

} // namespace spillway
