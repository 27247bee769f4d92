// Text with a unit <-> quantity: "240 GiB", "6 GB/s", "35 ms", "12.4 TFLOP/s", "41.3 tok/s", "91 %". The only place
// that knows unit suffixes. GB is 10^9 bytes, GiB is 2^30 bytes, bit units are spelled out; whatever could be read in
// two ways is refused with both readings. Free of locale: numbers have a decimal point everywhere.
//
// The room src/text: the border between words and values. It sees inputs/ and nothing else.
// In: text that a person wrote. Out: a value of a field, or a problem that says what to write instead.
// Read first: this file (unit_names.h is its inner half), then field_value.h (one field of any type), path_walk.h (a
// dotted path in any struct that describes itself), paths.h (such a path in a Case: --set, axes, levers), near.h.
#pragma once

#include "inputs/quantity.h"

#include <optional>
#include <string>
#include <string_view>

namespace spillway {

// What a text was read as: either `value` (base units) or `problem`, which says what was found and what to write
// instead. Exactly one of the two is filled.
struct ParsedNumber {
    std::optional<double> value;
    std::string problem;
};

// What kind of quantity a text stands for; decides which units it may carry.
enum class Dimension { bytes, seconds, bytes_per_second, flops_per_second, tokens_per_second };

// Reads a decimal number and a unit of `dimension`, with or without spaces around and between them, and returns base
// units (bytes, seconds, B/s, FLOP/s, tok/s). Decimal prefixes are applied to the text before rounding, so "4000 MB"
// and "4 GB" are the same double. Refused, with the reason: no number, no unit, an ambiguous or unknown unit, a unit of
// another dimension, a negative number, separators between digits, and values that a double cannot hold.
ParsedNumber parse_quantity(std::string_view text, Dimension dimension);

// Reads "91 %" or "0.91" as 0.91. Negative and other texts are refused; a bare number above 1 is not, since how large
// a ratio may be is known to its field.
ParsedNumber parse_ratio(std::string_view text);

// The shortest text that parse_quantity reads back as the identical double: "240 GiB", "6 GB/s". Plain notation is
// preferred to powers of ten; of equally short texts a decimal prefix wins over a binary one, then the smaller unit.
// `base_units` is finite and not negative.
std::string print_exact(double base_units, Dimension dimension);

// For reports: three significant digits, decimal prefixes: "28.8 MB", "4.51 GB", "35.0 ms". Sizes from 100 GB to 10 TB
// are whole GB ("1560 GB"), so that a model and a memory can be compared by eye; rates from 0.1 GB/s are in GB/s and
// compute from 0.1 TFLOP/s in TFLOP/s. `base_units` is finite; a difference may be negative.
std::string print_short(double base_units, Dimension dimension);

// For reports, memory as it is sold: up to two decimals without trailing zeros: "240 GiB", "17.76 GiB".
std::string print_gib(Bytes bytes);

// The dimension that belongs to a quantity type, so that callers with a typed value need not name it.
template <class Q>
struct DimensionOf;
template <>
struct DimensionOf<Bytes> {
    static constexpr Dimension value = Dimension::bytes;
};
template <>
struct DimensionOf<Seconds> {
    static constexpr Dimension value = Dimension::seconds;
};
template <>
struct DimensionOf<BytesPerSecond> {
    static constexpr Dimension value = Dimension::bytes_per_second;
};
template <>
struct DimensionOf<FlopsPerSecond> {
    static constexpr Dimension value = Dimension::flops_per_second;
};
// Tokens are a count, so that a rate of anything else per second would share this type; there is none in any file.
template <>
struct DimensionOf<PerSecond> {
    static constexpr Dimension value = Dimension::tokens_per_second;
};

// print_exact and print_short of a typed quantity.
template <class Q>
inline std::string print_exact(Q q) {
    return print_exact(q.value, DimensionOf<Q>::value);
}
template <class Q>
inline std::string print_short(Q q) {
    return print_short(q.value, DimensionOf<Q>::value);
}

} // namespace spillway
