#include "text/units.h"

#include "text/unit_names.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>
#include <system_error>
#include <utility>

namespace spillway {
namespace {

using unit_names::joined;
using unit_names::lower;
using unit_names::shown;
using unit_names::Unit;

// ---- numbers ----

// A text taken apart. `digits` is the mantissa and `number` the mantissa with its exponent, as typed and without sign;
// `digits` is empty when the text does not start with a number. `unit` is what follows, without spaces around it.
struct NumberText {
    std::string_view digits;
    std::string_view number;
    std::string_view unit;
    long exponent = 0;
    bool negative = false;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t'; }

std::size_t digits_end(std::string_view text, std::size_t at) {
    while (at < text.size() && is_digit(text[at])) ++at;
    return at;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

// Far beyond a double, far below overflow of a long: an exponent that no arithmetic here can wrap.
constexpr long kExponentLimit = 100'000'000;

// Reads the exponent at `at`, if there is a complete one, and moves `at` behind it. "5e" and "5 EB" have none.
long take_exponent(std::string_view text, std::size_t& at) {
    if (at >= text.size() || lower(text[at]) != 'e') return 0;
    std::size_t begin = at + 1;
    const bool negative = begin < text.size() && text[begin] == '-';
    if (begin < text.size() && (text[begin] == '-' || text[begin] == '+')) ++begin;
    const std::size_t end = digits_end(text, begin);
    if (end == begin) return 0;
    at = end;
    long exponent = 0;
    const auto read = std::from_chars(text.data() + begin, text.data() + end, exponent);
    if (read.ec != std::errc{}) exponent = kExponentLimit;
    exponent = std::min(exponent, kExponentLimit);
    return negative ? -exponent : exponent;
}

NumberText take_apart(std::string_view text) {
    text = trimmed(text);
    NumberText result;
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        result.negative = text.front() == '-';
        text.remove_prefix(1);
    }
    std::size_t at = digits_end(text, 0);
    if (at < text.size() && text[at] == '.') {
        const std::size_t end = digits_end(text, at + 1);
        at = end > 1 ? end : 0; // a lone point is no number
    }
    result.digits = text.substr(0, at);
    if (at > 0) result.exponent = take_exponent(text, at);
    result.number = text.substr(0, at);
    result.unit = trimmed(text.substr(at));
    return result;
}

// What is wrong with the number itself, or an empty string. "1,000", "1 000", "1'000", "1.2.3" and "0x10" all leave a
// rest that shows it.
std::string number_problem(const NumberText& parts, std::string_view text, std::string_view example) {
    const std::string found = joined({"\"", shown(text), "\""});
    if (trimmed(text).empty()) return joined({"empty text: write a number, such as \"", example, "\""});
    if (parts.digits.empty()) {
        return joined({found, " does not start with a number: write one in plain digits, such as \"", example, "\""});
    }
    constexpr std::string_view kSeparators = ",._'";
    const char next = parts.unit.empty() ? ' ' : parts.unit.front();
    const bool hexadecimal = parts.digits == "0" && lower(next) == 'x';
    if (hexadecimal || is_digit(next) || kSeparators.find(next) != std::string_view::npos) {
        constexpr std::string_view kAdvice = "write digits without separators and a decimal point, such as ";
        return joined({found, " is not a plain decimal number: ", kAdvice, "\"", example, "\""});
    }
    const bool is_zero = parts.digits.find_first_not_of("0.") == std::string_view::npos;
    if (parts.negative && !is_zero) return joined({found, " is negative: write a value of 0 or more"});
    return {};
}

// number * 10^decimal * 2^binary, rounded once: the decimal power goes into the text, the binary power is exact.
ParsedNumber scaled(const NumberText& parts, std::string_view text, int decimal, int binary) {
    const std::string digits = joined({parts.digits, "e", std::to_string(parts.exponent + decimal)});
    double value = 0.0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const double result = std::ldexp(value, binary);
    if (read.ec != std::errc{} || !std::isfinite(result) || (value > 0.0 && result <= 0.0)) {
        constexpr std::string_view kRange = "write 0 or a value between 1e-300 and 1e+300 in base units";
        return {std::nullopt, joined({"\"", shown(text), "\" is too large or too small: ", kRange})};
    }
    return {result, {}};
}

// ---- printing ----

// A unit of reports. It serves values that round to 10^from base units or more, and prints them without decimals from
// 10^whole on.
struct ShortUnit {
    std::string_view name;
    int decimal;
    int from;
    int whole;
};
constexpr int kNever = 1000; // above every exponent of a double
constexpr std::array<ShortUnit, 5> kShortSizes{
    {{"B", 0, -kNever, kNever}, {"kB", 3, 3, kNever}, {"MB", 6, 6, kNever}, {"GB", 9, 9, 11}, {"TB", 12, 13, kNever}}};
constexpr std::array<ShortUnit, 4> kShortTimes{
    {{"ns", -9, -kNever, kNever}, {"us", -6, -6, kNever}, {"ms", -3, -3, kNever}, {"s", 0, 0, kNever}}};
constexpr std::array<ShortUnit, 4> kShortRates{
    {{"B", 0, -kNever, kNever}, {"kB", 3, 3, kNever}, {"MB", 6, 6, kNever}, {"GB", 9, 8, kNever}}};
constexpr std::array<ShortUnit, 4> kShortFlops{
    {{"FLOP", 0, -kNever, kNever}, {"MFLOP", 6, 6, kNever}, {"GFLOP", 9, 9, kNever}, {"TFLOP", 12, 11, kNever}}};
constexpr std::array<ShortUnit, 1> kShortSpeeds{{{"tok", 0, -kNever, kNever}}};

// In the order of enum Dimension. `zero` is the unit in which nothing at all is printed.
struct ShortUnits {
    std::span<const ShortUnit> units;
    std::string_view zero;
};
constexpr std::array<ShortUnits, 5> kShortUnits{{{kShortSizes, "0 B"},
                                                 {kShortTimes, "0 s"},
                                                 {kShortRates, "0 B/s"},
                                                 {kShortFlops, "0 FLOP/s"},
                                                 {kShortSpeeds, "0 tok/s"}}};

const ShortUnits& short_units(Dimension dimension) { return kShortUnits[static_cast<std::size_t>(dimension)]; }

// The significant digits of a number d.ddd * 10^exponent.
struct Digits {
    std::string digits;
    int exponent = 0;
};

// Splits what std::to_chars writes in scientific form. `precision` is the number of digits behind the first one, or
// negative for the shortest text that reads back as the same double.
Digits digits_of(double value, int precision) {
    std::array<char, 64> buffer{};
    char* const end = buffer.data() + buffer.size();
    const auto written = precision < 0
                             ? std::to_chars(buffer.data(), end, value, std::chars_format::scientific)
                             : std::to_chars(buffer.data(), end, value, std::chars_format::scientific, precision);
    Digits result;
    const char* const mark = std::find(buffer.data(), written.ptr, 'e');
    std::copy_if(static_cast<const char*>(buffer.data()), mark, std::back_inserter(result.digits), is_digit);
    const char* const power = mark + (mark[1] == '+' ? 2 : 1);
    std::from_chars(power, written.ptr, result.exponent);
    return result;
}

// Plain notation unless that takes more than a handful of zeros that carry no information.
std::string laid_out(const Digits& number) {
    constexpr int kMostZeros = 6;
    const std::string& digits = number.digits;
    const int count = static_cast<int>(digits.size());
    const int before_point = number.exponent + 1;
    if (before_point > count + kMostZeros || before_point < 1 - kMostZeros) {
        const std::string_view point = count > 1 ? "." : "";
        return joined({digits.substr(0, 1), point, digits.substr(1), "e", std::to_string(number.exponent)});
    }
    if (before_point <= 0) return joined({"0.", std::string(static_cast<std::size_t>(-before_point), '0'), digits});
    if (before_point >= count) return digits + std::string(static_cast<std::size_t>(before_point - count), '0');
    const auto at = static_cast<std::size_t>(before_point);
    return joined({digits.substr(0, at), ".", digits.substr(at)});
}

std::string fixed(double value, int decimals) {
    std::array<char, 512> buffer{}; // the largest double has 309 digits
    const auto written =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals);
    return std::string(buffer.data(), written.ptr);
}

} // namespace

ParsedNumber parse_quantity(std::string_view text, Dimension dimension) {
    const NumberText parts = take_apart(text);
    std::string problem = number_problem(parts, text, unit_names::example(dimension));
    if (!problem.empty()) return {std::nullopt, std::move(problem)};
    const Unit* unit = unit_names::find(dimension, parts.unit);
    if (unit == nullptr) return {std::nullopt, unit_names::problem(text, parts.number, parts.unit, dimension)};
    return scaled(parts, text, unit->decimal, unit->binary);
}

ParsedNumber parse_ratio(std::string_view text) {
    const NumberText parts = take_apart(text);
    std::string problem = number_problem(parts, text, "91 %");
    if (!problem.empty()) return {std::nullopt, std::move(problem)};
    if (parts.unit.empty()) return scaled(parts, text, 0, 0);
    if (parts.unit == "%") return scaled(parts, text, -2, 0);
    return {std::nullopt,
            joined({"\"", shown(text), "\" is not a ratio: write it as \"91 %\" or as a plain number, \"0.91\""})};
}

std::string print_exact(double base_units, Dimension dimension) {
    assert(std::isfinite(base_units) && base_units >= 0.0);
    if (base_units == 0.0) return std::string(short_units(dimension).zero);
    constexpr std::size_t kPowerCost = 6; // "800 GB/s" reads better than the shorter "8e11 B/s"
    std::string best;
    std::size_t best_cost = std::string::npos;
    for (const Unit& unit : unit_names::units(dimension)) {
        if (unit.binary < 0) continue; // bits are read, for links, but never chosen
        Digits number = digits_of(std::ldexp(base_units, -unit.binary), -1);
        number.exponent -= unit.decimal;
        std::string text = joined({laid_out(number), " ", unit.name, unit_names::suffix(dimension)});
        const std::size_t cost = text.size() + (text.find('e') != std::string::npos ? kPowerCost : 0);
        // The check matters where a binary prefix would take the value below the smallest normal double.
        if (cost >= best_cost || parse_quantity(text, dimension).value != base_units) continue;
        best = std::move(text);
        best_cost = cost;
    }
    return best;
}

std::string print_short(double base_units, Dimension dimension) {
    assert(std::isfinite(base_units));
    const auto& [units, zero] = short_units(dimension);
    if (base_units == 0.0) return std::string(zero);
    const double magnitude = std::fabs(base_units);
    Digits number = digits_of(magnitude, 2); // rounded before the unit is chosen: 999.9 MB is 1.00 GB
    const ShortUnit* unit = &units.front();
    for (const ShortUnit& larger : units) {
        if (number.exponent >= larger.from) unit = &larger;
    }
    const bool whole = number.exponent >= unit->whole;
    number.exponent -= unit->decimal;
    const std::string digits = whole ? fixed(magnitude / std::pow(10.0, unit->decimal), 0) : laid_out(number);
    return joined({base_units < 0.0 ? "-" : "", digits, " ", unit->name, unit_names::suffix(dimension)});
}

std::string print_gib(Bytes bytes) {
    assert(std::isfinite(bytes.value));
    std::string text = fixed(bytes.value / kGiB, 2);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    if (text == "-0") text = "0";
    return text + " GiB";
}

} // namespace spillway
