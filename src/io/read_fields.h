// Reads any struct that describes itself by fields() from JSON. Every problem is collected with its JSON pointer and
// reading goes on; a member with a problem keeps its initial value. Quantities are text with a unit, never numbers.
#pragma once

#include "io/json_builder.h"
#include "io/problem.h"
#include "text/field_value.h"
#include "text/near.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillway {

// Structs that a file may name instead of writing out: a string in their place is a reference, resolved by the loader.
template <class T>
inline constexpr bool kIsReferable = std::same_as<T, Runtime> || std::same_as<T, Locality>;

// A name found in the place of a struct.
struct Reference {
    std::string pointer, name;
};

// The file being read, what is wrong with it, and the names in it that are still to be resolved.
struct ReadState {
    std::string file;
    Problems& problems;
    std::vector<Reference> references;
    // Members of the outermost object may all be left out: they then keep the value that they have.
    bool partial = false;

    void add(const std::string& pointer, std::string found, std::string expected, std::string message);
    void add(const std::string& pointer, ValueProblem problem);
};

// What a JSON value is, for "found": "an object", "12", "\"6 GB/s\"".
std::string describe(const nlohmann::json& value);

// Reads one number, checked; quantities are refused here, with the unit they need.
std::optional<double> read_json_number(ReadState& state, const nlohmann::json& value, const std::string& pointer,
                                       const FieldKind& kind);

template <class T>
void read_value(ReadState& state, const nlohmann::json& value, const std::string& pointer, T& out,
                const FieldKind& kind);

template <Leaf T>
void read_leaf(ReadState& state, const nlohmann::json& value, const std::string& pointer, T& out,
               const FieldKind& kind) {
    constexpr bool is_text = std::same_as<T, std::string> || std::same_as<T, LayerSet> || std::is_enum_v<T>;
    std::string expected = expected_text(kind);
    if constexpr (std::is_enum_v<T>) expected = expected_names(EnumNames<T>::names.data(), EnumNames<T>::names.size());
    if (value.is_null()) return state.add(pointer, "null", std::move(expected), "must be stated");
    if constexpr (std::same_as<T, bool>) {
        if (!value.is_boolean())
            return state.add(pointer, describe(value), std::move(expected), "must be true or false, without quotes");
        out = value.get<bool>();
    } else if (value.is_string() && (is_text || kIsQuantity<T> || kind.info.share)) {
        if (auto problem = set_leaf(out, value.template get_ref<const std::string&>(), kind))
            state.add(pointer, std::move(*problem));
    } else if constexpr (is_text) {
        state.add(pointer, describe(value), std::move(expected), "must be text");
    } else if (const auto number = read_json_number(state, value, pointer, kind)) {
        out = static_cast<T>(*number);
    }
}

template <class T>
void read_list(ReadState& state, const nlohmann::json& value, const std::string& pointer, std::vector<T>& out,
               const FieldKind& kind) {
    if (!value.is_array()) return state.add(pointer, describe(value), "a list", "must be a list");
    out.clear();
    for (std::size_t i = 0; i < value.size(); ++i) {
        out.emplace_back();
        read_value(state, value[i], pointer + '/' + std::to_string(i), out.back(), kind);
    }
}

// Reads the members of one object as fields() names them.
class ObjectReader {
public:
    ObjectReader(ReadState& state, const nlohmann::json& object, std::string pointer, bool partial)
        : state_(state), object_(object), pointer_(std::move(pointer)), partial_(partial) {}

    template <class T>
    void operator()(std::string_view name, T& member, const FieldInfo& info) {
        known_.emplace_back(name);
        const std::string at = pointer_ + pointer_step(name);
        const auto found = object_.find(known_.back());
        if (found != object_.end()) {
            read_value(state_, *found, at, member, field_kind<T>(name, info));
        } else if (info.presence == Presence::required && !partial_) {
            missing(at, expected<T>(name, info), kIsOptional<T>);
        }
    }

    // Keys that no field claimed.
    void finish();

private:
    template <class T>
    static FieldKind field_kind(std::string_view name, const FieldInfo& info) {
        if constexpr (kIsOptional<T> || kIsList<T>)
            return field_kind<typename T::value_type>(name, info);
        else
            return kind_of<T>(name, info);
    }

    template <class T>
    static std::string expected(std::string_view name, const FieldInfo& info) {
        if constexpr (kIsOptional<T>)
            return expected<typename T::value_type>(name, info);
        else if constexpr (kIsList<T>)
            return "a list";
        else if constexpr (std::is_enum_v<T>)
            return expected_names(EnumNames<T>::names.data(), EnumNames<T>::names.size());
        else if constexpr (Leaf<T>)
            return expected_text(kind_of<T>(name, info));
        else
            return kIsReferable<T> ? "a name or an object" : "an object";
    }

    void missing(const std::string& at, std::string expected, bool may_be_null);

    ReadState& state_;
    const nlohmann::json& object_;
    std::string pointer_;
    bool partial_;
    std::vector<std::string> known_;
};

// Reads an object into `out`, whose members keep their value where the object says nothing.
template <class T>
void read_object(ReadState& state, const nlohmann::json& value, const std::string& pointer, T& out,
                 bool partial = false) {
    if (!value.is_object()) return state.add(pointer, describe(value), "an object", "must be an object");
    ObjectReader reader(state, value, pointer, partial);
    fields(reader, out);
    reader.finish();
}

template <class T>
void read_value(ReadState& state, const nlohmann::json& value, const std::string& pointer, T& out,
                const FieldKind& kind) {
    if constexpr (kIsOptional<T>) {
        out.reset();
        if (value.is_null()) return;
        typename T::value_type inner{};
        read_value(state, value, pointer, inner, kind);
        out = std::move(inner);
    } else if constexpr (kIsList<T>) {
        read_list(state, value, pointer, out, kind);
    } else if constexpr (Leaf<T>) {
        read_leaf(state, value, pointer, out, kind);
    } else {
        if constexpr (kIsReferable<T>) {
            if (value.is_string()) {
                state.references.push_back({pointer, value.template get<std::string>()});
                return;
            }
        }
        out = T{};
        read_object(state, value, pointer, out);
    }
}

// Reads a file's object.
template <class T>
T read_file_object(ReadState& state, const nlohmann::json& value, T initial = T{}) {
    read_object(state, value, "", initial, state.partial);
    return initial;
}

} // namespace spillway
