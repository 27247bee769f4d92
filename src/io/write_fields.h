// Writes any struct that describes itself by fields() as JSON that read_fields.h reads back to the same values: keys
// in the order of the fields, quantities as exact text, optional members left out where they equal a fresh struct's.
#pragma once

#include "text/field_value.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillway {

using OrderedJson = nlohmann::ordered_json;

// Whole numbers without a decimal point, as people write them.
OrderedJson write_number(double value);

template <class T>
OrderedJson write_value(const T& value);

// Collects every member with its presence.
struct MemberWriter {
    struct Member {
        std::string name;
        OrderedJson value;
        Presence presence;
    };
    std::vector<Member> members;

    template <class T>
    void operator()(std::string_view name, T& member, const FieldInfo& info) {
        members.push_back({std::string(name), write_value(member), info.presence});
    }
};

template <class T>
OrderedJson write_object(const T& object) {
    // fields() takes a mutable object because most visitors write; this one only reads.
    MemberWriter written, fresh;
    fields(written, const_cast<T&>(object));
    T initial{};
    fields(fresh, initial);
    OrderedJson json = OrderedJson::object();
    for (std::size_t i = 0; i < written.members.size(); ++i) {
        auto& [name, value, presence] = written.members[i];
        if (presence == Presence::optional && value == fresh.members[i].value) continue;
        json[name] = std::move(value);
    }
    return json;
}

template <class T>
OrderedJson write_value(const T& value) {
    if constexpr (kIsOptional<T>) {
        return value ? write_value(*value) : OrderedJson();
    } else if constexpr (kIsList<T>) {
        OrderedJson list = OrderedJson::array();
        for (const auto& element : value) list.push_back(write_value(element));
        return list;
    } else if constexpr (kIsQuantity<T>) {
        return print_exact(value);
    } else if constexpr (std::same_as<T, double>) {
        return write_number(value);
    } else if constexpr (std::is_enum_v<T>) {
        return std::string(EnumNames<T>::names[static_cast<std::size_t>(value)]);
    } else if constexpr (std::same_as<T, LayerSet>) {
        return print_layers(value);
    } else if constexpr (Leaf<T>) {
        return value;
    } else {
        return write_object(value);
    }
}

} // namespace spillway
