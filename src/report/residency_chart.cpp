#include "report/residency_chart.h"

#include "report/figures.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace spillway {

namespace {

using Json = nlohmann::ordered_json;

// Points of every curve that the table shows.
constexpr std::array<double, 7> kShown = {0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0};

Json number_or_null(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? Json(*value) : Json();
}

std::string style_of(const ResidencyCurve& curve, std::size_t i) {
    if (curve.lines[i].own) return "own";
    if (curve.lines[i].uniform) return "uniform";
    std::size_t others = 0;
    for (std::size_t k = 0; k < i; ++k) others += curve.lines[k].own || curve.lines[k].uniform ? 0 : 1;
    return fmt::format("other{}", others % 3 + 1);
}

std::string name_of_line(const LocalityCurve& line) {
    const std::string name = line.uniform ? "uniform routing" : line.locality;
    return line.own ? name + " (this case)" : name;
}

std::string speed_text(const ResidencyCurve& curve, const std::optional<double>& value) {
    return value ? speed(*value, curve.target) + " tok/s" : "unknown";
}

// "residency 82.3 %", then one line per locality.
std::string column_title(const ResidencyCurve& curve, std::size_t point) {
    std::string text = "residency " + percent(curve.lines.front().points[point].residency);
    for (const LocalityCurve& line : curve.lines) {
        const CurveSpeed& at = line.points[point];
        text += fmt::format("; {}: {}", name_of_line(line), speed_text(curve, at.tokens_per_second));
        if (at.miss_fraction) text += fmt::format(", {} missed", percent(*at.miss_fraction));
    }
    return text;
}

double highest_speed(const ResidencyCurve& curve) {
    double highest = curve.target;
    for (const LocalityCurve& line : curve.lines) {
        for (const CurveSpeed& point : line.points) highest = std::max(highest, point.tokens_per_second.value_or(0.0));
    }
    return std::max(highest, curve.speed.value_or(0.0));
}

void add_lines(const ResidencyCurve& curve, LineChart& chart) {
    for (std::size_t i = 0; i < curve.lines.size(); ++i) {
        ChartLine line{name_of_line(curve.lines[i]), style_of(curve, i), {}};
        for (const CurveSpeed& point : curve.lines[i].points)
            line.points.push_back({point.residency, point.tokens_per_second});
        chart.lines.push_back(std::move(line));
    }
    for (std::size_t i = 0; i < curve.lines.front().points.size(); ++i) {
        chart.columns.push_back({curve.lines.front().points[i].residency, column_title(curve, i)});
    }
}

void add_markers(const ResidencyCurve& curve, LineChart& chart) {
    if (curve.residency && curve.speed) {
        const std::string value = speed_text(curve, curve.speed);
        const std::string place = fmt::format("{} at {} residency", value, percent(*curve.residency));
        chart.markers.push_back(
            {*curve.residency, *curve.speed, "this case: " + value, "this case: " + place, "case", false, value});
    }
    if (curve.line.residency && curve.line.answer == Answer::found) {
        const std::string need = percent_at_least(*curve.line.residency);
        chart.markers.push_back({*curve.line.residency, curve.target, need + " needed",
                                 fmt::format("{} tok/s needs {} residency", count(curve.target), need), "need", true,
                                 need});
    }
}

std::string description(const ResidencyCurve& curve) {
    std::string text = fmt::format("The target is {} tok/s.", count(curve.target));
    if (curve.residency && curve.speed)
        text += fmt::format(" This case reaches {} at {} residency.", speed_text(curve, curve.speed),
                            percent(*curve.residency));
    if (curve.line.residency)
        text += fmt::format(" The target needs {} residency.", percent_at_least(*curve.line.residency));
    return text;
}

// What each line says at the case's own residency.
std::string at_own_residency(const ResidencyCurve& curve, const LocalityCurve& line) {
    if (!curve.residency) return {};
    const auto point = std::find_if(line.points.begin(), line.points.end(),
                                    [&](const CurveSpeed& p) { return p.residency == *curve.residency; });
    if (point == line.points.end()) return {};
    return fmt::format(": {} at {}", speed_text(curve, point->tokens_per_second), percent(*curve.residency));
}

std::vector<Legend> legend(const ResidencyCurve& curve) {
    using Key = Legend::Key;
    std::vector<Legend> items;
    for (std::size_t i = 0; i < curve.lines.size(); ++i) {
        items.push_back(
            {Key::line, style_of(curve, i), name_of_line(curve.lines[i]) + at_own_residency(curve, curve.lines[i])});
    }
    items.push_back({Key::target, "", "target: " + count(curve.target) + " tok/s"});
    if (curve.residency && curve.speed)
        items.push_back(
            {Key::marker, "case",
             fmt::format("this case: {} at {} residency", speed_text(curve, curve.speed), percent(*curve.residency))});
    if (curve.line.residency && curve.line.answer == Answer::found)
        items.push_back(
            {Key::marker, "need", "residency that meets the target: " + percent_at_least(*curve.line.residency)});
    return items;
}

// Speeds at some residencies, among them the case's own and the break-even one, for those who cannot hover.
Table residency_table(const ResidencyCurve& curve) {
    Table table;
    table.caption = "Decode tok/s by residency";
    table.in = In::pages;
    table.columns = {{"residency", "residency"}};
    for (const LocalityCurve& line : curve.lines)
        table.columns.push_back({line.locality, name_of_line(line), Show::figure});
    const std::vector<CurveSpeed>& at = curve.lines.front().points;
    for (std::size_t i = 0; i < at.size(); ++i) {
        const double residency = at[i].residency;
        const bool own = residency == curve.residency, needed = residency == curve.line.residency;
        const bool shown = std::find(kShown.begin(), kShown.end(), residency) != kShown.end();
        if (!shown && !own && !needed) continue;
        // The break-even residency is rounded up, as a limit to be met.
        std::vector<Cell> cells = {needed ? percent_at_least(residency) + " (needed)"
                                   : own  ? percent(residency) + " (this case)"
                                          : percent(residency)};
        for (const LocalityCurve& line : curve.lines) {
            const std::optional<double>& value = line.points[i].tokens_per_second;
            cells.emplace_back(value ? speed(*value, curve.target) : "unknown");
        }
        table.rows.emplace_back(std::move(cells));
    }
    return table;
}

} // namespace

nlohmann::ordered_json curve_json(const ResidencyCurve& curve) {
    Json list = Json::array();
    for (const LocalityCurve& line : curve.lines) {
        Json points = Json::array();
        for (const CurveSpeed& point : line.points) {
            points.push_back({{"residency", point.residency},
                              {"decode_tokens_per_second", number_or_null(point.tokens_per_second)},
                              {"miss_fraction", number_or_null(point.miss_fraction)}});
        }
        list.push_back({{"locality", line.locality}, {"own", line.own}, {"points", points}});
    }
    return list;
}

namespace {

// Whether there is something to draw: a line with a known speed.
bool has_chart(const ResidencyCurve& curve) {
    return std::any_of(curve.lines.begin(), curve.lines.end(), [](const LocalityCurve& line) {
        return std::any_of(line.points.begin(), line.points.end(),
                           [](const CurveSpeed& point) { return point.tokens_per_second.has_value(); });
    });
}

} // namespace

LineChart residency_chart(const ResidencyCurve& curve) {
    LineChart chart;
    chart.id = "break-even";
    chart.title = "Decode speed over residency";
    chart.description = description(curve);
    chart.x = {"residency: share of the experts in memory", 0.0, 1.0,
               [](double share) { return fmt::format("{:.0f} %", 100.0 * share); }};
    // Headroom, so that the highest curve does not touch the frame.
    chart.y = {"decode, tok/s", 0.0, 1.04 * highest_speed(curve), [](double v) { return fmt::format("{:.6g}", v); }};
    chart.target = curve.target;
    chart.target_label = "target " + count(curve.target) + " tok/s";
    add_lines(curve, chart);
    add_markers(curve, chart);
    return chart;
}

void add_residency_curve(const ResidencyCurve& curve, DocumentSection& section) {
    if (curve.lines.empty()) return;
    if (!has_chart(curve)) {
        section.add(Sentence{
            .text = "No chart: the decode speed is unknown at every residency.", .tone = Tone::soft, .in = In::pages});
        return;
    }
    section.add(Curve{residency_chart(curve), legend(curve)});
    section.add(residency_table(curve));
}

} // namespace spillway
