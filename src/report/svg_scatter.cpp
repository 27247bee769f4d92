#include "report/svg_scatter.h"

#include "report/figures.h"
#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

constexpr double kLeft = 52.0, kTop = 30.0, kRight = 16.0, kBottom = 44.0;

// The square between the axes; both run over the same decades.
struct Square {
    double side, low, high; // low and high are exponents of ten
    double at(double value) const { return side * (std::log10(value) - low) / (high - low); }
    double x(double value) const { return kLeft + at(value); }
    double y(double value) const { return kTop + side - at(value); }
};

Square square_of(const ScatterChart& chart) {
    double low = 1e300, high = 1e-300;
    for (const ScatterPoint& point : chart.points) {
        low = std::min({low, point.x, point.y});
        high = std::max({high, point.x, point.y});
    }
    if (chart.points.empty()) low = high = 1.0;
    Square square{chart.size - kLeft - kRight, std::floor(std::log10(low)), std::ceil(std::log10(high))};
    if (square.high <= square.low) square.high = square.low + 1.0;
    return square;
}

std::string segment(std::string_view style, double x1, double y1, double x2, double y2) {
    return fmt::format("<path class=\"{}\" d=\"M{} {}L{} {}\"/>\n", style, coordinate(x1), coordinate(y1),
                       coordinate(x2), coordinate(y2));
}

std::string text_at(double x, double y, std::string_view style, std::string_view anchor, std::string_view text) {
    return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", style, coordinate(x),
                       coordinate(y), anchor, markup(text));
}

std::string axes(const ScatterChart& chart, const Square& square) {
    const double right = kLeft + square.side, bottom = kTop + square.side;
    std::string svg;
    for (double power = square.low; power <= square.high; power += 1.0) {
        const double value = std::pow(10.0, power);
        const std::string_view style = power == square.low ? "axis" : "grid";
        svg += segment(style, kLeft, square.y(value), right, square.y(value));
        svg += segment(style, square.x(value), kTop, square.x(value), bottom);
        const std::string text = significant(value, 1);
        svg += text_at(kLeft - 7.0, square.y(value) + 4.5, "tick", "end", text);
        svg += text_at(square.x(value), bottom + 18.0, "tick", "middle", text);
    }
    svg += text_at(0.0, 14.0, "name", "start", chart.y_label);
    return svg + text_at(right, bottom + 38.0, "name", "end", chart.x_label);
}

// y = factor * x, within the square.
std::string diagonal(const Square& square, double factor, std::string_view style) {
    const double low = std::pow(10.0, square.low), high = std::pow(10.0, square.high);
    const double from = std::max(low, low / factor), to = std::min(high, high / factor);
    return segment(style, square.x(from), square.y(from * factor), square.x(to), square.y(to * factor));
}

} // namespace

std::string scatter_chart(const ScatterChart& chart) {
    const Square square = square_of(chart);
    std::string svg =
        fmt::format("<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-labelledby=\"{2}-title "
                    "{2}-desc\">\n<title id=\"{2}-title\">{3}</title>\n<desc id=\"{2}-desc\">{4}</desc>\n",
                    chart.size, kTop + square.side + kBottom, chart.id, markup(chart.title), markup(chart.description));
    svg += axes(chart, square);
    svg += diagonal(square, 1.0, "diagonal");
    for (const double factor : {chart.band, 1.0 / chart.band}) svg += diagonal(square, factor, "diagonal off");
    for (const ScatterPoint& point : chart.points) {
        svg +=
            fmt::format("<circle class=\"point {}\" cx=\"{}\" cy=\"{}\" r=\"3.2\"><title>{}</title></circle>\n",
                        point.style, coordinate(square.x(point.x)), coordinate(square.y(point.y)), markup(point.title));
    }
    return svg + "</svg>\n";
}

ScatterChart sized(ScatterChart chart, bool narrow) {
    chart.id += narrow ? "-narrow" : "-wide";
    if (narrow) chart.size = 380.0;
    return chart;
}

} // namespace spillway
