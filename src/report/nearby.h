// What others measured near a case, as a report says it: one sentence per row, three at most, or that nothing like the
// case was ever measured. In: the rows that nearest_runs() found. Out: sentences for people, and the same as JSON.
#pragma once

#include "validate/nearest.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace spillway {

// "this model and engine on this machine: 35.5 tok/s decode (8.866 bits; 2026-05-16; who/repo path)".
std::vector<std::string> nearby_texts(const std::vector<NearRun>& near);

// [{"nearness","id","model","machine","quant","engine","build","settings","decode_tokens_per_second",...,"source"}]
nlohmann::ordered_json nearby_json(const std::vector<NearRun>& near);

} // namespace spillway
