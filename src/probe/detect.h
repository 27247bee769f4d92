// `-d this`: a machine file of the system that runs the program. Sizes are detected, rates are unknown until somebody
// measures them; every value says where it comes from, and any of them can be replaced with --set.
#pragma once

#include "io/files.h"
#include "probe/system.h"

#include <string>
#include <vector>

namespace spillway {

struct Detection {
    MachineFile file;
    std::vector<std::string> remarks; // what looked odd: a limit half of what was configured, cores seen
};

// Rules: a unified machine has one pool (never VRAM beside the same RAM); an integrated GPU without memory of its own
// gets none; a limit of 0 means the system's default, which is unknown where no rule for that size is known; RAM in
// use by other processes is not usable, page cache is.
Detection detect(const SystemTexts& texts);

} // namespace spillway
