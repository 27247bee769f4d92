#include "report/svg.h"
#include "report/svg_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

constexpr double kText = kChartText;
constexpr double kLine = 16.0; // height of a label
constexpr double kTop = 30.0, kBottom = 48.0, kRight = 24.0;

// The plane between the axes.
struct Plane {
    ChartBox box;
    double x_low, x_high, y_low, y_high;
    double x(double value) const { return box.left + (value - x_low) / (x_high - x_low) * (box.right - box.left); }
    double y(double value) const { return box.bottom - (value - y_low) / (y_high - y_low) * (box.bottom - box.top); }
};

std::string text_at(double x, double y, std::string_view style, std::string_view anchor, const std::string& text) {
    return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", style, coordinate(x),
                       coordinate(y), anchor, markup(text));
}

std::string segment(std::string_view style, double x1, double y1, double x2, double y2) {
    return fmt::format("<path class=\"{}\" d=\"M{} {}L{} {}\"/>\n", style, coordinate(x1), coordinate(y1),
                       coordinate(x2), coordinate(y2));
}

std::vector<double> ticks_of(const ChartAxis& axis, double length, double room) {
    return nice_ticks(axis.low, axis.high, std::clamp(static_cast<int>(length / room), 2, 10));
}

Plane plane_of(const LineChart& chart, const std::vector<double>& x_ticks, const std::vector<double>& y_ticks) {
    double widest = 0.0;
    for (const double tick : y_ticks) widest = std::max(widest, text_width(chart.y.text(tick), kText));
    const ChartBox box{widest + 14.0, kTop, chart.width - kRight, chart.height - kBottom};
    return {box, x_ticks.front(), x_ticks.back(), y_ticks.front(), y_ticks.back()};
}

std::string axes(const LineChart& chart, const Plane& plane, const std::vector<double>& x_ticks,
                 const std::vector<double>& y_ticks) {
    const ChartBox& box = plane.box;
    std::string svg;
    for (const double tick : y_ticks) {
        svg += segment(tick == y_ticks.front() ? "axis" : "grid", box.left, plane.y(tick), box.right, plane.y(tick));
        svg += text_at(box.left - 8.0, plane.y(tick) + 4.5, "tick", "end", chart.y.text(tick));
    }
    for (const double tick : x_ticks) {
        svg += segment("grid", plane.x(tick), box.top, plane.x(tick), box.bottom);
        svg += text_at(plane.x(tick), box.bottom + 18.0, "tick", "middle", chart.x.text(tick));
    }
    svg += text_at(0.0, 14.0, "name", "start", chart.y.label);
    return svg + text_at(box.right, chart.height - 8.0, "name", "end", chart.x.label);
}

// One transparent column around each x, so that pointing anywhere tells the values there.
std::string hover_columns(const LineChart& chart, const Plane& plane) {
    std::string svg;
    for (std::size_t i = 0; i < chart.columns.size(); ++i) {
        const double here = plane.x(chart.columns[i].x);
        const double left = i == 0 ? here : (plane.x(chart.columns[i - 1].x) + here) / 2.0;
        const double right = i + 1 == chart.columns.size() ? here : (here + plane.x(chart.columns[i + 1].x)) / 2.0;
        svg += fmt::format("<rect class=\"hover\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title>"
                           "</rect>\n",
                           coordinate(left), coordinate(plane.box.top), coordinate(right - left),
                           coordinate(plane.box.bottom - plane.box.top), markup(chart.columns[i].title));
    }
    return svg;
}

std::string path_of(const ChartLine& line, const Plane& plane, LabelPlaces& places) {
    std::string path;
    const ChartPoint* before = nullptr;
    for (const ChartPoint& point : line.points) {
        if (!point.y) {
            before = nullptr;
            continue;
        }
        const double x = plane.x(point.x), y = plane.y(*point.y);
        path += fmt::format("{}{} {}", before ? "L" : "M", coordinate(x), coordinate(y));
        if (before) places.add_segment(plane.x(before->x), plane.y(*before->y), x, y);
        before = &point;
    }
    if (path.empty()) return {};
    return fmt::format("<path class=\"line {}\" d=\"{}\"><title>{}</title></path>\n", line.style, path,
                       markup(line.label));
}

ChartBox box_at(double left, double middle, double width) {
    return {left, middle - kLine / 2.0, left + width, middle + kLine / 2.0};
}

std::string label_in(const ChartBox& box, std::string_view style, const std::string& text) {
    return text_at((box.left + box.right) / 2.0, box.bottom - 3.5, style, "middle", text);
}

std::string target_line(const LineChart& chart, const Plane& plane, LabelPlaces& places) {
    if (!chart.target) return {};
    const double y = plane.y(*chart.target);
    places.add_segment(plane.box.left, y, plane.box.right, y);
    return segment("target", plane.box.left, y, plane.box.right, y);
}

// Above or below the line, from the left: that is where few curves reach the target.
std::string target_label(const LineChart& chart, const Plane& plane, LabelPlaces& places) {
    if (!chart.target) return {};
    const double y = plane.y(*chart.target), width = text_width(chart.target_label, kText);
    std::vector<ChartBox> candidates;
    for (double left = plane.box.left + 6.0; left + width < plane.box.right; left += 12.0) {
        candidates.push_back(box_at(left, y - 12.5, width));
        candidates.push_back(box_at(left, y + 12.5, width));
    }
    const std::optional<ChartBox> box = places.take(candidates, false);
    return box ? label_in(*box, "label target-label", chart.target_label) : std::string();
}

// In rings around the marker, nearest first.
std::vector<ChartBox> around(double x, double y, double width) {
    std::vector<ChartBox> candidates;
    for (const double far : {12.0, 24.0, 40.0, 60.0}) {
        const double across = far * 0.7;
        candidates.push_back(box_at(x - far - width, y, width));
        candidates.push_back(box_at(x + far, y, width));
        candidates.push_back(box_at(x - across - width, y - across - 4.0, width));
        candidates.push_back(box_at(x + across, y + across + 4.0, width));
        candidates.push_back(box_at(x - across - width, y + across + 4.0, width));
        candidates.push_back(box_at(x + across, y - across - 4.0, width));
        candidates.push_back(box_at(x - width / 2.0, y - far - 4.0, width));
        candidates.push_back(box_at(x - width / 2.0, y + far + 4.0, width));
    }
    return candidates;
}

std::string marker_of(const ChartMarker& marker, const Plane& plane, LabelPlaces& places) {
    const double x = plane.x(marker.x), y = plane.y(marker.y);
    std::string svg;
    if (marker.drop) {
        svg += segment("drop " + marker.style, x, y, x, plane.box.bottom);
        places.add_segment(x, y, x, plane.box.bottom);
    }
    places.add_box({x - 7.0, y - 7.0, x + 7.0, y + 7.0});
    return svg + fmt::format("<circle class=\"marker {}\" cx=\"{}\" cy=\"{}\" r=\"6\"><title>{}</title></circle>\n",
                             marker.style, coordinate(x), coordinate(y), markup(marker.title));
}

std::string marker_label(const ChartMarker& marker, const Plane& plane, LabelPlaces& places) {
    const std::vector<ChartBox> candidates =
        around(plane.x(marker.x), plane.y(marker.y), text_width(marker.label, kText));
    const std::optional<ChartBox> box = places.take(candidates, false);
    return box ? label_in(*box, "label strong", marker.label) : std::string();
}

// Left above the line, from its steep end down; left out where there is no room: the legend names it too.
std::string line_label(const ChartLine& line, const Plane& plane, LabelPlaces& places) {
    const double width = text_width(line.label, kText);
    std::vector<ChartBox> candidates;
    for (std::size_t i = line.points.size(); i-- > 0;) {
        const ChartPoint& point = line.points[i];
        if (!point.y) continue;
        const double x = plane.x(point.x), y = plane.y(*point.y);
        for (const double above : {6.0, 13.0, 20.0}) candidates.push_back(box_at(x - 8.0 - width, y - above, width));
        candidates.push_back(box_at(x - width / 2.0, y - 14.0, width));
        candidates.push_back(box_at(x + 8.0, y + 10.0, width));
    }
    const std::optional<ChartBox> box = places.take(candidates, true);
    return box ? label_in(*box, "label " + line.style, line.label) : std::string();
}

} // namespace

std::string line_chart(const LineChart& chart) {
    const std::vector<double> x_ticks = ticks_of(chart.x, chart.width, 70.0);
    const std::vector<double> y_ticks = ticks_of(chart.y, chart.height, 55.0);
    const Plane plane = plane_of(chart, x_ticks, y_ticks);
    LabelPlaces places(plane.box);
    std::string svg =
        fmt::format("<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-labelledby=\"{2}-title "
                    "{2}-desc\">\n<title id=\"{2}-title\">{3}</title>\n<desc id=\"{2}-desc\">{4}</desc>\n",
                    chart.width, chart.height, chart.id, markup(chart.title), markup(chart.description));
    svg += axes(chart, plane, x_ticks, y_ticks);
    svg += hover_columns(chart, plane);
    svg += target_line(chart, plane, places);
    for (auto line = chart.lines.rbegin(); line != chart.lines.rend(); ++line) svg += path_of(*line, plane, places);
    for (const ChartMarker& marker : chart.markers) svg += marker_of(marker, plane, places);
    for (const ChartMarker& marker : chart.markers) svg += marker_label(marker, plane, places);
    svg += target_label(chart, plane, places);
    for (const ChartLine& line : chart.lines) svg += line_label(line, plane, places);
    return svg + "</svg>\n";
}

} // namespace spillway
