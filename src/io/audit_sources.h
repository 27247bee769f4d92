// Which quantities of a file say where they come from, for the audits.
#pragma once

#include "io/audit.h"
#include "io/load_sources.h"
#include "io/write_files.h"

namespace spillway {

// Canonical paths of the quantities that a file states.
struct SourceCover {
    std::size_t quantities = 0;
    std::vector<std::string> unsourced, guesses;
};

// Two checks: that every quantity has a source, and which of them are guesses.
void add_source_audits(const SourceCover& cover, FileAudit& file);

// A value of a file as written, by its path there: counted if it is a number with a meaning of its own.
template <class File>
void cover_value(File& file, const std::string& path, std::string_view prefix, const Sources& sources,
                 SourceCover& cover) {
    const PathResult place = resolve_path(file, path);
    if (!place.found.is_number() || is_sidecar(place.canonical)) return;
    ++cover.quantities;
    const Provenance* const source = source_of(sources, path_join(prefix, place.canonical));
    if (source == nullptr || source->source.empty())
        cover.unsourced.push_back(place.canonical);
    else if (source->basis == Basis::guess)
        cover.guesses.push_back(place.canonical);
}

template <class File>
void cover_below(File& file, const OrderedJson& json, const std::string& path, std::string_view prefix,
                 const Sources& sources, SourceCover& cover) {
    if (json.is_null()) return; // an unknown has no source
    if (!json.is_structured()) return cover_value(file, path, prefix, sources, cover);
    std::size_t index = 0;
    for (const auto& [key, value] : json.items()) {
        const std::string word = json.is_array() ? std::to_string(index++) : key;
        cover_below(file, value, path_join(path, word), prefix, sources, cover);
    }
}

// Walks what the file states: optional members that keep their initial value say "there is none" and need no source.
// `sources` have full paths from `prefix`, the file's object has paths without it.
template <class File>
SourceCover cover_of(File file, std::string_view prefix, const Sources& sources) {
    SourceCover cover;
    cover_below(file, write_object(file), "", prefix, sources, cover);
    return cover;
}

} // namespace spillway
