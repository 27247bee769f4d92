// Which inputs stand behind a term: the paths whose values and sources --explain prints beside it.
#pragma once

#include "engine/estimate.h"
#include "inputs/scenario.h"

#include <string>
#include <vector>

namespace spillway {

// Canonical paths. Empty for a term that follows from others alone.
std::vector<std::string> input_paths(const Case& c, const Term& term);

// "machine.memory.unified.usable" of pool i, canonical.
std::string pool_path(const Case& c, std::size_t pool, std::string_view field);

} // namespace spillway
