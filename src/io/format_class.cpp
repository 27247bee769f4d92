#include "io/format_class.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

namespace spillway {

namespace {

struct NamePart {
    std::string_view part;
    FormatClass is;
};

// The first that a name holds counts. '_' and '-' are the same.
constexpr std::array<NamePart, 28> kNames = {
    {{"mxfp4", FormatClass::fp4},    {"nvfp4", FormatClass::fp4},    {"iq1", FormatClass::i_quant},
     {"iq2", FormatClass::i_quant},  {"iq3", FormatClass::i_quant},  {"iq4", FormatClass::i_quant},
     {"fp8", FormatClass::fp8},      {"q2-k", FormatClass::k_quant}, {"q3-k", FormatClass::k_quant},
     {"q4-k", FormatClass::k_quant}, {"q5-k", FormatClass::k_quant}, {"q6-k", FormatClass::k_quant},
     {"q4-0", FormatClass::q4_0},    {"q4-1", FormatClass::q4_0},    {"q5-0", FormatClass::q4_0},
     {"q5-1", FormatClass::q4_0},    {"q8-0", FormatClass::q8},      {"8bit", FormatClass::q8},
     {"int4", FormatClass::grouped}, {"int2", FormatClass::grouped}, {"awq", FormatClass::grouped},
     {"gptq", FormatClass::grouped}, {"4bit", FormatClass::grouped}, {"6bit", FormatClass::grouped},
     {"bf16", FormatClass::f16},     {"fp16", FormatClass::f16},     {"f16", FormatClass::f16},
     {"f32", FormatClass::f16}}};

std::string plain(std::string_view name) {
    std::string text(name);
    for (char& letter : text)
        letter = letter == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return text;
}

// Between the widths of the formats: 16, 8.5 and 8, 6.56 and 6.5, 5.5 and 4.25, 3.44 and less.
FormatClass by_width(double bits) {
    if (bits >= 12.0) return FormatClass::f16;
    if (bits >= 7.5) return FormatClass::q8;
    if (bits >= 5.75) return FormatClass::near_6_bits;
    return bits >= 3.75 ? FormatClass::near_4_bits : FormatClass::near_2_bits;
}

} // namespace

FormatClass format_class(const Quantization& quantization, bool experts) {
    const std::string name = plain(quantization.name);
    const auto named = std::find_if(kNames.begin(), kNames.end(),
                                    [&](const NamePart& n) { return name.find(n.part) != std::string::npos; });
    if (named != kNames.end()) return named->is;
    const std::optional<double> bits = experts ? quantization.experts : quantization.rest;
    return by_width(bits.value_or(16.0));
}

} // namespace spillway
