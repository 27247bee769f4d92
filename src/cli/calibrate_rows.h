// The form of `calibrate` that fits inputs to rows of the measured set. In: its flags. Out: the answer on standard
// output and, with -o, a copy of the runtime or machine file.
#pragma once

#include "calibrate/rows.h"
#include "cli/app.h"

#include <optional>
#include <string>
#include <vector>

namespace spillway {

struct RowFlags {
    std::vector<std::string> files, fit, figures;
    RowChoice choice;
    std::string loss = "huber", leave_out;
    std::optional<double> prior;
};

int calibrate_rows(const RowFlags& flags, const OutputFlags& output);

} // namespace spillway
