// What others measured near a case: rows of the measured set that share the model, the engine or the machine with it.
// In: the set and a loaded case. Out: at most three rows with how they are near; none says that nothing is.
#pragma once

#include "io/measured.h"

#include <optional>
#include <string>
#include <vector>

namespace spillway {

// this_case: the same model and engine on the same machine. this_machine: another model with the same engine on it.
// this_model: the same model elsewhere, or with another engine.
enum class Nearness { this_case, this_machine, this_model };
template <>
struct EnumNames<Nearness> {
    static constexpr std::array<std::string_view, 3> names = {"this_case", "this_machine", "this_model"};
};

struct NearRun {
    Nearness nearness = Nearness::this_case;
    std::string source; // the row's, or its file's
    MeasuredRun run;
};

// The nearest row of each kind of nearness that has one, that in decode at the nearest depth and width of weights
// first. Rows that are no evidence are left out. A case with the runtime "generic" names no engine: any will do.
std::vector<NearRun> nearest_runs(const MeasuredSet& set, const LoadedCase& loaded);

// The same from the catalogue's own set, of which only the rows found are read: a report must not wait for a thousand
// others. Files that cannot be read are left to `validate` and `check` to judge. Empty: the catalogue has no such set.
std::optional<std::vector<NearRun>> nearest_runs(const Catalogue& catalogue, const LoadedCase& loaded);

} // namespace spillway
