// Paths of inputs, as reports name them.
#pragma once

#include "inputs/scenario.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace spillway {

// The path of a field of a memory pool, by the pool's name where that finds it.
std::string pool_path(const Case& c, std::size_t pool, std::string_view field);

} // namespace spillway
