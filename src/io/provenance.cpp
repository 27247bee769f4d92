#include "io/provenance.h"

#include "text/path_walk.h"

namespace spillway {

namespace {
bool covers(std::string_view group, std::string_view path) {
    return group.empty() || path_after(path, group).has_value();
}
} // namespace

const Provenance* source_of(const Sources& sources, std::string_view path) {
    const std::pair<std::string, Provenance>* best = nullptr;
    for (const auto& entry : sources) {
        if (!covers(entry.first, path)) continue;
        if (best == nullptr || entry.first.size() >= best->first.size()) best = &entry;
    }
    return best == nullptr ? nullptr : &best->second;
}

void drop_sources(Sources& sources, std::string_view path) {
    std::erase_if(sources, [path](const auto& entry) { return covers(path, entry.first); });
}

} // namespace spillway
