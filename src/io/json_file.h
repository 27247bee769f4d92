// Reads one JSON file with everything that can be wrong with it reported as problems: missing, a directory, too large,
// empty, cut off, malformed (with line and column), not UTF-8, keys given twice, nested without end. nlohmann/json
// alone would keep the last of two equal keys in silence.
#pragma once

#include "io/problem.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace spillway {

inline constexpr std::uintmax_t kMaxFileBytes = 64u << 20; // the largest model manifest is below 1 MB
inline constexpr int kMaxNesting = 64;                     // our files need 8

// A file that could be parsed. `shown` is its name in problems.
struct JsonFile {
    std::string shown;
    std::filesystem::path path;
    std::shared_ptr<const nlohmann::json> value;
    std::string bytes;
};

// FNV-1a, 64 bit; chained through `start` for several texts.
inline constexpr std::uint64_t kFnvStart = 14695981039346656037ull;
std::uint64_t fnv1a(std::string_view bytes, std::uint64_t start = kFnvStart);

// Empty where the file gave no JSON value; a value with duplicate keys is returned (first ones kept) beside its
// problems, so that the rest of the file is checked as well.
std::optional<JsonFile> read_json_file(const std::filesystem::path& path, const std::string& shown, Problems& problems);

// The same for text that is at hand.
std::optional<nlohmann::json> parse_json(std::string_view text, const std::string& shown, Problems& problems);

} // namespace spillway
