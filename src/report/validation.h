// How `validate` shows a replayed set. The names of the table's columns are a contract.
#pragma once

#include "report/document.h"
#include "report/table.h"
#include "validate/baseline.h"
#include "validate/validation.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace spillway {

struct ValidationReport {
    Validation validation;
    std::optional<BaselineComparison> comparison; // with a stored baseline
    double max_worse = kDefaultWorse;
    std::size_t worst = 3; // rows shown
    bool rows = false;     // every replay is shown
    std::string version;
};

// One row per replay: what the row states, what was measured and predicted, and why it does not count if it does not.
Table replay_table(const std::vector<const Replay*>& replays);
// The columns of it that fit a page.
Table brief_replay_table(const std::vector<const Replay*>& replays);
std::vector<const Replay*> all_replays(const Validation& validation);

// "1,773 runs, 2,100 speeds: 1,900 compared, 40 are no evidence, ...".
std::string tally_text(const Validation& validation);
// "0.11: glm-5.2 on apple-m5-max-128gb, colibri, decode: 0.2 predicted, 1.83 measured; 92 % storage misses".
std::string replay_text(const Replay& replay);
// What became worse than stored, a line each; the first says that nothing did, or how many kinds did.
std::vector<std::string> comparison_texts(const ValidationReport& report);

// Text is one screen: kinds, the rows furthest off. Pages have predicted over measured on log axes, with a row's source
// on hover, and the scores of engines, classes of machines and models; csv has every replay.
Document validation_document(const ValidationReport& report);
nlohmann::ordered_json validation_json(const ValidationReport& report);

} // namespace spillway
