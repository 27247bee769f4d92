// Levers as people and programs read them: names, values with units, sentences.
#pragma once

#include "explore/levers.h"
#include "report/table.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace spillway {

struct LeverNames {
    std::string_view code;  // in JSON
    std::string_view label; // in text
    std::string_view fixed; // what it holds fixed
};
LeverNames lever_names(LeverId id); // not of LeverId::input
// An input that is no lever of the table goes by its path.
LeverNames lever_names(const LeverAnswer& answer);

// A value in the lever's unit: "91.4 %", "17.7 GB/s", "3.53 bit".
std::string lever_value(LeverUnit unit, double value);

// The nearest value that exists, where there is one: "q3_k, 3.438 bit".
std::string step_text(const LeverAnswer& answer);

// One line for a verdict: "3.53 bits per expert weight instead of 4.25 (next format: q3_k, 3.44 bit) would hold 10
// tok/s".
std::string lever_sentence(const Case& c, const LeverAnswer& answer);

// {"lever","phase","answer","forced","value","whole","current","change","best_tokens_per_second","range":[..],"step","step_value"}
nlohmann::ordered_json lever_json(const LeverAnswer& answer);

// The changes of a case as one text, and as JSON: {"text","decode":lever|null,"prefill":lever|null,"holds_then"}, null
// without changes.
std::string changes_text(const Case& c, const std::vector<LeverAnswer>& changes);
nlohmann::ordered_json changes_json(const Case& c, const std::vector<LeverAnswer>& changes);

// Lever, value now, value that meets the target, change, next real step, what it holds fixed.
Table lever_table(const std::vector<LeverAnswer>& answers);

} // namespace spillway
