#include "support/checkpoint_writer.h"

#include "checkpoint/gguf_types.h"
#include "checkpoint/safetensors.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <stdexcept>

#include <stdlib.h>

namespace spillway::synthetic {

namespace {

// Little-endian, whatever this machine is.
template <class Number>
std::string number(Number value) {
    std::string bytes;
    for (std::size_t i = 0; i < sizeof(Number); ++i)
        bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff);
    return bytes;
}

std::string text(std::string_view value) { return number<std::uint64_t>(value.size()) + std::string(value); }

std::string array(std::uint32_t type, std::uint64_t count, const std::string& bytes) {
    return number(type) + number(count) + bytes;
}

const GgufType* type_named(std::string_view name) {
    const auto types = gguf_types();
    const auto type = std::find_if(types.begin(), types.end(), [&](const GgufType& t) { return t.name == name; });
    return type == types.end() ? nullptr : &*type;
}

std::uint32_t type_id(const std::string& name) {
    if (const GgufType* type = type_named(name)) return type->id;
    if (name.rfind("type ", 0) == 0) return static_cast<std::uint32_t>(std::stoul(name.substr(5)));
    throw std::invalid_argument("no GGUF type " + name);
}

std::uint64_t elements(const WrittenTensor& tensor) {
    std::uint64_t product = 1;
    for (const std::uint64_t size : tensor.shape) product *= size;
    return product;
}

std::uint64_t padding(std::uint64_t bytes, std::uint64_t alignment) {
    return (alignment - bytes % alignment) % alignment;
}

// Header of one part with its padding, and the length of the whole file.
struct Built {
    std::string header;
    std::uint64_t file_bytes = 0;
};

Built build_gguf(const GgufModel& model, const std::vector<WrittenTensor>& tensors,
                 const std::vector<GgufValue>& values) {
    std::vector<GgufRow> rows;
    std::uint64_t offset = 0;
    for (const WrittenTensor& tensor : tensors) {
        rows.push_back({tensor.name, type_id(tensor.type), {tensor.shape.rbegin(), tensor.shape.rend()}, offset});
        offset += stored_bytes(tensor);
        offset += padding(offset, model.alignment);
    }
    Built built = {gguf_header(model.version, values, rows), 0};
    built.header.append(padding(built.header.size(), model.alignment), '\0');
    built.file_bytes = built.header.size() + offset;
    return built;
}

std::vector<GgufValue> with_alignment(const GgufModel& model) {
    std::vector<GgufValue> values = model.values;
    if (model.alignment != 32) values.push_back(gguf_u32("general.alignment", model.alignment));
    return values;
}

std::vector<WrittenTensor> part_of(const std::vector<WrittenTensor>& tensors, std::size_t i, std::size_t parts) {
    const auto at = [&](std::size_t part) {
        return tensors.begin() + static_cast<std::ptrdiff_t>(tensors.size() * part / parts);
    };
    return {at(i), at(i + 1)};
}

void write_sparse(const std::filesystem::path& path, const std::string& header, std::uint64_t bytes) {
    write_file(path, header);
    stretch(path, bytes);
}

} // namespace

std::uint64_t stored_bytes(const WrittenTensor& tensor) {
    if (tensor.bytes > 0) return tensor.bytes;
    if (const GgufType* type = type_named(tensor.type)) return elements(tensor) / type->weights * type->bytes;
    if (const auto bits = safetensors_bits(tensor.type)) return elements(tensor) * *bits / 8;
    throw std::invalid_argument("no size for type " + tensor.type);
}

GgufValue gguf_u16(std::string key, std::uint16_t value) { return {std::move(key), 2, number(value)}; }
GgufValue gguf_u32(std::string key, std::uint32_t value) { return {std::move(key), 4, number(value)}; }
GgufValue gguf_i32(std::string key, std::int32_t value) { return {std::move(key), 5, number(value)}; }
GgufValue gguf_u64(std::string key, std::uint64_t value) { return {std::move(key), 10, number(value)}; }
GgufValue gguf_f32(std::string key, float value) {
    return {std::move(key), 6, number(std::bit_cast<std::uint32_t>(value))};
}
GgufValue gguf_bool(std::string key, bool value) { return {std::move(key), 7, std::string(1, value ? '\1' : '\0')}; }
GgufValue gguf_string(std::string key, std::string_view value) { return {std::move(key), 8, text(value)}; }

GgufValue gguf_i32s(std::string key, const std::vector<std::int32_t>& values) {
    std::string bytes;
    for (const std::int32_t value : values) bytes += number(value);
    return {std::move(key), 9, array(5, values.size(), bytes)};
}

GgufValue gguf_bools(std::string key, const std::vector<bool>& values) {
    std::string bytes;
    for (const bool value : values) bytes += value ? '\1' : '\0';
    return {std::move(key), 9, array(7, values.size(), bytes)};
}

GgufValue gguf_strings(std::string key, const std::vector<std::string>& values) {
    std::string bytes;
    for (const std::string& value : values) bytes += text(value);
    return {std::move(key), 9, array(8, values.size(), bytes)};
}

std::vector<GgufValue> gguf_vocabulary(std::size_t tokens) {
    std::mt19937 random(1); // the lengths only have to vary
    std::vector<std::string> words, merges;
    for (std::size_t i = 0; i < tokens; ++i) {
        words.push_back(std::string(1 + random() % 12, static_cast<char>('a' + i % 26)));
        merges.push_back(words.back() + " " + words[random() % words.size()]);
    }
    return {gguf_strings("tokenizer.ggml.tokens", words),
            gguf_i32s("tokenizer.ggml.token_type", std::vector<std::int32_t>(tokens, 1)),
            gguf_strings("tokenizer.ggml.merges", merges)};
}

std::string gguf_header(std::uint32_t version, const std::vector<GgufValue>& values, const std::vector<GgufRow>& rows) {
    std::string header =
        "GGUF" + number(version) + number<std::uint64_t>(rows.size()) + number<std::uint64_t>(values.size());
    for (const GgufValue& value : values) header += text(value.key) + number(value.type) + value.bytes;
    for (const GgufRow& row : rows) {
        header += text(row.name) + number(static_cast<std::uint32_t>(row.dims.size()));
        for (const std::uint64_t dim : row.dims) header += number(dim);
        header += number(row.type) + number(row.offset);
    }
    return header;
}

std::vector<std::filesystem::path> write_gguf(const std::filesystem::path& path, const GgufModel& model) {
    std::vector<std::filesystem::path> files;
    for (std::size_t i = 0; i < model.parts; ++i) {
        std::vector<GgufValue> values = i == 0 ? with_alignment(model) : std::vector<GgufValue>();
        if (i > 0 && model.alignment != 32) values.push_back(gguf_u32("general.alignment", model.alignment));
        std::vector<WrittenTensor> tensors;
        if (!model.first_empty)
            tensors = part_of(model.tensors, i, model.parts);
        else if (i > 0)
            tensors = part_of(model.tensors, i - 1, model.parts - 1);
        std::string name = path.filename().string();
        if (model.parts > 1) {
            const std::string& s = model.separator;
            name = fmt::format("{}{}{:05}{}of{}{:05}{}", path.stem().string(), s, i + 1, s, s, model.parts,
                               path.extension().string());
        }
        if (model.parts > 1 && model.split_keys) {
            values.push_back(gguf_u16("split.no", static_cast<std::uint16_t>(i)));
            values.push_back(gguf_u16("split.count", static_cast<std::uint16_t>(model.parts)));
            values.push_back(gguf_i32("split.tensors.count", static_cast<std::int32_t>(model.tensors.size())));
        }
        const Built built = build_gguf(model, tensors, values);
        files.push_back(path.parent_path() / name);
        write_sparse(files.back(), built.header, built.file_bytes);
    }
    return files;
}

std::string gguf_bytes(const GgufModel& model) {
    Built built = build_gguf(model, model.tensors, with_alignment(model));
    built.header.resize(static_cast<std::size_t>(built.file_bytes), '\0');
    return built.header;
}

std::string safetensors_text(std::string_view json) { return text(json); }

std::string safetensors_header(const std::vector<WrittenTensor>& tensors, std::string_view metadata) {
    std::string json = metadata.empty() ? "{" : fmt::format("{{\"__metadata__\":{},", metadata);
    std::uint64_t offset = 0;
    for (const WrittenTensor& tensor : tensors) {
        const std::uint64_t end = offset + stored_bytes(tensor);
        json += fmt::format("{}:{{\"dtype\":\"{}\",\"shape\":{},\"data_offsets\":[{},{}]}},",
                            nlohmann::json(tensor.name).dump(), tensor.type, nlohmann::json(tensor.shape).dump(),
                            offset, end);
        offset = end;
    }
    if (json.back() == ',') json.pop_back();
    json += '}';
    json.append(padding(json.size(), 8), ' '); // as the reference writes it
    return safetensors_text(json);
}

std::string safetensors_bytes(const std::vector<WrittenTensor>& tensors) {
    std::string bytes = safetensors_header(tensors);
    for (const WrittenTensor& tensor : tensors) bytes.append(static_cast<std::size_t>(stored_bytes(tensor)), '\0');
    return bytes;
}

void write_safetensors(const std::filesystem::path& path, const std::vector<WrittenTensor>& tensors,
                       std::string_view metadata) {
    const std::string header = safetensors_header(tensors, metadata);
    std::uint64_t bytes = header.size();
    for (const WrittenTensor& tensor : tensors) bytes += stored_bytes(tensor);
    write_sparse(path, header, bytes);
}

std::vector<std::filesystem::path> write_shards(const std::filesystem::path& folder,
                                                const std::vector<WrittenTensor>& tensors, std::size_t shards,
                                                bool with_index) {
    std::filesystem::create_directories(folder);
    std::vector<std::filesystem::path> files;
    nlohmann::json map = nlohmann::json::object();
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < shards; ++i) {
        const std::string name = fmt::format("model-{:05}-of-{:05}.safetensors", i + 1, shards);
        const std::vector<WrittenTensor> part = part_of(tensors, i, shards);
        files.push_back(folder / name);
        write_safetensors(files.back(), part);
        for (const WrittenTensor& tensor : part) {
            map[tensor.name] = name;
            total += stored_bytes(tensor);
        }
    }
    if (with_index) {
        const nlohmann::json index = {{"metadata", {{"total_size", total}}}, {"weight_map", std::move(map)}};
        write_file(folder / "model.safetensors.index.json", index.dump(2));
    }
    return files;
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
    std::ofstream stream(path, std::ios::binary);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!stream.flush()) throw std::runtime_error("cannot write " + path.string());
}

void stretch(const std::filesystem::path& path, std::uint64_t bytes) { std::filesystem::resize_file(path, bytes); }

std::string from_hex(std::string_view hex) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
    }
    return bytes;
}

TemporaryFolder::TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "spillway-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a temporary folder");
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

} // namespace spillway::synthetic
