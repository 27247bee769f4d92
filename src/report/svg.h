// Charts as inline SVG: lines over a plane, and horizontal bars against a target. Colours come from the classes that
// the page's style defines; values are told on hover by <title>. The same chart gives the same text: coordinates have
// one decimal, and label places follow from the numbers alone.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// Text for element content and quoted attributes: markup escaped, control characters and broken UTF-8 replaced.
std::string markup(std::string_view text);

// A coordinate with one decimal, never "-0.0".
std::string coordinate(double value);

// Font size of all text in charts, as the page's style says.
inline constexpr double kChartText = 13.0;
// Widths that charts are drawn for.
inline constexpr double kWideChart = 720.0, kNarrowChart = 380.0;

// Width that text takes at a font size, from above: the reader's font is not known.
double text_width(std::string_view text, double size);
// Text cut to a width, with an ellipsis where something is missing.
std::string cut_to(const std::string& text, double width, double size);

// Round values (1, 2 or 5 times a power of ten apart) from `low` up, at most `most` + 1 of them, the last one at or
// above `high`. Needs low < high, both finite.
std::vector<double> nice_ticks(double low, double high, int most);

// --- lines ------------------------------------------------------------------------------------------------------

struct ChartPoint {
    double x = 0.0;
    std::optional<double> y; // the line breaks where it is unknown
};

struct ChartLine {
    std::string label; // beside the line where there is room
    std::string style; // class, defined by the page
    std::vector<ChartPoint> points;
};

// A point of its own; `drop` draws a line from it down to the x axis.
struct ChartMarker {
    double x = 0.0, y = 0.0;
    std::string label, title, style;
    bool drop = false;
    std::string short_label = {}; // in a narrow chart
};

// What is told when the pointer is in the column around x.
struct ChartColumn {
    double x = 0.0;
    std::string title;
};

struct ChartAxis {
    std::string label;
    double low = 0.0, high = 1.0;
    std::function<std::string(double)> text; // of a tick
};

struct LineChart {
    std::string id; // unique in the page
    std::string title, description;
    double width = 720.0, height = 380.0;
    ChartAxis x, y;
    std::optional<double> target; // horizontal line
    std::string target_label;
    std::vector<ChartLine> lines;
    std::vector<ChartMarker> markers;
    std::vector<ChartColumn> columns; // ascending x
};

std::string line_chart(const LineChart& chart);
// The chart at full width, or narrow for small screens, where shrinking would make its text unreadable.
LineChart sized(LineChart chart, bool narrow);

// --- bars -------------------------------------------------------------------------------------------------------

struct ChartBar {
    std::string label;
    std::optional<double> value; // length, not negative; unknown is marked as such
    std::string text;            // beside the bar; "unknown" if empty and the value is
    std::string title, style;
    std::string amount = {}; // what it stands for: "4.51 GB" read in that time
    std::string place = {};  // where
};

struct BarChart {
    std::string id;
    std::string title, description;
    double width = 720.0;
    bool labels_above = false;    // else in a column on the left
    std::optional<double> target; // vertical line through all bars
    std::string target_label;
    std::optional<double> cap; // longer bars are cut there, and marked
    std::vector<ChartBar> bars;
};

std::string bar_chart(const BarChart& chart);
// Likewise. Labels that would take too much of the width lie above their bars.
BarChart sized(BarChart chart, bool narrow);

} // namespace spillway
