// A scatter chart on logarithmic axes as inline SVG: points against a diagonal. In: values above 0. Out: SVG text that
// follows from the numbers alone.
#pragma once

#include <string>
#include <vector>

namespace spillway {

struct ScatterPoint {
    double x = 0.0, y = 0.0;  // above 0
    std::string title, style; // told on hover; a class that the page's style defines
};

// Both axes have one range, whole decades, so that the diagonal is where y = x.
struct ScatterChart {
    std::string id; // unique in the page
    std::string title, description;
    double size = 680.0; // width; the plane is a square
    std::string x_label, y_label;
    double band = 2.0; // a faint line at this factor above and below the diagonal
    std::vector<ScatterPoint> points;
};

std::string scatter_chart(const ScatterChart& chart);
// The chart at full width, or narrow for small screens.
ScatterChart sized(ScatterChart chart, bool narrow);

} // namespace spillway
