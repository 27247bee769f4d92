// Builds a JSON value from the library's parser events and watches what the library lets pass: keys given twice, and
// nesting without end. Reports where it is as a JSON pointer.
#pragma once

#include "io/json_file.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spillway {

// Where the parser gave up: bytes consumed, the last token, and the library's message.
struct SyntaxError {
    std::size_t position = 0;
    std::string token, message;
};

// `~` and `/` are escaped in a pointer (RFC 6901).
std::string pointer_step(std::string_view key);

// A SAX handler of nlohmann/json; the names and signatures of its functions are the library's.
class JsonBuilder {
public:
    using json = nlohmann::json;

    JsonBuilder(std::string shown, Problems& problems) : shown_(std::move(shown)), problems_(problems) {}

    bool null() { return add(json()); }
    bool boolean(bool value) { return add(json(value)); }
    bool number_integer(json::number_integer_t value) { return add(json(value)); }
    bool number_unsigned(json::number_unsigned_t value) { return add(json(value)); }
    bool number_float(json::number_float_t value, const json::string_t&) { return add(json(value)); }
    bool string(json::string_t& value) { return add(json(std::move(value))); }
    bool binary(json::binary_t&) { return false; } // JSON text has none
    bool start_object(std::size_t) { return open(json::object()); }
    bool start_array(std::size_t) { return open(json::array()); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(json::string_t& name);
    bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& error);

    const std::optional<SyntaxError>& syntax_error() const { return error_; }
    // Of the value that is being read.
    std::string pointer() const;
    json take() { return std::move(root_); }

private:
    // An object or list that is not complete yet.
    struct Level {
        json value;
        std::string key;        // of the member that comes next
        bool duplicate = false; // that member is given a second time: read and dropped
    };

    bool add(json value);
    bool open(json value);
    bool close();

    std::string shown_;
    Problems& problems_;
    json root_;
    std::vector<Level> levels_;
    std::optional<SyntaxError> error_;
};

} // namespace spillway
