// A JSON document as the text that every command prints and writes.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace spillway {

// Two blanks per level and a newline at the end. Bytes that are not UTF-8, which names from files may hold, are
// replaced: a document is always valid.
std::string json_text(const nlohmann::ordered_json& document);

} // namespace spillway
