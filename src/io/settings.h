// "path=value" texts from the command line: taken apart, and applied to a loaded case with basis "given".
#pragma once

#include "io/load_case.h"
#include "io/problem.h"

#include <string>
#include <string_view>
#include <vector>

namespace spillway {

inline constexpr std::string_view kSetFlag = "--set";

struct Setting {
    std::string path, value;
};

// `runtime` and `locality` are names from "scenario.runtime=NAME" and "scenario.locality=NAME", empty if not given;
// these choose files and hold before any other setting. The last one counts.
struct Settings {
    std::vector<Setting> values;
    std::string runtime, locality;
};

// A text without '=', or whose path begins with none of machine, model, scenario, quantization, is a problem.
Settings split_settings(const std::vector<std::string>& texts, Problems& problems);

// Applies those whose path begins with `root`, in their order.
void apply_settings(const Settings& settings, std::string_view root, LoadedCase& loaded, Problems& problems);

} // namespace spillway
