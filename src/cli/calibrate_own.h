// The form of `calibrate` that takes a factor from one's own run. In: the case, and figures or a llama-bench output.
// Out: the factor on standard output and, with -o, as a calibration file for --calibration.
#pragma once

#include "cli/app.h"

#include <string>
#include <vector>

namespace spillway {

struct OwnRunFlags {
    std::vector<std::string> measured; // "decode=41.3 tok/s"
    std::string llama_bench, date;
};

int calibrate_own(const CaseRequest& request, const OwnRunFlags& flags, const OutputFlags& output);

} // namespace spillway
