#include "report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

// Keeps a value that is a tenth of a per cent (or of a GB) but for rounding from moving to the next one.
constexpr double kRounding = 1e-9;

} // namespace

std::string significant(double value, int digits) {
    if (value == 0.0) return "0";
    // Rounded before the decimals are counted: 9.996 has two decimals as 10.0, not three as 10.00.
    const std::string rounded = fmt::format("{:.{}e}", value, digits - 1);
    const int exponent = std::stoi(rounded.substr(rounded.find('e') + 1));
    if (exponent < -9 || exponent > 12) return rounded;
    return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
}

std::string speed(double tokens_per_second) { return significant(tokens_per_second, 3); }

std::string speed(double tokens_per_second, double target) {
    constexpr int kMostDigits = 12;
    std::string text;
    for (int digits = 3; digits <= kMostDigits; ++digits) {
        text = significant(tokens_per_second, digits);
        if ((std::stod(text) >= target) == (tokens_per_second >= target)) break;
    }
    return text;
}

std::string percent(double share) {
    const std::string text = fmt::format("{:.1f} %", 100.0 * share);
    if (text == "100.0 %" && share < 1.0) return "> 99.9 %";
    if (text == "0.0 %" && share > 0.0) return "< 0.1 %";
    return text;
}

std::string percent_at_least(double share) {
    return fmt::format("{:.1f} %", std::ceil(1000.0 * share - kRounding) / 10.0);
}

std::string percent_at_most(double share) {
    return fmt::format("{:.1f} %", std::floor(1000.0 * share + kRounding) / 10.0);
}

std::string gb_number(Bytes bytes) {
    const double size = bytes.value / 1e9;
    const double magnitude = std::abs(size);
    if (magnitude >= 1000.0) return fmt::format("{:.0f}", size);
    if (magnitude >= 100.0) return fmt::format("{:.1f}", size);
    if (magnitude >= 0.005 || magnitude == 0.0) return fmt::format("{:.2f}", size);
    return significant(size, 1);
}

std::string gb(Bytes bytes) { return gb_number(bytes) + " GB"; }

std::string gb_at_most(Bytes bytes) {
    return fmt::format("{:.1f} GB", std::floor(bytes.value / 1e8 + kRounding) / 10.0);
}

std::string count(double value) {
    return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value);
}

std::string effect(double per_percent) {
    const std::string text = fmt::format("{:+.2f} %", per_percent);
    return text == "-0.00 %" || text == "+0.00 %" ? "0.00 %" : text;
}

} // namespace spillway
