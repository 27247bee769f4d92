#include "text/unit_names.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace spillway::unit_names {
namespace {

// The order decides between equally short texts in print_exact, and kFamilies refers to places.
constexpr std::array<Unit, 13> kSizes{{
    {"B", 0, 0, "bytes"},
    {"kB", 3, 0, "1000 bytes"},
    {"MB", 6, 0, "10^6 bytes"},
    {"GB", 9, 0, "10^9 bytes"},
    {"TB", 12, 0, "10^12 bytes"},
    {"KiB", 0, 10, "1024 bytes"},
    {"MiB", 0, 20, "2^20 bytes"},
    {"GiB", 0, 30, "2^30 bytes"},
    {"TiB", 0, 40, "2^40 bytes"},
    {"bit", 0, -3, "bits"},
    {"kbit", 3, -3, "bits"},
    {"Mbit", 6, -3, "bits"},
    {"Gbit", 9, -3, "bits"},
}};
constexpr std::array<Unit, 4> kTimes{{
    {"ns", -9, 0, "nanoseconds"},
    {"us", -6, 0, "microseconds"},
    {"ms", -3, 0, "milliseconds"},
    {"s", 0, 0, "seconds"},
}};
constexpr std::array<Unit, 5> kFlops{{
    {"FLOP", 0, 0, "operations"},
    {"MFLOP", 6, 0, "10^6 operations"},
    {"GFLOP", 9, 0, "10^9 operations"},
    {"TFLOP", 12, 0, "10^12 operations"},
    {"PFLOP", 15, 0, "10^15 operations"},
}};
constexpr std::array<Unit, 1> kTokens{{{"tok", 0, 0, "tokens"}}};

// Up to two units that a mistaken text may have meant, the likelier first.
struct Candidates {
    const Unit* first = nullptr;
    const Unit* second = nullptr;
};

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
    const auto found = std::find_if(units.begin(), units.end(), [&](const Unit& unit) { return unit.name == name; });
    return found == units.end() ? nullptr : &*found;
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), [](char c) { return unit_names::lower(c); });
    return result;
}

// The unit without the "/s" of a rate, however it is spelled.
std::string_view without_rate_ending(std::string_view unit) {
    constexpr std::array<std::string_view, 4> kEndings{"/s", "/S", "/sec", "/second"};
    for (const std::string_view ending : kEndings) {
        if (unit.ends_with(ending)) {
            unit.remove_suffix(ending.size());
            return unit.substr(0, unit.find_last_not_of(' ') + 1);
        }
    }
    return unit;
}

// The units of a size by prefix, in the columns decimal, binary, bits; an empty name where there is none.
enum Form : std::size_t { decimal_bytes, binary_bytes, bits, no_form };
struct Prefix {
    std::string_view letter;
    std::array<std::string_view, 4> names;
};
constexpr std::array<Prefix, 5> kPrefixes{{
    {"k", {"kB", "KiB", "kbit", ""}},
    {"m", {"MB", "MiB", "Mbit", ""}},
    {"g", {"GB", "GiB", "Gbit", ""}},
    {"t", {"TB", "TiB", "", ""}},
    {"", {"B", "", "bit", ""}},
}};

// What stands behind the prefix in texts that people write, and what they may mean by it. "b" is both the bit of
// network tools and a careless byte; "ib" the same for binary prefixes; a bare prefix leaves the base open. A text is
// looked up as typed, then in lower case.
struct Stem {
    std::string_view text;
    Form first;
    Form second;
};
constexpr std::array<Stem, 16> kStems{{
    {"", decimal_bytes, binary_bytes},
    {"B", decimal_bytes, binary_bytes},
    {"byte", decimal_bytes, binary_bytes},
    {"bytes", decimal_bytes, binary_bytes},
    {"b", bits, decimal_bytes},
    {"bit", bits, no_form},
    {"bits", bits, no_form},
    {"i", binary_bytes, no_form},
    {"iB", binary_bytes, no_form},
    {"ib", binary_bytes, bits},
    {"p", decimal_bytes, bits},
    {"ps", decimal_bytes, bits},
    {"Bps", decimal_bytes, bits},
    {"bps", bits, decimal_bytes},
    {"iBps", binary_bytes, no_form},
    {"ibps", binary_bytes, bits},
}};

const Stem* find_stem(std::string_view text) {
    for (const std::string& wanted : {std::string(text), lower(text)}) {
        for (const Stem& stem : kStems) {
            if (stem.text == wanted) return &stem;
        }
    }
    return nullptr;
}

Candidates guess_size(std::string_view unit) {
    const std::string_view base = without_rate_ending(unit);
    if (const Unit* exact = find_unit(kSizes, base)) return {exact, nullptr};
    const std::string_view letter = base.substr(0, 1);
    for (const Prefix& prefix : kPrefixes) {
        if (!prefix.letter.empty() && prefix.letter != lower(letter)) continue;
        const Stem* stem = find_stem(base.substr(prefix.letter.size()));
        if (stem == nullptr) continue;
        // Without a first there is no advice: for "Tb" the bytes alone would hide that bits were likelier meant.
        return {find_unit(kSizes, prefix.names[stem->first]), find_unit(kSizes, prefix.names[stem->second])};
    }
    return {};
}

Candidates guess_time(std::string_view unit) {
    struct Spellings {
        std::string_view name;
        std::array<std::string_view, 4> texts;
    };
    constexpr std::array<Spellings, 5> kSpellings{{
        {"s", {"s", "sec", "second", "seconds"}},
        {"ms", {"ms", "msec", "millisecond", "milliseconds"}},
        {"us", {"us", "usec", "microsecond", "microseconds"}},
        {"us", {"\u00b5s", "\u00b5sec", "\u03bcs", "\u03bcsec"}}, // micro sign and Greek mu
        {"ns", {"ns", "nsec", "nanosecond", "nanoseconds"}},
    }};
    const std::string wanted = lower(unit);
    for (const Spellings& row : kSpellings) {
        if (std::find(row.texts.begin(), row.texts.end(), wanted) != row.texts.end()) {
            return {find_unit(kTimes, row.name), nullptr};
        }
    }
    return {};
}

// "TFLOPS", "tflop/s", "T": every spelling that differs from a unit only by case, a plural or the missing word.
Candidates guess_flops(std::string_view unit) {
    const std::string wanted = lower(without_rate_ending(unit));
    for (const Unit& flops : kFlops) {
        const std::string name = lower(flops.name);
        const std::string prefix = name.substr(0, name.find("flop"));
        if (wanted == name || wanted == name + "s" || wanted == name + "ps" || wanted == prefix)
            return {&flops, nullptr};
    }
    return {};
}

// "t/s", "tokens/s", "tps": what benchmarks print.
Candidates guess_speed(std::string_view unit) {
    constexpr std::array<std::string_view, 6> kSpellings{"t", "tok", "toks", "token", "tokens", "tps"};
    const std::string wanted = lower(without_rate_ending(unit));
    const bool known = std::find(kSpellings.begin(), kSpellings.end(), wanted) != kSpellings.end();
    return known ? Candidates{&kTokens[0], nullptr} : Candidates{};
}

// All that is said about one dimension. `noun` and `example` are for messages; `bare` is what a number without a unit
// may have meant.
struct Family {
    std::span<const Unit> units;
    std::string_view suffix;
    std::string_view noun;
    std::string_view example;
    Candidates bare;
    Candidates (*guess)(std::string_view unit);
};

// In the order of enum Dimension.
constexpr std::array<Family, 5> kFamilies{{
    {kSizes, "", "size", "240 GiB", {&kSizes[3], &kSizes[7]}, guess_size},
    {kTimes, "", "time", "35 ms", {&kTimes[3], &kTimes[2]}, guess_time},
    {kSizes, "/s", "rate", "6 GB/s", {&kSizes[3], &kSizes[7]}, guess_size},
    {kFlops, "/s", "compute rate", "12.4 TFLOP/s", {&kFlops[3], &kFlops[2]}, guess_flops},
    {kTokens, "/s", "speed", "41.3 tok/s", {&kTokens[0], nullptr}, guess_speed},
}};

const Family& family_of(Dimension dimension) { return kFamilies[static_cast<std::size_t>(dimension)]; }

std::string_view meaning(const Unit& unit, const Unit& other) {
    const bool one_is_bits = unit.binary < 0 || other.binary < 0;
    if (!one_is_bits) return unit.meaning;
    return unit.binary < 0 ? "bits" : "bytes";
}

// write "4 GB" (10^9 bytes) or "4 GiB" (2^30 bytes)
std::string advice(std::string_view number, Candidates candidates, std::string_view suffix) {
    const Unit& first = *candidates.first;
    const std::string digits = shown(number);
    const std::string text = joined({"write \"", digits, " ", first.name, suffix, "\""});
    if (candidates.second == nullptr) return text;
    const Unit& second = *candidates.second;
    return joined({text, " (", meaning(first, second), ") or \"", digits, " ", second.name, suffix, "\" (",
                   meaning(second, first), ")"});
}

const Unit* exact_unit(const Family& family, std::string_view unit) {
    if (!unit.ends_with(family.suffix)) return nullptr;
    return find_unit(family.units, unit.substr(0, unit.size() - family.suffix.size()));
}

} // namespace

std::span<const Unit> units(Dimension dimension) { return family_of(dimension).units; }
std::string_view suffix(Dimension dimension) { return family_of(dimension).suffix; }
std::string_view example(Dimension dimension) { return family_of(dimension).example; }
const Unit* find(Dimension dimension, std::string_view text) { return exact_unit(family_of(dimension), text); }

std::string problem(std::string_view text, std::string_view number, std::string_view unit, Dimension dimension) {
    const Family& family = family_of(dimension);
    if (unit.empty()) return joined({"no unit: ", advice(number, family.bare, family.suffix)});
    const Candidates candidates = family.guess(unit);
    for (const Family& other : kFamilies) {
        if (exact_unit(other, unit) == nullptr) continue;
        const std::string instead = candidates.first != nullptr
                                        ? advice(number, candidates, family.suffix)
                                        : joined({"write a ", family.noun, " such as \"", family.example, "\""});
        return joined({"\"", shown(text), "\" is a ", other.noun, " where a ", family.noun, " belongs: ", instead});
    }
    const std::string found = joined({"unit \"", shown(unit), "\" is "});
    if (candidates.first != nullptr) {
        const std::string_view verdict = candidates.second != nullptr ? "ambiguous: " : "not known: ";
        return joined({found, verdict, advice(number, candidates, family.suffix)});
    }
    std::string names;
    for (const Unit& known : family.units) names += joined({names.empty() ? "" : ", ", known.name, family.suffix});
    return joined({found, "not known: write one of ", names});
}

std::string shown(std::string_view text) {
    constexpr std::size_t kLongest = 40;
    std::string result(text.substr(0, kLongest));
    for (char& c : result) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) c = '?';
    }
    if (text.size() <= kLongest) return result;
    while (!result.empty() && (static_cast<unsigned char>(text[result.size()]) & 0xc0) == 0x80) result.pop_back();
    return result + "...";
}

std::string joined(std::initializer_list<std::string_view> parts) {
    std::string text;
    for (const std::string_view part : parts) text += part;
    return text;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

} // namespace spillway::unit_names
