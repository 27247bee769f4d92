#include "text/path_walk.h"

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

} // namespace spillway
