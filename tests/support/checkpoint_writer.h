// Writes synthetic checkpoints: GGUF in one or many parts and safetensors with or without index, from a list of
// tensors. Tensor data is a hole in the file, so that a model of hundreds of gigabytes takes no room. Used by tests,
// benchmarks and the makers of fuzz corpora; the header makers also build files that no writer would write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillway::synthetic {

// A tensor to write. `shape` is outermost first. `bytes` 0: what type and shape give.
struct WrittenTensor {
    std::string name;
    std::string type = "F32";
    std::vector<std::uint64_t> shape;
    std::uint64_t bytes = 0;
};

// Bytes of a tensor: GGUF type names ("Q4_K") or dtypes of safetensors ("BF16", "F8_E4M3", "F4"). Throws
// std::invalid_argument on others.
std::uint64_t stored_bytes(const WrittenTensor& tensor);

// ---- GGUF ----

// A key with its type id and its bytes as stored.
struct GgufValue {
    std::string key;
    std::uint32_t type = 0;
    std::string bytes;
};
GgufValue gguf_u16(std::string key, std::uint16_t value);
GgufValue gguf_u32(std::string key, std::uint32_t value);
GgufValue gguf_i32(std::string key, std::int32_t value);
GgufValue gguf_u64(std::string key, std::uint64_t value);
GgufValue gguf_f32(std::string key, float value);
GgufValue gguf_bool(std::string key, bool value);
GgufValue gguf_string(std::string key, std::string_view value);
GgufValue gguf_i32s(std::string key, const std::vector<std::int32_t>& values);
GgufValue gguf_bools(std::string key, const std::vector<bool>& values);
GgufValue gguf_strings(std::string key, const std::vector<std::string>& values);

// Tokens, their types and as many merges, with lengths like those of real vocabularies.
std::vector<GgufValue> gguf_vocabulary(std::size_t tokens);

// A line of the tensor table; `dims` innermost first.
struct GgufRow {
    std::string name;
    std::uint32_t type = 0;
    std::vector<std::uint64_t> dims;
    std::uint64_t offset = 0;
};

// The header, not padded. Nothing is checked.
std::string gguf_header(std::uint32_t version, const std::vector<GgufValue>& values, const std::vector<GgufRow>& rows);

// What to write. `parts` above 1 gives PATH's base name with "-00001-of-00003" and the keys split.*; with
// `first_empty` part 1 holds no tensors.
struct GgufModel {
    std::vector<WrittenTensor> tensors;
    std::vector<GgufValue> values;
    std::uint32_t version = 3;
    std::uint32_t alignment = 32;
    std::size_t parts = 1;
    bool first_empty = false;
    bool split_keys = true;
    std::string separator = "-";
};
std::vector<std::filesystem::path> write_gguf(const std::filesystem::path& path, const GgufModel& model);

// The same in memory, data included, for small models; one part.
std::string gguf_bytes(const GgufModel& model);

// ---- safetensors ----

// The length and the JSON. `metadata` is the JSON object of __metadata__, "" for none.
std::string safetensors_header(const std::vector<WrittenTensor>& tensors,
                               std::string_view metadata = R"({"format":"pt"})");
// The length and this text.
std::string safetensors_text(std::string_view json);

std::string safetensors_bytes(const std::vector<WrittenTensor>& tensors);
void write_safetensors(const std::filesystem::path& path, const std::vector<WrittenTensor>& tensors,
                       std::string_view metadata = R"({"format":"pt"})");

// model-00001-of-000NN.safetensors in `folder`, tensors dealt out in order, and model.safetensors.index.json.
std::vector<std::filesystem::path> write_shards(const std::filesystem::path& folder,
                                                const std::vector<WrittenTensor>& tensors, std::size_t shards,
                                                bool with_index = true);

// ---- files ----

void write_file(const std::filesystem::path& path, std::string_view bytes);
// Makes the file this long; what is added is a hole.
void stretch(const std::filesystem::path& path, std::uint64_t bytes);
std::string from_hex(std::string_view hex);

// A folder of its own, removed at the end.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

} // namespace spillway::synthetic
