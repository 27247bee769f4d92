// `-d this`: a machine file of the system that runs the program. Sizes are detected, rates are unknown until somebody
// measures them; every value says where it comes from, and any of them can be replaced with --set.
//
// The room src/probe: this machine -> a machine file. In: what the system says (system.h reads it, the only place that
// does). Out: a file as io/files.h has it, unknown where nothing was said. Read first: detect.cpp; its tests are texts
// that other machines gave.
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
