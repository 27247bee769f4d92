#include "checkpoint/safetensors_layout.h"

#include "checkpoint/byte_reader.h"
#include "checkpoint/few_problems.h"
#include "checkpoint/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace spillway {

namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();

struct DataType {
    std::string_view name;
    std::uint64_t bits;
};

// Those of the reference implementation, and C128, which some writers use.
constexpr std::array kTypes = std::to_array<DataType>({
    {"BF16", 16},   {"F16", 16},        {"F32", 32},        {"F8_E4M3", 8}, {"F8_E5M2", 8}, {"F8_E8M0", 8},
    {"F4", 4},      {"U8", 8},          {"I8", 8},          {"I32", 32},    {"U32", 32},    {"I64", 64},
    {"U64", 64},    {"F64", 64},        {"I16", 16},        {"U16", 16},    {"BOOL", 8},    {"F6_E2M3", 6},
    {"F6_E3M2", 6}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"C64", 64},    {"C128", 128},
});

std::string place(const std::string& name) { return "tensor " + shown_text(name); }

std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
    if (a != 0 && b > kLargest / a) return std::nullopt;
    return a * b;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
    constexpr std::size_t longest = 8;
    std::string text = "[";
    for (std::size_t i = 0; i < std::min(shape.size(), longest); ++i)
        text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
    return text + (shape.size() > longest ? ", ...]" : "]");
}

std::optional<std::uint64_t> elements_of(const std::vector<std::uint64_t>& shape) {
    std::uint64_t elements = 1;
    for (const std::uint64_t size : shape) {
        const auto next = product(elements, size);
        if (!next) return std::nullopt;
        elements = *next;
    }
    return elements;
}

// Whether dtype and shape give the size of the range.
void check_size(const Tensor& tensor, std::uint64_t bits, FewProblems& problems) {
    const auto total = product(tensor.elements, bits);
    if (!total) {
        problems.add(place(tensor.name), "size in bytes overflows", shape_text(tensor.shape));
    } else if (*total % 8 != 0) {
        problems.add(place(tensor.name), fmt::format("elements of {} bits do not fill whole bytes", bits),
                     fmt::format("{} elements of {}", tensor.elements, tensor.type));
    } else if (*total / 8 != tensor.bytes) {
        problems.add(place(tensor.name), "its size disagrees with its range",
                     fmt::format("a range of {} bytes", tensor.bytes),
                     fmt::format("{} bytes for {} {}", *total / 8, tensor.type, shape_text(tensor.shape)));
    }
}

Tensor to_tensor(SafetensorsEntry& entry, const SafetensorsData& data, FewProblems& problems) {
    Tensor tensor;
    tensor.name = std::move(entry.name);
    tensor.type = std::move(entry.dtype);
    tensor.shape = std::move(entry.shape);
    const auto elements = elements_of(tensor.shape);
    tensor.elements = elements.value_or(0);
    if (!elements) problems.add(place(tensor.name), "element count overflows", shape_text(tensor.shape));
    if (entry.begin > entry.end || entry.end > kLargest - data.data_start) {
        const bool order = entry.begin > entry.end;
        problems.add(place(tensor.name), order ? "its range ends before it begins" : "its range overflows",
                     fmt::format("[{}, {}]", entry.begin, entry.end), "[begin, end]");
        return tensor;
    }
    tensor.offset = data.data_start + entry.begin;
    tensor.bytes = entry.end - entry.begin;
    const auto bits = safetensors_bits(tensor.type);
    tensor.size_derived = !bits;
    if (bits && elements) check_size(tensor, *bits, problems);
    return tensor;
}

// Ranges must follow each other. Returns where the last ends.
std::uint64_t check_ranges(const std::vector<Tensor>& tensors, const std::vector<std::size_t>& order,
                           std::uint64_t data_start, FewProblems& problems) {
    std::uint64_t end = data_start;
    const Tensor* previous = nullptr;
    for (const std::size_t i : order) {
        const Tensor& tensor = tensors[i];
        const std::string range =
            fmt::format("[{}, {}]", tensor.offset - data_start, tensor.offset + tensor.bytes - data_start);
        if (tensor.offset < end) {
            problems.add(place(tensor.name),
                         fmt::format("overlaps tensor {}", previous ? shown_text(previous->name) : ""), range,
                         fmt::format("a range from {} on", end - data_start));
        } else if (tensor.offset > end) {
            problems.add(place(tensor.name), "bytes before it belong to no tensor", range,
                         fmt::format("a range from {} on", end - data_start));
        }
        if (tensor.offset + tensor.bytes >= end) previous = &tensor;
        end = std::max(end, tensor.offset + tensor.bytes);
    }
    return end;
}

void check_end(const std::vector<Tensor>& tensors, const std::vector<std::size_t>& order, const SafetensorsData& data,
               std::uint64_t needed, bool allow_incomplete, Problems& warnings, FewProblems& problems) {
    if (needed < data.file_bytes) {
        problems.add(fmt::format("byte {}", needed), "bytes at the end belong to no tensor",
                     fmt::format("{} bytes", data.file_bytes - needed), "the end of the file");
    }
    if (needed <= data.file_bytes) return;
    const auto first = std::find_if(order.begin(), order.end(), [&](std::size_t i) {
        return tensors[i].offset + tensors[i].bytes > data.file_bytes;
    });
    const Tensor& tensor = tensors[*first];
    const double share = 100.0 * static_cast<double>(data.file_bytes) / static_cast<double>(needed);
    const std::string message =
        fmt::format("is cut off: it needs {} bytes and has {} ({:.3g} %)", needed, data.file_bytes, share);
    const std::string found = fmt::format("{} bytes from byte {} on", tensor.bytes, tensor.offset);
    if (allow_incomplete) {
        warnings.push_back({data.shown, place(tensor.name), found, "", message});
    } else {
        problems.add(place(tensor.name), message, found, "the whole file");
    }
}

void report_unknown(const std::vector<Tensor>& tensors, const std::string& shown, bool strict, Problems& warnings,
                    FewProblems& problems) {
    std::map<std::string, std::size_t> unknown;
    constexpr std::size_t listed = 20;
    for (const Tensor& tensor : tensors) {
        if (!tensor.size_derived) continue;
        const std::string type = shown_text(tensor.type);
        if (unknown.size() < listed || unknown.count(type) > 0)
            ++unknown[type];
        else
            ++unknown["others"];
    }
    if (unknown.empty()) return;
    std::string names;
    for (const auto& [name, count] : unknown) {
        names += fmt::format("{}{} ({} {})", names.empty() ? "" : ", ", name, count, count == 1 ? "tensor" : "tensors");
    }
    if (strict) {
        problems.add("", "has dtypes that are not known", names, "dtypes of safetensors");
    } else {
        warnings.push_back(
            {shown, "", names, "dtypes of safetensors", "has dtypes that are not known; sizes come from data_offsets"});
    }
}

} // namespace

std::optional<std::uint64_t> safetensors_bits(std::string_view dtype) {
    const auto type = std::find_if(kTypes.begin(), kTypes.end(), [&](const DataType& t) { return t.name == dtype; });
    if (type == kTypes.end()) return std::nullopt;
    return type->bits;
}

std::vector<Tensor> lay_out(std::vector<SafetensorsEntry> entries, const SafetensorsData& data,
                            const ReadOptions& options, Problems& warnings) {
    FewProblems problems(data.shown);
    std::vector<Tensor> tensors;
    tensors.reserve(entries.size());
    for (SafetensorsEntry& entry : entries) tensors.push_back(to_tensor(entry, data, problems));
    problems.throw_if_any();
    std::vector<std::size_t> order(tensors.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        // Tensors without bytes come before the one that begins where they are.
        return std::pair(tensors[a].offset, tensors[a].bytes) < std::pair(tensors[b].offset, tensors[b].bytes);
    });
    report_unknown(tensors, data.shown, options.strict, warnings, problems);
    const std::uint64_t needed = check_ranges(tensors, order, data.data_start, problems);
    check_end(tensors, order, data, needed, options.allow_incomplete, warnings, problems);
    problems.throw_if_any();
    return tensors;
}

} // namespace spillway
