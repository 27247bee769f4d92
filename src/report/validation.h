// How `validate` shows a replayed set, one writer per format from the same struct. The tables' column names are a
// contract; csv holds every replay, json groups and, if asked for, replays.
#pragma once

#include "report/report.h"
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
    std::optional<Comparison> comparison; // with a stored baseline
    double max_worse = kDefaultWorse;
    std::size_t worst = 3; // rows shown
    bool rows = false;     // every replay is shown
    std::string version;
};

// Scores of the groups of one sort as people read them, for pages; JSON has the numbers.
Table score_table(const Validation& validation, GroupBy by);
// One row per replay: what the row states, what was measured and predicted, and why it does not count if it does not.
Table replay_table(const std::vector<const Replay*>& replays);
// The columns of it that fit a page.
Table brief_replay_table(const std::vector<const Replay*>& replays);
std::vector<const Replay*> all_replays(const Validation& validation);

// Per cent without a sign: "13"; a ratio with two decimals, or three digits from 10 on.
std::string whole_percent(double share);
std::string ratio_text(double ratio);
// "1,773 runs, 2,100 speeds: 1,900 compared, 40 are no evidence, ...".
std::string tally_text(const Validation& validation);
// "0.11: glm-5.2 on apple-m5-max-128gb, colibri, decode: 0.2 predicted, 1.83 measured; 92 % storage misses".
std::string replay_text(const Replay& replay);
// What became worse than stored, a line each; the first says that nothing did, or how many kinds did.
std::vector<std::string> comparison_texts(const ValidationReport& report);

std::string validation_text(const ValidationReport& report, const TextOptions& options);
std::string validation_markdown(const ValidationReport& report);
nlohmann::ordered_json validation_json(const ValidationReport& report);
// Predicted over measured on log axes, a row's source on hover, and the same tables.
std::string validation_html(const ValidationReport& report);

} // namespace spillway
