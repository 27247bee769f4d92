// Rows of the measured set as observations. In: a set, and which of its rows. Out: observations of the rows that are
// evidence and can be stated, one per figure asked for.
#pragma once

#include "calibrate/observation.h"
#include "io/measured.h"

#include <string>
#include <vector>

namespace spillway {

// Empty lists take everything.
struct RowChoice {
    std::vector<std::string> runtimes, kinds, models, machines, engines, ids;
    std::vector<Measurand> measurands = {Measurand::decode};
};

struct ChosenRows {
    std::vector<Observation> rows;
    Sources sources; // of the first row's case, for the widths of beliefs
};

// Throws InputError with all problems of the set, or where no row is left.
ChosenRows choose_rows(const MeasuredSet& set, const RowChoice& choice, const Catalogue& catalogue);

} // namespace spillway
