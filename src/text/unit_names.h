// The names of units and what people write instead of them: tables of units per dimension, and the messages for a text
// that names none of them. The inner half of units.cpp; nothing else includes it. Sizes and rates share one table; a
// rate adds "/s".
#pragma once

#include "text/units.h"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace spillway::unit_names {

// One unit is 10^decimal * 2^binary base units. A negative power of two marks the bit units (2^-3 bytes). `name` is
// without the dimension's suffix; `meaning` is shown where two readings are offered.
struct Unit {
    std::string_view name;
    int decimal = 0;
    int binary = 0;
    std::string_view meaning;
};

// The units of a dimension, ascending and decimal before binary, without their suffix.
std::span<const Unit> units(Dimension dimension);

// "/s" for the two kinds of rate, empty otherwise.
std::string_view suffix(Dimension dimension);

// A text that parse_quantity accepts, for messages: "240 GiB".
std::string_view example(Dimension dimension);

// The unit of `dimension` that is spelled exactly `text` (with suffix), or null.
const Unit* find(Dimension dimension, std::string_view text);

// Why `unit`, which find() does not know, cannot stand behind `number` (both as typed, `text` is the whole), and what
// to write instead: up to two likely meanings, or the list of units.
std::string problem(std::string_view text, std::string_view number, std::string_view unit, Dimension dimension);

// The text as a message may show it: at most 40 bytes, without control characters that would act on a terminal.
std::string shown(std::string_view text);

// The parts one after the other.
std::string joined(std::initializer_list<std::string_view> parts);

// A to z for A to Z and all else unchanged: the C library's tolower depends on the locale.
char lower(char c);

} // namespace spillway::unit_names
