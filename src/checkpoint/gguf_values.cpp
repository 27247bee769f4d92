#include "checkpoint/gguf_values.h"

#include "checkpoint/gguf.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <simdjson.h>

#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <string_view>

namespace spillway {

namespace {

constexpr std::uint64_t kLongestArray = 1024; // per-layer values; the deepest model has 162 layers
constexpr int kDeepestArray = 8;
constexpr std::string_view kAlignmentKey = "general.alignment";

enum class ValueType : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };

struct TypeInfo {
    std::string_view name;
    std::uint32_t bytes; // smallest size for strings (a length) and arrays (a type and a length)
};
constexpr std::array<TypeInfo, 13> kTypes = {{{"u8", 1},
                                              {"i8", 1},
                                              {"u16", 2},
                                              {"i16", 2},
                                              {"u32", 4},
                                              {"i32", 4},
                                              {"f32", 4},
                                              {"bool", 1},
                                              {"string", 8},
                                              {"array", 12},
                                              {"u64", 8},
                                              {"i64", 8},
                                              {"f64", 8}}};

const TypeInfo& info(ValueType type) { return kTypes[static_cast<std::size_t>(type)]; }

// Where the reader is and whose value it reads.
struct Values {
    ByteReader& reader;
    std::string key;

    [[noreturn]] void fail(std::string message, std::string found = "", std::string expected = "") const {
        spillway::fail(reader.shown(), reader.place(), fmt::format("key \"{}\": {}", shown_text(key), message),
                       std::move(found), std::move(expected));
    }
};

// What was read: JSON text, or the number of elements or bytes that were walked over.
struct Value {
    std::string json;
    bool skipped = false;
    bool operator==(const Value&) const = default;
};

ValueType read_type(const Values& in) {
    const auto type = in.reader.read<std::uint32_t>("the type of a value");
    if (type >= kTypes.size()) in.fail("has an unknown value type", std::to_string(type), "0 to 12");
    return static_cast<ValueType>(type);
}

template <class Real>
std::string real_text(Real value) {
    return std::isfinite(value) ? fmt::format("{}", value) : "null"; // JSON has no infinity
}

std::string read_bool(const Values& in) {
    const auto byte = in.reader.read<std::uint8_t>("a bool");
    if (byte > 1) in.fail("is neither true nor false", std::to_string(byte), "0 or 1");
    return byte == 1 ? "true" : "false";
}

std::string read_scalar(const Values& in, ValueType type) {
    ByteReader& reader = in.reader;
    switch (type) {
    case ValueType::u8: return std::to_string(reader.read<std::uint8_t>("a u8"));
    case ValueType::i8: return std::to_string(reader.read<std::int8_t>("an i8"));
    case ValueType::u16: return std::to_string(reader.read<std::uint16_t>("a u16"));
    case ValueType::i16: return std::to_string(reader.read<std::int16_t>("an i16"));
    case ValueType::u32: return std::to_string(reader.read<std::uint32_t>("a u32"));
    case ValueType::i32: return std::to_string(reader.read<std::int32_t>("an i32"));
    case ValueType::u64: return std::to_string(reader.read<std::uint64_t>("a u64"));
    case ValueType::i64: return std::to_string(reader.read<std::int64_t>("an i64"));
    case ValueType::f32: return real_text(reader.read<float>("an f32"));
    case ValueType::f64: return real_text(reader.read<double>("an f64"));
    case ValueType::boolean: return read_bool(in);
    case ValueType::string:
    case ValueType::array: break;
    }
    return {};
}

Value read_string(const Values& in, Problems& warnings) {
    const auto length = in.reader.read<std::uint64_t>("the length of a string");
    if (length > ByteReader::kLongestTake) {
        in.reader.skip(length, "a string");
        return {std::to_string(length), true};
    }
    const auto size = static_cast<std::size_t>(length);
    const std::string_view text(reinterpret_cast<const char*>(in.reader.take(size, "a string")), size);
    if (simdjson::validate_utf8(text)) return {nlohmann::json(std::string(text)).dump(), false};
    warnings.push_back({in.reader.shown(), in.reader.place(), shown_text(text), "UTF-8 text",
                        fmt::format("key \"{}\": is not UTF-8 and left out", shown_text(in.key))});
    return {std::to_string(length), true};
}

// Vocabularies are most of a header: 150,000 tokens and as many merges.
void skip_strings(ByteReader& reader, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
        reader.skip(reader.read<std::uint64_t>("the length of a string"), "a string of an array");
    }
}

Value read_array(const Values& in, int depth) {
    if (depth > kDeepestArray) in.fail(fmt::format("has arrays nested deeper than {}", kDeepestArray));
    const ValueType type = read_type(in);
    const auto count = in.reader.read<std::uint64_t>("the length of an array");
    if (count > in.reader.left() / info(type).bytes) {
        in.fail("has more elements than the file can hold", fmt::format("{} elements of {}", count, info(type).name),
                fmt::format("at most {} in the {} bytes left", in.reader.left() / info(type).bytes, in.reader.left()));
    }
    Value length = {std::to_string(count), true};
    if (type == ValueType::string) {
        skip_strings(in.reader, count);
        return length;
    }
    if (type == ValueType::array) {
        for (std::uint64_t i = 0; i < count; ++i) read_array(in, depth + 1);
        return length;
    }
    if (count > kLongestArray || depth > 1) {
        in.reader.skip(count * info(type).bytes, "an array");
        return length;
    }
    std::string json = "[";
    for (std::uint64_t i = 0; i < count; ++i) {
        if (i > 0) json += ',';
        json += read_scalar(in, type);
    }
    return {json + "]", false};
}

std::uint64_t checked_alignment(const Values& in, ValueType type, const std::string& json) {
    const std::string expected =
        fmt::format("a u32 and a power of two from {} to {}", kSmallestAlignment, kLargestAlignment);
    if (type != ValueType::u32) {
        in.fail("has the wrong type", fmt::format("{} {}", info(type).name, shown_text(json)), expected);
    }
    const std::uint64_t value = std::stoull(json);
    if (!std::has_single_bit(value) || value < kSmallestAlignment || value > kLargestAlignment) {
        in.fail("is not a possible alignment", json, expected);
    }
    return value;
}

Value read_value(const Values& in, ValueType type, Problems& warnings) {
    if (type == ValueType::string) return read_string(in, warnings);
    if (type == ValueType::array) return read_array(in, 1);
    return {read_scalar(in, type), false};
}

void keep(const Values& in, Value value, std::map<std::string, Value>& seen, Problems& warnings) {
    const auto [known, fresh] = seen.try_emplace(in.key, value);
    if (fresh) return;
    if (value.skipped || known->second != value) {
        in.fail("is given twice", shown_text(value.json), "only the first, " + shown_text(known->second.json));
    }
    warnings.push_back({in.reader.shown(), in.reader.place(), shown_text(value.json), "",
                        fmt::format("key \"{}\": is given twice with the same value", shown_text(in.key))});
}

} // namespace

std::string read_gguf_name(ByteReader& reader, const char* what) {
    const std::string place = reader.place();
    const auto length = reader.read<std::uint64_t>(what);
    if (length == 0) fail(reader.shown(), place, fmt::format("{} is empty", what));
    if (length > ByteReader::kLongestTake) {
        fail(reader.shown(), place, fmt::format("{} is too long", what), fmt::format("{} bytes", length),
             fmt::format("at most {}", ByteReader::kLongestTake));
    }
    const auto size = static_cast<std::size_t>(length);
    const std::string_view text(reinterpret_cast<const char*>(reader.take(size, what)), size);
    if (!simdjson::validate_utf8(text))
        fail(reader.shown(), place, fmt::format("{} is not UTF-8", what), shown_text(text));
    return std::string(text);
}

GgufValues read_gguf_values(ByteReader& reader, std::uint64_t count) {
    GgufValues values;
    std::map<std::string, Value> seen;
    for (std::uint64_t i = 0; i < count; ++i) {
        const Values in = {reader, read_gguf_name(reader, "a key")};
        const ValueType type = read_type(in);
        Value value = read_value(in, type, values.warnings);
        if (in.key == kAlignmentKey) values.alignment = checked_alignment(in, type, value.json);
        keep(in, std::move(value), seen, values.warnings);
    }
    for (auto& [key, value] : seen) {
        // A key that is itself called "x.length" keeps its own value.
        if (!value.skipped)
            values.metadata.insert_or_assign(key, std::move(value.json));
        else
            values.metadata.try_emplace(key + ".length", std::move(value.json));
    }
    return values;
}

} // namespace spillway
