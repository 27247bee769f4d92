// Resolves a dotted path ("memory.unified.bandwidth", "blocks.2.experts.active") in any struct that describes itself
// by fields(). List elements are named by index or by their `name`; a name may contain dots.
#pragma once

#include "text/field_value.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// What can be done with a leaf whose type is known only to the walk. `read` and `write` are null unless it is a number.
struct LeafType {
    std::optional<double> (*read)(const void* leaf) = nullptr; // in base units; empty where the leaf is
    void (*write)(void* leaf, double value) = nullptr;
    std::optional<ValueProblem> (*set)(void* leaf, std::string_view text, const FieldKind& kind) = nullptr;
};

// One value in a struct. Valid while no list of the struct changes its size.
struct FoundLeaf {
    void* at = nullptr;
    LeafType type;
    FieldKind kind;

    bool is_number() const { return type.read != nullptr; }
};

// Where a path ended. `leaf`: at one value, which is in `found`; `group`: at a struct, list or empty optional
// struct; `failed`: `problem` says at which word.
enum class PathEnd { leaf, group, failed };
struct PathResult {
    PathEnd end = PathEnd::failed;
    std::string canonical;          // names where elements have names; up to where it got
    std::vector<std::string> below; // group: what may follow
    std::optional<ValueProblem> problem;
    FoundLeaf found;
};

template <class T>
std::optional<double> read_number_leaf(const void* leaf) {
    const T& value = *static_cast<const T*>(leaf);
    if constexpr (kIsOptional<T>)
        return value ? read_number_leaf<typename T::value_type>(&*value) : std::nullopt;
    else if constexpr (kIsQuantity<T>)
        return value.value;
    else
        return static_cast<double>(value);
}

template <class T>
void write_number_leaf(void* leaf, double value) {
    if constexpr (kIsOptional<T>)
        write_number_leaf<typename T::value_type>(&static_cast<T*>(leaf)->emplace(), value);
    else
        *static_cast<T*>(leaf) = static_cast<T>(value);
}

template <class T>
constexpr bool is_number() {
    if constexpr (kIsOptional<T>)
        return Number<typename T::value_type>;
    else
        return Number<T>;
}

template <class T>
constexpr LeafType leaf_type() {
    LeafType type;
    type.set = [](void* leaf, std::string_view text, const FieldKind& kind) {
        return set_leaf(*static_cast<T*>(leaf), text, kind);
    };
    if constexpr (is_number<T>()) {
        type.read = &read_number_leaf<T>;
        type.write = &write_number_leaf<T>;
    }
    return type;
}

// If `path` is `word` or begins with "word.": what follows the word.
std::optional<std::string_view> path_after(std::string_view path, std::string_view word);
// The first word of a path.
std::string_view path_head(std::string_view path);
// "a.b"; "b" if a is empty.
std::string path_join(std::string_view a, std::string_view b);

template <class T>
concept Named = requires(T& element) {
    { element.name } -> std::same_as<std::string&>;
};

// The word that stands for element i in a canonical path: its name if that name finds it, otherwise its index.
template <class T>
std::string element_word(const std::vector<T>& list, std::size_t i) {
    if constexpr (requires { list[i].name; }) {
        bool first_of_name = !list[i].name.empty();
        for (std::size_t j = 0; j < i; ++j) first_of_name = first_of_name && list[j].name != list[i].name;
        if (first_of_name) return list[i].name;
    }
    return std::to_string(i);
}

template <class T>
std::vector<std::string> element_words(const std::vector<T>& list) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < list.size(); ++i) words.push_back(element_word(list, i));
    return words;
}

// Walks one path.
class PathWalk {
public:
    template <class T>
    PathResult walk(T& object, std::string_view path) {
        result_ = PathResult{};
        enter(object, path, FieldKind{});
        return std::move(result_);
    }

private:
    // Looks for the head of `rest` among the fields of a struct.
    struct Finder {
        PathWalk& walk;
        std::string_view rest;
        bool found = false;

        template <class T>
        void operator()(std::string_view name, T& member, const FieldInfo& info) {
            if (found) return;
            const std::optional<std::string_view> after = path_after(rest, name);
            if (!after) return;
            found = true;
            walk.step(name);
            walk.enter(member, *after, member_kind<T>(name, info));
        }
    };

    template <class T>
    static FieldKind member_kind(std::string_view name, const FieldInfo& info) {
        if constexpr (kIsOptional<T>)
            return member_kind<typename T::value_type>(name, info);
        else
            return kind_of<T>(name, info);
    }

    void step(std::string_view word);
    void fail(std::string_view found, std::string expected, std::string message);
    void fail_below_value(std::string_view rest);
    void fail_in_null(std::string_view rest);
    void fail_in_empty_list(std::string_view word);
    void unknown_word(std::string_view word, const std::vector<std::string>& known);
    void group(std::vector<std::string> below);
    // The element of `words` that `rest` begins with, by word or by index, and what follows it.
    struct Element {
        std::size_t index = 0;
        std::string_view rest;
    };
    static std::optional<Element> find_element(const std::vector<std::string>& words, std::string_view rest);

    template <class T>
    void enter(T& object, std::string_view rest, const FieldKind& kind) {
        if constexpr (Leaf<T>) {
            at_leaf(object, rest, kind);
        } else if constexpr (kIsOptional<T>) {
            if constexpr (Leaf<typename T::value_type>)
                at_leaf(object, rest, kind);
            else if (object)
                enter(*object, rest, kind);
            else if (rest.empty())
                group({});
            else
                fail_in_null(rest);
        } else if constexpr (kIsList<T>) {
            enter_list(object, rest, kind);
        } else {
            enter_struct(object, rest);
        }
    }

    template <class T>
    void at_leaf(T& leaf, std::string_view rest, const FieldKind& kind) {
        if (!rest.empty()) return fail_below_value(rest);
        result_.end = PathEnd::leaf;
        result_.found = FoundLeaf{&leaf, leaf_type<T>(), kind};
    }

    template <class T>
    void enter_struct(T& object, std::string_view rest) {
        if (rest.empty()) return group(field_names(object));
        Finder finder{*this, rest};
        fields(finder, object);
        if (!finder.found) unknown_word(path_head(rest), field_names(object));
    }

    template <class T>
    void enter_list(std::vector<T>& list, std::string_view rest, const FieldKind& kind) {
        const std::vector<std::string> words = element_words(list);
        if (rest.empty()) return group(words);
        const std::optional<Element> element = find_element(words, rest);
        if (element) {
            step(words[element->index]);
            enter(list[element->index], element->rest, kind);
        } else if (list.empty()) {
            fail_in_empty_list(path_head(rest));
        } else {
            unknown_word(path_head(rest), words);
        }
    }

    PathResult result_;
};

// Where a path leads in any struct, without doing anything there. Costs seconds to compile for each struct: files have
// theirs in io/load_sources.h, a Case in paths.h.
template <class T>
PathResult resolve_path(T& object, std::string_view path) {
    return PathWalk().walk(object, path);
}

} // namespace spillway
