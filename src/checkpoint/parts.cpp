#include "checkpoint/parts.h"

#include "checkpoint/byte_reader.h"
#include "checkpoint/few_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <system_error>
#include <utility>

namespace spillway {

namespace {

constexpr std::uint64_t kMostParts = 100'000; // five digits

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_separator(char c) { return c == '-' || c == '.' || c == '_'; }

// Cuts the digits off the end, at most nine of them.
std::string_view take_digits(std::string_view& text) {
    std::size_t n = 0;
    while (n < text.size() && n < 9 && is_digit(text[text.size() - 1 - n])) ++n;
    const std::string_view digits = text.substr(text.size() - n);
    text.remove_suffix(n);
    return digits;
}

bool take_separator(std::string_view& text) {
    if (text.empty() || !is_separator(text.back())) return false;
    text.remove_suffix(1);
    return true;
}

bool take_of(std::string_view& text) {
    if (text.size() < 2 || (text.substr(text.size() - 2) != "of" && text.substr(text.size() - 2) != "OF")) return false;
    text.remove_suffix(2);
    return true;
}

std::uint64_t number(std::string_view digits) { return std::strtoull(std::string(digits).c_str(), nullptr, 10); }

// Name and extension, where the extension has no digit at its front ("m.00002" has none).
std::pair<std::string_view, std::string_view> split_extension(std::string_view name) {
    const std::size_t point = name.rfind('.');
    if (point == std::string_view::npos || point + 1 == name.size() || is_digit(name[point + 1])) return {name, {}};
    return {name.substr(0, point), name.substr(point)};
}

std::string name_of(const PartName& part, std::uint64_t i) {
    return fmt::format("{}{:0{}}{}", part.before, i, part.digits, part.after);
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
    return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

// Files of the folder that belong to the same set, by number.
std::map<std::uint64_t, std::filesystem::path> siblings(const std::filesystem::path& path, const PartName& part) {
    std::map<std::uint64_t, std::filesystem::path> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder_of(path), error)) {
        const std::string name = entry.path().filename().string();
        const auto other = part_name(name);
        if (!other || other->base != part.base || other->extension != part.extension || other->total != part.total)
            continue;
        const auto [first, fresh] = found.try_emplace(other->number, path.parent_path() / name);
        if (!fresh) {
            fail(path.string(), "", fmt::format("part {} of {} is there twice", other->number, other->total),
                 fmt::format("{} and {}", first->second.filename().string(), name), "one file per part");
        }
    }
    return found;
}

// What stands before the number at the end of a name without "of".
struct Series {
    std::set<std::uint64_t> numbers;
    std::size_t digits = 0;
    std::string extension;
};

std::map<std::string, Series> series_of(const std::vector<std::string>& file_names) {
    std::map<std::string, Series> all;
    for (const std::string& file : file_names) {
        if (part_name(file)) continue;
        const auto [stem, extension] = split_extension(file);
        std::string_view base = stem;
        const std::string_view digits = take_digits(base);
        if (digits.size() < 2 || (!base.empty() && !is_separator(base.back()))) continue;
        Series& series = all[std::string(base) + "\n" + std::string(extension)];
        series.numbers.insert(number(digits));
        series.digits = digits.size();
        series.extension = extension;
    }
    return all;
}

} // namespace

std::optional<PartName> part_name(std::string_view file_name) {
    const auto [stem, extension] = split_extension(file_name);
    std::string_view rest = stem;
    PartName part;
    const std::string_view total = take_digits(rest);
    if (total.empty() || !take_separator(rest) || !take_of(rest) || !take_separator(rest)) return std::nullopt;
    const std::string_view index = take_digits(rest);
    if (index.empty()) return std::nullopt;
    part.before = rest;
    if (!rest.empty() && !take_separator(rest)) return std::nullopt;
    part.base = rest;
    part.extension = extension;
    part.number = number(index);
    part.total = number(total);
    part.digits = index.size();
    part.after = file_name.substr(part.before.size() + index.size());
    return part;
}

std::vector<std::filesystem::path> parts_of(const std::filesystem::path& path) {
    const auto part = part_name(path.filename().string());
    if (!part) return {path};
    if (part->number < 1 || part->number > part->total || part->total > kMostParts) {
        fail(path.string(), "", "its name counts no part of a set",
             fmt::format("part {} of {}", part->number, part->total),
             fmt::format("1 to {}", std::min(std::max<std::uint64_t>(part->total, 1), kMostParts)));
    }
    const auto found = siblings(path, *part);
    FewProblems problems(path.string());
    std::vector<std::filesystem::path> parts;
    for (std::uint64_t i = 1; i <= part->total; ++i) {
        const auto sibling = found.find(i);
        if (sibling != found.end())
            parts.push_back(sibling->second);
        else
            problems.add(name_of(*part, i), "is missing", "", fmt::format("part {} of {}", i, part->total));
    }
    for (const auto& [i, file] : found) {
        if (i < 1 || i > part->total)
            problems.add(file.filename().string(), "is no part of this set", std::to_string(i),
                         fmt::format("1 to {}", part->total));
    }
    problems.throw_if_any();
    return parts;
}

std::vector<std::string> missing_numbers(const std::vector<std::string>& file_names) {
    constexpr std::size_t most = 20;
    const auto all = series_of(file_names);
    const bool zero = std::any_of(all.begin(), all.end(), [](const auto& s) { return s.second.numbers.count(0) > 0; });
    std::vector<std::string> missing;
    for (const auto& [key, series] : all) {
        const std::string base = key.substr(0, key.find('\n'));
        const std::uint64_t last = *series.numbers.rbegin();
        // One file with a number is no series, and neither are names that merely end in one (a year, a size).
        if (series.numbers.size() < 2 || last > 2 * series.numbers.size() + 10) continue;
        for (std::uint64_t i = zero ? 0 : 1; i < last && missing.size() < most; ++i) {
            if (series.numbers.count(i) > 0) continue;
            missing.push_back(fmt::format("{}{:0{}}{}", base, i, series.digits, series.extension));
        }
    }
    return missing;
}

} // namespace spillway
