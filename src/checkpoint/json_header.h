// The JSON of checkpoint headers, which can have tens of megabytes: parsed and fully checked by simdjson (1 GB/s here,
// nlohmann/json 0.1), with io's parser asked for the place where something is wrong. Included by .cpp files only.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spillway {

// The object that `text` holds. Throws InputError if it is not JSON, not UTF-8 or no object. The result lives as long
// as the parser and is gone with its next use.
simdjson::dom::object parse_header(simdjson::dom::parser& parser, const simdjson::padded_string& text,
                                   const std::string& shown);

// "a string", "a number"... for problems.
std::string_view kind_text(const simdjson::dom::element& value);

} // namespace spillway
