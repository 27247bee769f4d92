// From the words of a sweep - lists with globs, axes - to its grid.
#pragma once

#include "explore/sweep.h"
#include "io/catalogue.h"
#include "io/load_case.h"

#include <string>
#include <vector>

namespace spillway {

struct SweepRequest {
    std::vector<std::string> models, machines, quants, scenarios, settings;
    std::string calibration;       // a file of own runs, for every case; none if empty
    std::vector<std::string> vary; // "PATH=FROM:TO:STEPS" or "PATH=A,B,C"
};

// What names a base case in a row.
struct BaseLabels {
    std::string model, machine, quant, scenario;
};

struct SweepGrid {
    Grid grid;
    std::vector<BaseLabels> labels;                   // one per base case
    std::vector<std::string> skipped;                 // "model X has no quantization Y": left out, not an error
    double target_decode = 0.0, target_prefill = 0.0; // of the first base case
};

// Throws InputError with every problem found. A quantization that some of the models have is skipped for the others;
// one that none has is a problem.
SweepGrid sweep_grid(const SweepRequest& request, const Catalogue& catalogue);

} // namespace spillway
