#include "checkpoint/gguf_layout.h"

#include "checkpoint/byte_reader.h"
#include "checkpoint/few_problems.h"
#include "checkpoint/gguf_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

namespace spillway {

namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max(); // ggml counts in int64

std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
    if (a != 0 && b > kLargest / a) return std::nullopt;
    return a * b;
}

std::string place(const std::string& name) { return "tensor " + shown_text(name); }

std::string dims_text(const GgufEntry& entry) {
    std::string text = "[";
    for (std::size_t i = 0; i < entry.n_dims; ++i) text += (i > 0 ? ", " : "") + std::to_string(entry.dims[i]);
    return text + "]";
}

// Number of elements; 0 after a problem.
std::uint64_t elements_of(const GgufEntry& entry, FewProblems& problems) {
    std::uint64_t elements = 1;
    for (std::size_t i = 0; i < entry.n_dims; ++i) {
        if (entry.dims[i] == 0) {
            problems.add(place(entry.name), fmt::format("dimension {} is zero", i + 1), dims_text(entry));
            return 0;
        }
        const auto next = product(elements, entry.dims[i]);
        if (!next) {
            problems.add(place(entry.name), "element count overflows", dims_text(entry), "at most 2^63-1 elements");
            return 0;
        }
        elements = *next;
    }
    return elements;
}

// Bytes of a tensor whose row is a whole number of blocks; nothing if it is not, or on overflow.
std::optional<std::uint64_t> bytes_in(const GgufType& type, std::uint64_t row, std::uint64_t elements) {
    if (row % type.weights != 0) return std::nullopt;
    return product(elements / type.weights, type.bytes);
}

Tensor to_tensor(GgufEntry& entry, std::uint64_t data_start, FewProblems& problems) {
    Tensor tensor;
    tensor.elements = elements_of(entry, problems);
    tensor.shape.assign(entry.dims.rend() - entry.n_dims, entry.dims.rend());
    const GgufType* type = find_gguf_type(entry.type);
    tensor.type = type ? std::string(type->name) : fmt::format("type {}", entry.type);
    if (entry.offset > kLargest - data_start) {
        problems.add(place(entry.name), "offset overflows", std::to_string(entry.offset), "an offset inside the file");
    } else {
        tensor.offset = data_start + entry.offset;
    }
    if (type && tensor.elements > 0) {
        const auto bytes = bytes_in(*type, entry.dims[0], tensor.elements);
        if (entry.dims[0] % type->weights != 0) {
            problems.add(place(entry.name), fmt::format("a row is no whole number of {} blocks", type->name),
                         fmt::format("a row of {}", entry.dims[0]), fmt::format("a multiple of {}", type->weights));
        } else if (!bytes) {
            problems.add(place(entry.name), "size in bytes overflows", dims_text(entry));
        }
        tensor.bytes = bytes.value_or(0);
    }
    tensor.name = std::move(entry.name);
    return tensor;
}

// What the file says about the room of each tensor: entries in the order of their offsets.
struct Rooms {
    std::vector<std::size_t> order;
    const std::vector<Tensor>& tensors;
    std::uint64_t file_bytes = 0;

    // Distance to the next tensor or to the end of the file; 0 if that lies before.
    std::uint64_t room(std::size_t i) const {
        const std::uint64_t begin = tensors[order[i]].offset;
        const std::uint64_t end = i + 1 < order.size() ? tensors[order[i + 1]].offset : file_bytes;
        return end > begin ? end - begin : 0;
    }
    bool last(std::size_t i) const { return i + 1 == order.size(); }
};

Rooms rooms_of(const std::vector<Tensor>& tensors, std::uint64_t file_bytes) {
    Rooms rooms = {{}, tensors, file_bytes};
    rooms.order.resize(tensors.size());
    std::iota(rooms.order.begin(), rooms.order.end(), std::size_t{0});
    std::stable_sort(rooms.order.begin(), rooms.order.end(),
                     [&](std::size_t a, std::size_t b) { return tensors[a].offset < tensors[b].offset; });
    return rooms;
}

// Two layouts share an id: whichever fills the room up to padding, the first if both or neither do.
void choose_layout(Tensor& tensor, const GgufType& type, std::uint64_t room, std::uint64_t alignment) {
    const GgufType* other = other_layout(type);
    const std::uint64_t row = tensor.shape.empty() ? 1 : tensor.shape.back();
    const auto fits = [&](std::optional<std::uint64_t> bytes) {
        return bytes && *bytes <= room && room - *bytes < alignment;
    };
    if (fits(bytes_in(type, row, tensor.elements))) return;
    const auto bytes = bytes_in(*other, row, tensor.elements);
    if (!fits(bytes)) return;
    tensor.bytes = *bytes;
    tensor.type = other->name;
}

void size_by_rooms(std::vector<Tensor>& tensors, const std::vector<std::uint32_t>& types, const GgufData& data,
                   const Rooms& rooms) {
    for (std::size_t i = 0; i < rooms.order.size(); ++i) {
        Tensor& tensor = tensors[rooms.order[i]];
        const GgufType* type = find_gguf_type(types[rooms.order[i]]);
        if (!type) {
            tensor.bytes = rooms.room(i);
            tensor.size_derived = true;
        } else if (other_layout(*type)) {
            choose_layout(tensor, *type, rooms.room(i), data.alignment);
        }
    }
}

void check_rooms(const std::vector<Tensor>& tensors, const GgufData& data, const Rooms& rooms, FewProblems& problems) {
    for (std::size_t i = 0; i < rooms.order.size(); ++i) {
        const Tensor& tensor = tensors[rooms.order[i]];
        if ((tensor.offset - data.data_start) % data.alignment != 0) {
            problems.add(place(tensor.name), "its offset is not aligned",
                         std::to_string(tensor.offset - data.data_start),
                         fmt::format("a multiple of {}", data.alignment));
        }
        if (rooms.last(i) || (tensor.bytes > 0 && tensor.bytes <= rooms.room(i))) continue;
        const Tensor& next = tensors[rooms.order[i + 1]];
        problems.add(place(tensor.name), fmt::format("overlaps tensor {}", shown_text(next.name)),
                     fmt::format("{} bytes from byte {}, the next tensor from byte {}", tensor.bytes, tensor.offset,
                                 next.offset));
    }
}

// The first tensor that the file does not hold in full, and how much of the file there is.
void check_end(const std::vector<Tensor>& tensors, const GgufData& data, const Rooms& rooms, const ReadOptions& options,
               Problems& warnings, FewProblems& problems) {
    const Tensor* first = nullptr;
    std::uint64_t needed = 0;
    for (const std::size_t i : rooms.order) {
        const Tensor& tensor = tensors[i];
        if (tensor.bytes > kLargest - tensor.offset) {
            problems.add(place(tensor.name), "its end overflows",
                         fmt::format("{} bytes from byte {}", tensor.bytes, tensor.offset));
            return;
        }
        const std::uint64_t end = tensor.offset + tensor.bytes;
        needed = std::max(needed, end);
        if (end > data.file_bytes && !first) first = &tensor;
    }
    // Only the last one can have no room and no type to tell its size; the header alone does not say what it needs.
    if (const Tensor* last = tensors.empty() ? nullptr : &tensors[rooms.order.back()]; last && last->bytes == 0) {
        problems.add(place(last->name), "is cut off: the file ends before this tensor, and its type is not known",
                     fmt::format("{}, from byte {} of {}", last->type, last->offset, data.file_bytes));
        return;
    }
    if (first) {
        const double share =
            100.0 * static_cast<double>(data.file_bytes) / static_cast<double>(std::max<std::uint64_t>(needed, 1));
        const std::string message =
            fmt::format("is cut off: it needs {} bytes and has {} ({:.3g} %)", needed, data.file_bytes, share);
        const std::string found = fmt::format("{} bytes from byte {} on", first->bytes, first->offset);
        if (options.allow_incomplete) {
            warnings.push_back({data.shown, place(first->name), found, "", message});
        } else {
            problems.add(place(first->name), message, found, "the whole file");
        }
    } else if (!tensors.empty() && data.file_bytes - needed >= data.alignment) {
        warnings.push_back({data.shown, fmt::format("byte {}", needed), "", "",
                            fmt::format("{} bytes follow the last tensor", data.file_bytes - needed)});
    }
}

void report_unknown(const std::vector<std::uint32_t>& types, const std::string& shown, bool strict, Problems& warnings,
                    FewProblems& problems) {
    std::map<std::uint32_t, std::size_t> unknown;
    for (const std::uint32_t type : types) {
        if (!find_gguf_type(type)) ++unknown[type];
    }
    if (unknown.empty()) return;
    constexpr std::size_t listed = 20;
    std::string ids;
    std::size_t count = 0;
    for (const auto& [id, tensors] : unknown) {
        if (++count > listed) continue;
        ids +=
            fmt::format("{}type {} ({} {})", ids.empty() ? "" : ", ", id, tensors, tensors == 1 ? "tensor" : "tensors");
    }
    if (count > listed) ids += fmt::format(" and {} more", count - listed);
    if (strict) {
        problems.add("", "has tensor types that are not known", ids, "types of ggml");
    } else {
        warnings.push_back({shown, "", ids, "types of ggml",
                            "has tensor types that are not known; sizes come from the distance to the next tensor"});
    }
}

} // namespace

std::vector<Tensor> lay_out(std::vector<GgufEntry> entries, const GgufData& data, const ReadOptions& options,
                            Problems& warnings) {
    FewProblems problems(data.shown);
    std::vector<Tensor> tensors;
    std::vector<std::uint32_t> types;
    tensors.reserve(entries.size());
    types.reserve(entries.size());
    for (GgufEntry& entry : entries) {
        types.push_back(entry.type);
        tensors.push_back(to_tensor(entry, data.data_start, problems));
    }
    problems.throw_if_any();
    const Rooms rooms = rooms_of(tensors, data.file_bytes);
    report_unknown(types, data.shown, options.strict, warnings, problems);
    size_by_rooms(tensors, types, data, rooms);
    check_rooms(tensors, data, rooms, problems);
    check_end(tensors, data, rooms, options, warnings, problems);
    problems.throw_if_any();
    return tensors;
}

} // namespace spillway
