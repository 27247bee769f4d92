// Turns the `sources` of a file into provenance with full, canonical paths.
#pragma once

#include "io/load_files.h"
#include "text/path_walk.h"

#include <array>

namespace spillway {

// Keys of a file that are not part of the Case.
inline bool is_sidecar(std::string_view path) {
    constexpr std::array<std::string_view, 11> keys = {"$schema",    "format",     "kind",    "published",
                                                       "exceptions", "file_sizes", "quality", "sources",
                                                       "family",     "parts",      "base"};
    return std::find(keys.begin(), keys.end(), path_head(path)) != keys.end();
}

// Compiled once, in file_paths.cpp.
extern template PathResult resolve_path(ModelFile&, std::string_view);
extern template PathResult resolve_path(MachineFile&, std::string_view);
extern template PathResult resolve_path(PartFile&, std::string_view);
extern template PathResult resolve_path(ScenarioFile&, std::string_view);
extern template PathResult resolve_path(RuntimeFile&, std::string_view);
extern template PathResult resolve_path(LocalityFile&, std::string_view);

template <class File>
void add_sources(LoadContext& context, const std::string& shown, File& file, std::string_view prefix,
                 Sources& sources) {
    for (std::size_t i = 0; i < file.sources.size(); ++i) {
        const Source& source = file.sources[i];
        PathResult place;
        if (!source.of.empty()) {
            place = resolve_path(file, source.of);
            if (place.end == PathEnd::failed) {
                context.problems.push_back({shown, "/sources/" + std::to_string(i) + "/of", '"' + source.of + '"',
                                            "a path of this file's fields", place.problem->message});
                continue;
            }
            if (is_sidecar(place.canonical)) continue;
        }
        sources.emplace_back(path_join(prefix, place.canonical), Provenance{source.basis, source.source});
    }
}

} // namespace spillway
