#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway {

namespace {

constexpr double kText = kChartText;
constexpr double kRow = 27.0, kRowAbove = 45.0, kThick = 15.0; // pitch of bars, with labels above, thickness
constexpr double kUnknown = 18.0;                              // length of the mark for an unknown value

// Where bars begin and end, and how long a value is.
struct Scale {
    double left, right, top, pitch, high;
    double length(double value) const { return std::max(0.0, std::min(value, high)) / high * (right - left); }
};

const std::string& text_of(const ChartBar& bar) {
    static const std::string unknown = "unknown";
    return bar.text.empty() && !bar.value ? unknown : bar.text;
}

Scale scale_of(const BarChart& chart) {
    double labels = 0.0, texts = 0.0, high = chart.target.value_or(0.0);
    for (const ChartBar& bar : chart.bars) {
        labels = std::max(labels, text_width(bar.label, kText));
        texts = std::max(texts, text_width(text_of(bar), kText));
        if (bar.value) high = std::max(high, *bar.value);
    }
    if (chart.cap) high = std::min(high, *chart.cap);
    Scale scale{};
    scale.left = chart.labels_above ? 1.0 : std::min(labels, 0.42 * chart.width) + 12.0;
    scale.right = chart.width - texts - 14.0;
    scale.top = chart.target ? 26.0 : 4.0;
    scale.pitch = chart.labels_above ? kRowAbove : kRow;
    scale.high = high > 0.0 ? high : 1.0;
    return scale;
}

std::string text_at(double x, double y, std::string_view style, std::string_view anchor, const std::string& text) {
    return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", style, coordinate(x),
                       coordinate(y), anchor, markup(text));
}

std::string label_of_bar(const BarChart& chart, const ChartBar& bar, const Scale& scale, double top) {
    if (chart.labels_above)
        return text_at(scale.left, top + 11.0, "bar-label", "start", cut_to(bar.label, chart.width, kText));
    const double room = scale.left - 12.0;
    return text_at(scale.left - 10.0, top + kThick - 3.0, "bar-label", "end", cut_to(bar.label, room, kText));
}

std::string rectangle(std::string_view style, double x, double y, double width) {
    return fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", style, coordinate(x),
                       coordinate(y), coordinate(width), coordinate(kThick));
}

// Top of the bar inside its row.
double bar_top(const BarChart& chart, double top) { return chart.labels_above ? top + 17.0 : top; }

double bar_end(const ChartBar& bar, const Scale& scale) {
    return scale.left + (bar.value ? scale.length(*bar.value) : kUnknown);
}

// The text right of the bar; right of the target where that would run through it.
double text_start(const BarChart& chart, const ChartBar& bar, const Scale& scale) {
    const double start = bar_end(bar, scale) + 7.0;
    if (!chart.target || *chart.target > scale.high) return start;
    const double line = scale.left + scale.length(*chart.target);
    const bool crossed = start < line + 4.0 && start + text_width(text_of(bar), kText) > line - 4.0;
    return crossed ? line + 6.0 : start;
}

std::string shape_of(const BarChart& chart, const ChartBar& bar, const Scale& scale, double top) {
    const double y = bar_top(chart, top);
    if (!bar.value) return rectangle("bar unknown", scale.left, y, kUnknown);
    // A sliver for what is too small to see: nothing drawn would look like nothing there.
    const double length = std::max(scale.length(*bar.value), *bar.value > 0.0 ? 1.0 : 0.0);
    std::string svg = rectangle("bar " + bar.style, scale.left, y, length);
    if (*bar.value <= scale.high) return svg;
    const double end = bar_end(bar, scale), low = y + kThick + 2.0, rise = -kThick - 4.0;
    return svg + fmt::format("<path class=\"cut\" d=\"M{} {}l5 {}M{} {}l5 {}\"/>\n", coordinate(end - 14.0),
                             coordinate(low), coordinate(rise), coordinate(end - 9.0), coordinate(low),
                             coordinate(rise));
}

std::string texts_of(const BarChart& chart, const ChartBar& bar, const Scale& scale, double top) {
    const double y = bar_top(chart, top);
    const std::string_view style = bar.value ? "label" : "label unknown-label";
    return label_of_bar(chart, bar, scale, top) +
           text_at(text_start(chart, bar, scale), y + kThick - 3.0, style, "start", text_of(bar)) +
           fmt::format("<rect class=\"hover\" x=\"0.0\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>\n",
                       coordinate(top - 3.0), coordinate(chart.width), coordinate(scale.pitch - 3.0),
                       markup(bar.title.empty() ? bar.label : bar.title));
}

// A vertical line along all bars; where labels lie above the bars, in pieces that leave the labels free.
std::string vertical(const BarChart& chart, const Scale& scale, std::string_view style, double x, double over) {
    const double pitch = scale.pitch * static_cast<double>(chart.bars.size());
    std::string path;
    if (!chart.labels_above) {
        path = fmt::format("M{0} {1}L{0} {2}", coordinate(x), coordinate(scale.top - over),
                           coordinate(scale.top + pitch - 9.0));
    }
    for (std::size_t i = 0; chart.labels_above && i < chart.bars.size(); ++i) {
        const double y = bar_top(chart, scale.top + scale.pitch * static_cast<double>(i));
        path += fmt::format("M{0} {1}L{0} {2}", coordinate(x), coordinate(y - 3.0), coordinate(y + kThick + 3.0));
    }
    return fmt::format("<path class=\"{}\" d=\"{}\"/>\n", style, path);
}

std::string target_line(const BarChart& chart, const Scale& scale) {
    if (!chart.target || *chart.target > scale.high) return {};
    const double x = scale.left + scale.length(*chart.target), width = text_width(chart.target_label, kText);
    const double middle = std::clamp(x, width / 2.0, chart.width - width / 2.0);
    // On a ground of its own, so that it is seen on every bar.
    return text_at(middle, 13.0, "label target-label", "middle", chart.target_label) +
           vertical(chart, scale, "target-back", x, 6.0) + vertical(chart, scale, "target", x, 6.0);
}

} // namespace

std::string bar_chart(const BarChart& chart) {
    const Scale scale = scale_of(chart);
    const double bottom = scale.top + scale.pitch * static_cast<double>(chart.bars.size());
    std::string svg =
        fmt::format("<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-labelledby=\"{2}-title "
                    "{2}-desc\">\n<title id=\"{2}-title\">{3}</title>\n<desc id=\"{2}-desc\">{4}</desc>\n",
                    chart.width, bottom, chart.id, markup(chart.title), markup(chart.description));
    svg += vertical(chart, scale, "axis", scale.left, 2.0);
    // The target lies over the bars and under the texts, which have a halo.
    std::string texts;
    double top = scale.top;
    for (const ChartBar& bar : chart.bars) {
        svg += shape_of(chart, bar, scale, top);
        texts += texts_of(chart, bar, scale, top);
        top += scale.pitch;
    }
    return svg + target_line(chart, scale) + texts + "</svg>\n";
}

} // namespace spillway
