// The miss curve of a trace as one HTML page: inline SVG with titles, a table with the same numbers, no scripts.
// Colours follow the reader's light or dark setting.
#include "report/figures.h"
#include "report/trace.h"

#include <fmt/format.h>

#include <functional>

namespace spillway {

namespace {

constexpr int kWidth = 640, kHeight = 480, kLeft = 64, kTop = 16, kPlotWidth = 560, kPlotHeight = 400;
constexpr int kSteps = 100; // points of a line

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        switch (c) {
        case '&': safe += "&amp;"; break;
        case '<': safe += "&lt;"; break;
        case '>': safe += "&gt;"; break;
        case '"': safe += "&quot;"; break;
        default: safe += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
    }
    return safe;
}

double x_of(double residency) { return kLeft + residency * kPlotWidth; }
double y_of(double miss) { return kTop + (1.0 - miss) * kPlotHeight; }

std::string axes() {
    std::string svg;
    for (int i = 0; i <= 10; i += 2) {
        const double share = i / 10.0;
        svg += fmt::format("<line class=\"grid\" x1=\"{0}\" y1=\"{1:.1f}\" x2=\"{2}\" y2=\"{1:.1f}\"/>\n", kLeft,
                           y_of(share), kLeft + kPlotWidth);
        svg += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\"/>\n", x_of(share),
                           kTop, kTop + kPlotHeight);
        svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{} %</text>\n", kLeft - 8,
                           y_of(share) + 4.0, i * 10);
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{} %</text>\n", x_of(share),
                           kTop + kPlotHeight + 18, i * 10);
    }
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">share of the experts kept</text>\n",
                       kLeft + kPlotWidth / 2, kHeight - 22);
    return svg + fmt::format("<text x=\"14\" y=\"{0}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {0})\">lookups "
                             "that miss</text>\n",
                             kTop + kPlotHeight / 2);
}

using Value = std::function<std::optional<double>(const CurvePoint&)>;

struct Line {
    std::string_view style, name;
    Value value;
};

const std::vector<Line>& lines() {
    static const std::vector<Line> all = {
        {"uniform", "uniform routing: 1 - r", [](const CurvePoint& p) { return std::optional(p.uniform); }},
        {"cold", "LRU per layer, from cold", [](const CurvePoint& p) { return p.cold; }},
        {"warm", "LRU per layer, warm", [](const CurvePoint& p) { return p.warm; }},
        {"windows", "by D(t)", [](const CurvePoint& p) { return p.by_windows; }},
        {"hot", "hot set, learned before", [](const CurvePoint& p) { return p.hot_outside; }},
        {"global", "one LRU for all layers, warm", [](const CurvePoint& p) { return p.global_warm; }},
    };
    return all;
}

// A line breaks where its value is unknown; one without any value is left out.
std::string path_of(const Line& line, const std::vector<CurvePoint>& points) {
    std::string path;
    bool drawing = false;
    for (const CurvePoint& p : points) {
        const std::optional<double> value = line.value(p);
        if (value) path += fmt::format("{}{:.1f} {:.1f}", drawing ? "L" : "M", x_of(p.residency), y_of(*value));
        drawing = value.has_value();
    }
    if (path.empty()) return "";
    return fmt::format("<path class=\"{}\" d=\"{}\"><title>{}</title></path>\n", line.style, path, line.name);
}

std::string plot(const TraceCurves& curves) {
    std::vector<CurvePoint> points;
    for (int i = 0; i <= kSteps; ++i) points.push_back(curve_point(curves, static_cast<double>(i) / kSteps));
    std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"plot-title\">\n"
                                  "<title id=\"plot-title\">Misses by the share of the experts kept: {}</title>\n",
                                  kWidth, kHeight, escaped(curves.info.name));
    svg += axes();
    std::string legend;
    for (const Line& line : lines()) {
        const std::string path = path_of(line, points);
        svg += path;
        if (path.empty()) continue;
        legend += fmt::format("<li><svg class=\"key\" viewBox=\"0 0 30 8\"><title>{0}</title><path class=\"{1}\" "
                              "d=\"M0 4L30 4\"/></svg> {0}</li>\n",
                              line.name, line.style);
    }
    return svg + "</svg>\n<ul>\n" + legend + "</ul>\n";
}

std::string table(const std::vector<CurvePoint>& points) {
    std::string html =
        "<table>\n<caption>Share of the lookups that miss</caption>\n<thead><tr><th>kept</th><th>slots a layer</th>"
        "<th>LRU cold</th><th>LRU warm</th><th>by D(t)</th><th>uniform</th><th>hot set known</th>"
        "<th>hot set learned</th><th>one LRU for all</th><th>Belady</th></tr></thead>\n<tbody>\n";
    const auto cell = [](const std::optional<double>& v) { return v ? escaped(percent(*v)) : std::string("unknown"); };
    for (const CurvePoint& p : points) {
        html += fmt::format("<tr><th>{}</th><td>{}</td>", escaped(percent(p.residency)), count(p.slots));
        const std::optional<double> values[] = {p.cold,       p.warm,        p.by_windows,  p.uniform,
                                                p.hot_inside, p.hot_outside, p.global_warm, p.belady};
        for (const auto& value : values) html += "<td>" + cell(value) + "</td>";
        html += "</tr>\n";
    }
    return html + "</tbody>\n</table>\n";
}

constexpr std::string_view kStyle =
    R"(:root{color-scheme:light dark;--ink:#1a1a1a;--paper:#fff;--grid:#ddd;--a:#777;--b:#d98200;--c:#0060c0;--d:#00866b;--e:#a040a0;--f:#c03030}
@media(prefers-color-scheme:dark){:root{--ink:#e8e8e8;--paper:#161616;--grid:#383838;--a:#999;--b:#ffb347;--c:#6cb6ff;--d:#4fd1b0;--e:#d98fd9;--f:#ff7b72}}
body{font:16px/1.4 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:var(--ink);background:var(--paper)}
svg{width:100%;height:auto}text{fill:var(--ink);font-size:12px}path{fill:none;stroke-width:2}
.key{width:30px;height:8px}.grid{stroke:var(--grid)}.uniform{stroke:var(--a);stroke-dasharray:6 4}.cold{stroke:var(--b)}.warm{stroke:var(--c)}
.windows{stroke:var(--d);stroke-dasharray:2 3}.hot{stroke:var(--e)}.global{stroke:var(--f)}
ul{list-style:none;padding:0;columns:2}table{border-collapse:collapse;font-size:14px}th,td{padding:.2rem .5rem;text-align:right;border-bottom:1px solid var(--grid)}
.synthetic{border:2px solid var(--f);padding:.5rem}
)";

} // namespace

std::string trace_html(const TraceCurveAnswer& answer) {
    const TraceCurves& curves = answer.curves;
    const std::string name = escaped(curves.info.name);
    std::string html =
        fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Miss curve: {}</title>\n"
                    "<style>\n{}</style>\n</head>\n<body>\n<h1>Miss curve: {}</h1>\n",
                    name, kStyle, name);
    if (curves.info.synthetic) html += "<p class=\"synthetic\">Synthetic routing, not measured.</p>\n";
    if (!curves.info.model.empty()) html += "<p>Model " + escaped(curves.info.model) + "</p>\n";
    html += fmt::format("<p>{} layers, E = {}, k = {}, {} tokens, step {}, warm after {} tokens.</p>\n",
                        curves.layers.size(), curves.experts, significant(curves.top_k, 3), curves.tokens,
                        curves.step == 0 ? "the whole prompt" : fmt::format("{}", curves.step), curves.warm_after);
    if (const auto difference = window_difference(answer.points)) {
        html +=
            fmt::format("<p>The curve from D(t) and the warm replay differ by at most {:.1f} points{}.</p>\n",
                        100.0 * *difference, *difference > kStationaryDifference ? ": not stationary, or short" : "");
    }
    if (curves.malformed.count > 0)
        html += fmt::format("<p>{} malformed lines left out.</p>\n", curves.malformed.count);
    return html + plot(curves) + table(answer.points) +
           fmt::format("<p>spillway {}</p>\n</body>\n</html>\n", answer.version);
}

} // namespace spillway
