// Where the values of a loaded case come from: paths with a basis and a source. A path covers all that lies below it;
// the longest that covers a value counts, and of equal ones the last.
#pragma once

#include "io/sidecar.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillway {

struct Provenance {
    Basis basis = Basis::guess;
    std::string source;
};

// Full paths such as "machine.memory.unified.bandwidth".
using Sources = std::vector<std::pair<std::string, Provenance>>;

// Null where nothing is said.
const Provenance* source_of(const Sources& sources, std::string_view path);

// Forgets what was said about `path` and all below it.
void drop_sources(Sources& sources, std::string_view path);

} // namespace spillway
