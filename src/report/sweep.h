// What a sweep shows: its table, and in html bars of each case's speed against the target.
#pragma once

#include "report/document.h"

#include <optional>
#include <string>
#include <vector>

namespace spillway {

// What a sweep's document is told beside its rows.
struct SweepView {
    std::vector<std::string> labels; // names of the columns that tell rows apart; those not in the table are ignored
    std::string decode, prefill;     // names of the columns with tok/s; no bars for one that is not in the table
    std::optional<double> target_decode, target_prefill; // tok/s; empty: no line (it differs by row)
    std::vector<std::string> notes;
    std::string version;
};

// Bars are of the first 120 rows in their order, the table of all. Label columns that say the same in every row are
// named once above the bars instead of in each.
Document sweep_document(Table table, const SweepView& view);

} // namespace spillway
