#include "text/path_walk.h"

#include "text/near.h"

#include <charconv>

namespace spillway {

std::optional<std::string_view> path_after(std::string_view path, std::string_view word) {
    if (word.empty() || !path.starts_with(word)) return std::nullopt;
    const std::string_view after = path.substr(word.size());
    if (after.empty()) return after;
    if (after.front() != '.' || after.size() == 1) return std::nullopt;
    return after.substr(1);
}

std::string_view path_head(std::string_view path) { return path.substr(0, path.find('.')); }

std::string path_join(std::string_view a, std::string_view b) {
    if (a.empty()) return std::string(b);
    if (b.empty()) return std::string(a);
    return std::string(a) + '.' + std::string(b);
}

void PathWalk::step(std::string_view word) { result_.canonical = path_join(result_.canonical, word); }

void PathWalk::fail(std::string_view found, std::string expected, std::string message) {
    result_.end = PathEnd::failed;
    result_.problem = ValueProblem{'"' + std::string(found) + '"', std::move(expected), std::move(message)};
}

void PathWalk::fail_below_value(std::string_view rest) {
    fail(rest, "nothing after it", "\"" + result_.canonical + "\" is one value, it has no fields");
}

void PathWalk::fail_in_null(std::string_view rest) {
    fail(rest, "a path that exists", "\"" + result_.canonical + "\" is null here, so it has no fields");
}

void PathWalk::fail_in_empty_list(std::string_view word) {
    fail(word, "nothing after it", "\"" + result_.canonical + "\" is an empty list");
}

void PathWalk::unknown_word(std::string_view word, const std::vector<std::string>& known) {
    const std::string hint = did_you_mean(word, known);
    const std::string where = result_.canonical.empty() ? "" : " in \"" + result_.canonical + '"';
    std::string message = "there is no \"" + std::string(word) + '"' + where;
    if (!hint.empty()) message += "; " + hint;
    fail(word, "one of " + name_list(known, 40), std::move(message));
}

void PathWalk::group(std::vector<std::string> below) {
    result_.end = PathEnd::group;
    result_.below = std::move(below);
}

std::optional<PathWalk::Element> PathWalk::find_element(const std::vector<std::string>& words, std::string_view rest) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (const auto after = path_after(rest, words[i])) return Element{i, *after};
    }
    const std::string_view head = path_head(rest);
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(head.data(), head.data() + head.size(), index);
    const bool is_index = error == std::errc() && end == head.data() + head.size();
    if (!is_index || index >= words.size()) return std::nullopt;
    return Element{index, *path_after(rest, head)};
}

} // namespace spillway
