// Names of files that belong together: model-00002-of-00003.gguf, and numbered files without a total.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// "BASE-00002-of-00003.EXT" taken apart; each of the three separators may be '-', '.' or '_', a base of no characters
// is allowed. `before` and `after` are the text around the number, for naming a part that is missing.
struct PartName {
    std::string base;      // without separator
    std::string extension; // with its point
    std::string before, after;
    std::uint64_t number = 0;
    std::uint64_t total = 0;
    std::size_t digits = 5;
};

// Nothing if the name is not of that form.
std::optional<PartName> part_name(std::string_view file_name);

// All parts, in order, of the set that `path` belongs to by base name, extension and total; the path alone if its name
// is not of that form. Throws InputError on a number outside 1 to total and on missing parts, which are named.
std::vector<std::filesystem::path> parts_of(const std::filesystem::path& path);

// The files that gaps in numbered names without a total point to: of out-00001, out-00003 and mtp-00000, these are
// out-00000 (another series starts with 0) and out-00002. At most 20.
std::vector<std::string> missing_numbers(const std::vector<std::string>& file_names);

} // namespace spillway
