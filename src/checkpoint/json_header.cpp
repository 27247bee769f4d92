#include "checkpoint/json_header.h"

#include "checkpoint/byte_reader.h"
#include "io/json_file.h"

#include <nlohmann/json.hpp>

namespace spillway {

namespace {

// Looking for the place builds a second tree, which is worth it only for what a person could read.
constexpr std::size_t kLongestSearched = 1u << 20;

[[noreturn]] void report(std::string_view text, simdjson::error_code error, const std::string& shown) {
    if (text.size() <= kLongestSearched) {
        Problems problems;
        parse_json(text, shown, problems);
        throw_if_any(problems);
    }
    fail(shown, "", "has a header that is not valid JSON", simdjson::error_message(error), "valid JSON");
}

} // namespace

simdjson::dom::object parse_header(simdjson::dom::parser& parser, const simdjson::padded_string& text,
                                   const std::string& shown) {
    simdjson::dom::element root;
    const simdjson::error_code error = parser.parse(text).get(root);
    if (error != simdjson::SUCCESS) report(text, error, shown);
    simdjson::dom::object object;
    if (root.get(object) != simdjson::SUCCESS) {
        fail(shown, "", "has a header that is no JSON object", std::string(kind_text(root)), "an object");
    }
    return object;
}

std::string_view kind_text(const simdjson::dom::element& value) {
    using simdjson::dom::element_type;
    switch (value.type()) {
    case element_type::ARRAY: return "an array";
    case element_type::OBJECT: return "an object";
    case element_type::INT64: return "a negative number";
    case element_type::UINT64: return "a number";
    case element_type::DOUBLE: return "a number with a point or exponent";
    case element_type::STRING: return "a string";
    case element_type::BOOL: return "a boolean";
    case element_type::NULL_VALUE: return "null";
    }
    return "";
}

} // namespace spillway
