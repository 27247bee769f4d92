// JSON Schemas (draft 7) of the kinds of files, generated from the same fields() that read them.
#pragma once

#include "io/files.h"

#include <nlohmann/json_fwd.hpp>

namespace spillway {

// Accepts what the reader accepts in one file alone: rules that tie fields together and the conversion of units are
// left to the reader.
nlohmann::ordered_json file_schema(FileKind kind);

// The same for scenario sets and calibrations, which are not looked up by name.
nlohmann::ordered_json scenario_set_schema();
nlohmann::ordered_json calibration_schema();

} // namespace spillway
