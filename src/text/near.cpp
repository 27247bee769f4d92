#include "text/near.h"

#include <algorithm>
#include <utility>

namespace spillway {

namespace {

// ASCII only: names in files and paths are ASCII, and the locale must not matter.
std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

// Optimal string alignment distance: three rows suffice, since a swap looks two rows back.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, above);
        std::swap(above, row);
    }
    return above[b.size()];
}

} // namespace

std::vector<std::string> near_matches(std::string_view word, const std::vector<std::string>& candidates,
                                      std::size_t most) {
    // A word this long is no typo of a name, and the distance is quadratic in its length.
    constexpr std::size_t longest_word = 200;
    if (word.empty() || word.size() > longest_word) return {};
    const std::string wanted = lower(word);
    const std::size_t limit = std::max<std::size_t>(1, wanted.size() / 3);
    std::vector<std::pair<std::size_t, std::string>> ranked;
    for (const std::string& candidate : candidates) {
        const std::string name = lower(candidate);
        const std::size_t edits = edit_distance(wanted, name);
        const bool begins = wanted.size() >= 2 && name.starts_with(wanted);
        const bool contains = begins || (wanted.size() >= 3 && name.find(wanted) != std::string::npos);
        if (edits <= limit) {
            ranked.emplace_back(edits, candidate);
        } else if (contains) {
            ranked.emplace_back(limit + name.find(wanted) + 1, candidate);
        }
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> names;
    for (auto& [rank, name] : ranked) {
        if (names.size() == most) break;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
    return names;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    const std::vector<std::string> names = near_matches(word, candidates);
    if (names.empty()) return {};
    std::string text = "did you mean ";
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
        text += '"' + names[i] + '"';
    }
    return text + '?';
}

std::string name_list(const std::vector<std::string>& names, std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i == most) return text + " and " + std::to_string(names.size() - most) + " more";
        if (i > 0) text += ", ";
        text += names[i];
    }
    return text;
}

} // namespace spillway
