#include "report/svg.h"

#include "report/page.h"
#include "report/svg_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

// Bytes of the UTF-8 sequence that begins here; 0 if it is broken or stands for what XML forbids.
std::size_t sequence_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) -> unsigned {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    const unsigned first = byte(0);
    if (first < 0x80U) return 1;
    if (first >= 0xC2U && first < 0xE0U) return continues(1) ? 2 : 0;
    if (first >= 0xE0U && first < 0xF0U) {
        const bool overlong = first == 0xE0U && byte(1) < 0xA0U;
        const bool surrogate = first == 0xEDU && byte(1) >= 0xA0U;
        const bool no_character = first == 0xEFU && byte(1) == 0xBFU && byte(2) >= 0xBEU;
        return continues(1) && continues(2) && !overlong && !surrogate && !no_character ? 3 : 0;
    }
    const bool in_range = (first > 0xF0U || byte(1) >= 0x90U) && (first < 0xF4U || byte(1) < 0x90U);
    return first >= 0xF0U && first < 0xF5U && in_range && continues(1) && continues(2) && continues(3) ? 4 : 0;
}

} // namespace

std::string markup(std::string_view text) {
    const std::string raw = printable(text);
    std::string safe;
    for (std::size_t i = 0; i < raw.size();) {
        const std::size_t length = sequence_length(raw, i);
        switch (raw[i]) {
        case '&': safe += "&amp;"; break;
        case '<': safe += "&lt;"; break;
        case '>': safe += "&gt;"; break;
        case '"': safe += "&quot;"; break;
        case '\'': safe += "&#39;"; break;
        default: safe += length > 0 ? raw.substr(i, length) : "\xEF\xBF\xBD";
        }
        i += std::max<std::size_t>(length, 1);
    }
    return safe;
}

std::string coordinate(double value) {
    const std::string text = fmt::format("{:.1f}", value);
    return text == "-0.0" ? "0.0" : text;
}

// 0.6 of the size per character is DejaVu Sans, the widest of the usual fonts.
double text_width(std::string_view text, double size) { return 0.6 * size * columns(text); }

std::string cut_to(const std::string& text, double width, double size) {
    if (text_width(text, size) <= width) return text;
    const auto most = static_cast<int>(width / (0.6 * size)) - 1;
    std::size_t end = 0;
    for (int seen = 0; end < text.size(); ++end) {
        const bool begins = (static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U;
        if (begins && seen++ == std::max(1, most)) break;
    }
    return text.substr(0, end) + "\xE2\x80\xA6";
}

LineChart sized(LineChart chart, bool narrow) {
    chart.id += narrow ? "-narrow" : "-wide";
    chart.width = narrow ? kNarrowChart : kWideChart;
    chart.height = narrow ? 330.0 : 400.0;
    for (ChartMarker& marker : chart.markers) {
        if (narrow && !marker.short_label.empty()) marker.label = marker.short_label;
    }
    return chart;
}

BarChart sized(BarChart chart, bool narrow) {
    constexpr double kMostLabel = 0.4; // of the width: a label that is cut may lose what tells it from the next
    chart.id += narrow ? "-narrow" : "-wide";
    chart.width = narrow ? kNarrowChart : kWideChart;
    double longest = 0.0;
    for (const ChartBar& bar : chart.bars) longest = std::max(longest, text_width(bar.label, kChartText));
    chart.labels_above = narrow || longest > kMostLabel * chart.width;
    return chart;
}

std::vector<double> nice_ticks(double low, double high, int most) {
    const double rough = (high - low) / std::max(1, most);
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10.0 * power;
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= rough * (1.0 - 1e-9)) {
            step = factor * power;
            break;
        }
    }
    // Multiples of the step, not sums, so that 0.3 is 0.3.
    std::vector<double> ticks;
    const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
    for (double i = first; i <= last; i += 1.0) ticks.push_back(i * step);
    return ticks;
}

void LabelPlaces::add_segment(double x1, double y1, double x2, double y2) {
    constexpr double kSpacing = 3.0;
    const double steps = std::max(1.0, std::ceil(std::hypot(x2 - x1, y2 - y1) / kSpacing));
    for (double i = 0.0; i <= steps; i += 1.0) {
        dots_.push_back({x1 + (x2 - x1) * i / steps, y1 + (y2 - y1) * i / steps});
    }
}

double LabelPlaces::cost(const ChartBox& box) const {
    constexpr double kClear = 3.0, kOutside = 1e6, kCovers = 1e3;
    double sum = 0.0;
    const bool inside = box.left >= bounds_.left && box.right <= bounds_.right && box.top >= bounds_.top &&
                        box.bottom <= bounds_.bottom;
    if (!inside) sum += kOutside;
    for (const ChartBox& other : boxes_) {
        const bool apart =
            box.right < other.left || other.right < box.left || box.bottom < other.top || other.bottom < box.top;
        if (!apart) sum += kCovers;
    }
    for (const Dot& dot : dots_) {
        const bool near = dot.x > box.left - kClear && dot.x < box.right + kClear && dot.y > box.top - kClear &&
                          dot.y < box.bottom + kClear;
        if (near) sum += 1.0;
    }
    return sum;
}

std::optional<ChartBox> LabelPlaces::take(const std::vector<ChartBox>& candidates, bool only_free) {
    std::optional<ChartBox> best;
    double least = 0.0;
    for (const ChartBox& box : candidates) {
        const double covers = cost(box);
        if (best && covers >= least) continue;
        best = box;
        least = covers;
        if (covers == 0.0) break;
    }
    if (!best || (only_free && least > 0.0)) return std::nullopt;
    boxes_.push_back(*best);
    return best;
}

} // namespace spillway
