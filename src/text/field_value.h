// The types that a field may have, and how one value is checked, read from text and named in a message. Files,
// --set, sweep axes and schemas share these rules, so that a value means the same wherever it is given.
#pragma once

#include "inputs/fields.h"
#include "inputs/model.h"
#include "inputs/quantity.h"
#include "inputs/scenario.h"
#include "text/units.h"

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace spillway {

enum class Unit {
    bytes,
    seconds,
    bytes_per_second,
    flops_per_second,
    tokens_per_second,
    ratio_or_number,
    count,
    text,
    boolean,
    enumeration
};

// What is wrong with a value: what was found, what belongs there, and a sentence.
struct ValueProblem {
    std::string found, expected, message;
};

template <class T>
inline constexpr bool kIsQuantity = false;
template <int B, int S, int F>
inline constexpr bool kIsQuantity<Quantity<B, S, F>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;

template <class T>
concept Number = kIsQuantity<T> || std::same_as<T, double> || std::same_as<T, Count>;
template <class T>
concept Leaf = Number<T> || std::same_as<T, bool> || std::same_as<T, std::string> || std::same_as<T, LayerSet> ||
    std::is_enum_v<T>;

template <class T>
Unit unit_of(const FieldInfo& info) {
    if constexpr (std::same_as<T, Bytes>)
        return Unit::bytes;
    else if constexpr (std::same_as<T, Seconds>)
        return Unit::seconds;
    else if constexpr (std::same_as<T, BytesPerSecond>)
        return Unit::bytes_per_second;
    else if constexpr (std::same_as<T, FlopsPerSecond>)
        return Unit::flops_per_second;
    else if constexpr (std::same_as<T, PerSecond>)
        return Unit::tokens_per_second;
    else if constexpr (std::same_as<T, double>)
        return info.whole ? Unit::count : Unit::ratio_or_number;
    else if constexpr (std::same_as<T, Count>)
        return Unit::count;
    else if constexpr (std::same_as<T, bool>)
        return Unit::boolean;
    else if constexpr (std::is_enum_v<T>)
        return Unit::enumeration;
    else
        return Unit::text;
}

// A field as the functions below need it.
struct FieldKind {
    std::string_view name;
    FieldInfo info;
    Unit unit = Unit::text;
    bool layers = false; // text that is a LayerSet
};

template <class T>
FieldKind kind_of(std::string_view name, const FieldInfo& info) {
    return FieldKind{name, info, unit_of<T>(info), std::same_as<T, LayerSet>};
}

// The names that may follow a struct in a path or stand in it as keys.
template <class T>
std::vector<std::string> field_names(T& object) {
    std::vector<std::string> names;
    auto collect = [&names](std::string_view name, auto&, const FieldInfo&) { names.emplace_back(name); };
    fields(collect, object);
    return names;
}

// A number in base units as text with its unit ("240 GiB", "0.91"), exact.
std::string print_value(double value, Unit unit);

// What belongs into a field, for "expected": a whole number from 1 to 100; a size with a unit, such as "240 GiB".
std::string expected_text(const FieldKind& kind);
std::string expected_names(const std::string_view* names, std::size_t count);

// Whether a number in base units may stand in the field: finite, in range, whole where it must be.
std::optional<ValueProblem> check_number(double value, const FieldKind& kind);

// Text to a number of the field's unit, checked.
struct CheckedNumber {
    double value = 0.0;
    std::optional<ValueProblem> problem;
};
CheckedNumber read_number(std::string_view text, const FieldKind& kind);

// "0-2, 6" to layer numbers: ascending, none twice, at most kMaxLayers of them.
inline constexpr int kMaxLayers = 10000;
std::optional<ValueProblem> read_layers(std::string_view text, LayerSet& layers);
std::string print_layers(const LayerSet& layers);

// Position of `text` in a list of names, or a problem with near matches.
std::optional<ValueProblem> read_name(std::string_view text, const std::string_view* names, std::size_t count,
                                      std::size_t& index);

// Sets one leaf from text. "null" empties an optional one. The leaf is unchanged if there is a problem.
template <Leaf T>
std::optional<ValueProblem> set_leaf(T& leaf, std::string_view text, const FieldKind& kind) {
    if constexpr (Number<T>) {
        CheckedNumber number = read_number(text, kind);
        if (number.problem) return number.problem;
        if constexpr (std::same_as<T, Count>)
            leaf = static_cast<Count>(number.value);
        else
            leaf = T(number.value);
    } else if constexpr (std::same_as<T, bool>) {
        if (text != "true" && text != "false") {
            return ValueProblem{'"' + std::string(text) + '"', expected_text(kind), "must be true or false"};
        }
        leaf = text == "true";
    } else if constexpr (std::is_enum_v<T>) {
        std::size_t index = 0;
        const auto& names = EnumNames<T>::names;
        if (auto problem = read_name(text, names.data(), names.size(), index)) return problem;
        leaf = static_cast<T>(index);
    } else if constexpr (std::same_as<T, LayerSet>) {
        return read_layers(text, leaf);
    } else {
        leaf = std::string(text);
    }
    return std::nullopt;
}

template <Leaf T>
std::optional<ValueProblem> set_leaf(std::optional<T>& leaf, std::string_view text, const FieldKind& kind) {
    if (text == "null") {
        leaf.reset();
        return std::nullopt;
    }
    T value{};
    auto problem = set_leaf(value, text, kind);
    if (!problem) leaf = std::move(value);
    return problem;
}

} // namespace spillway
