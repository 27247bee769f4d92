// What can be had - weight formats, drives, memory sizes of a family - read from the catalogue for break-even.
#pragma once

#include "explore/levers.h"
#include "io/catalogue.h"
#include "io/load_case.h"

namespace spillway {

// Files that cannot be read are left out: they are not what was asked for.
Obtainables obtainable(const LoadedCase& loaded, const Catalogue& catalogue);

} // namespace spillway
