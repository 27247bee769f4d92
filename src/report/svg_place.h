// Where labels go in a chart: the first of some candidate places that is free of lines, markers and other labels.
#pragma once

#include <optional>
#include <vector>

namespace spillway {

struct ChartBox {
    double left = 0.0, top = 0.0, right = 0.0, bottom = 0.0;
};

class LabelPlaces {
public:
    explicit LabelPlaces(ChartBox bounds) : bounds_(bounds) {}

    // Ink that labels keep clear of: a segment of a line, or the box of something placed.
    void add_segment(double x1, double y1, double x2, double y2);
    void add_box(const ChartBox& box) { boxes_.push_back(box); }

    // The first free candidate, which then is taken; else the one that covers least, unless only free ones will do.
    std::optional<ChartBox> take(const std::vector<ChartBox>& candidates, bool only_free);

private:
    struct Dot {
        double x, y;
    };
    double cost(const ChartBox& box) const;

    ChartBox bounds_;
    std::vector<ChartBox> boxes_;
    std::vector<Dot> dots_; // lines, sampled
};

} // namespace spillway
