// Resolves a dotted path ("memory.unified.bandwidth", "blocks.2.experts.active") in any struct that describes itself
// by fields(). List elements are named by index or by their `name`; a name may contain dots.
#pragma once

#include "text/field_value.h"
#include "text/near.h"

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// Where a path ended. `leaf`: at one value, the callback was called; `group`: at a struct, list or empty optional
// struct; `failed`: `problem` says at which word.
enum class PathEnd { leaf, group, failed };
struct PathResult {
    PathEnd end = PathEnd::failed;
    std::string canonical;          // names where elements have names; up to where it got
    std::vector<std::string> below; // group: what may follow
    std::optional<ValueProblem> problem;
};

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

// Walks one path. `on_leaf(member, FieldKind)` is called with the leaf (or optional leaf) that it names.
template <class OnLeaf>
class PathWalk {
public:
    explicit PathWalk(OnLeaf& on_leaf) : on_leaf_(on_leaf) {}

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
            walk.enter(member, *after, walk.template member_kind<T>(name, info));
        }
    };

    template <class T>
    FieldKind member_kind(std::string_view name, const FieldInfo& info) {
        if constexpr (kIsOptional<T>)
            return member_kind<typename T::value_type>(name, info);
        else
            return kind_of<T>(name, info);
    }

    void step(std::string_view word) { result_.canonical = path_join(result_.canonical, word); }

    void fail(std::string_view found, std::string expected, std::string message) {
        result_.end = PathEnd::failed;
        result_.problem = ValueProblem{'"' + std::string(found) + '"', std::move(expected), std::move(message)};
    }

    void group(std::vector<std::string> below) {
        result_.end = PathEnd::group;
        result_.below = std::move(below);
    }

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
                fail(rest, "a path that exists", "\"" + result_.canonical + "\" is null here, so it has no fields");
        } else if constexpr (kIsList<T>) {
            enter_list(object, rest, kind);
        } else {
            enter_struct(object, rest);
        }
    }

    template <class T>
    void at_leaf(T& leaf, std::string_view rest, const FieldKind& kind) {
        if (!rest.empty())
            return fail(rest, "nothing after it", "\"" + result_.canonical + "\" is one value, it has no fields");
        result_.end = PathEnd::leaf;
        on_leaf_(leaf, kind);
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
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (const auto after = path_after(rest, words[i])) return enter_element(list, i, *after, kind);
        }
        const std::string_view head = path_head(rest);
        std::size_t index = 0;
        const auto [end, error] = std::from_chars(head.data(), head.data() + head.size(), index);
        const bool is_index = error == std::errc() && end == head.data() + head.size();
        if (is_index && index < list.size()) return enter_element(list, index, *path_after(rest, head), kind);
        if (list.empty()) return fail(head, "nothing after it", "\"" + result_.canonical + "\" is an empty list");
        unknown_word(head, words);
    }

    template <class T>
    void enter_element(std::vector<T>& list, std::size_t i, std::string_view rest, const FieldKind& kind) {
        step(element_word(list, i));
        enter(list[i], rest, kind);
    }

    void unknown_word(std::string_view word, const std::vector<std::string>& known) {
        const std::string hint = did_you_mean(word, known);
        const std::string where = result_.canonical.empty() ? "" : " in \"" + result_.canonical + '"';
        std::string message = "there is no \"" + std::string(word) + '"' + where;
        if (!hint.empty()) message += "; " + hint;
        fail(word, "one of " + name_list(known, 40), std::move(message));
    }

    OnLeaf& on_leaf_;
    PathResult result_;
};

// Where a path leads in any struct, without doing anything there.
template <class T>
PathResult resolve_path(T& object, std::string_view path) {
    auto nothing = [](auto&, const FieldKind&) {};
    return PathWalk<decltype(nothing)>(nothing).walk(object, path);
}

} // namespace spillway
