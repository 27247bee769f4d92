// The document of `trace curve`.
#include "report/figures.h"
#include "report/trace_parts.h"
#include "report/trace_tables.h"
#include "text/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace spillway {

namespace {

// Without the blank behind "<" and ">", so that ten columns fit.
std::string narrow(const std::optional<double>& value) {
    std::string text = share_text(value);
    if (text.starts_with("< ") || text.starts_with("> ")) text.erase(1, 1);
    return text;
}

void add_shape(const TraceCurves& curves, DocumentSection& head) {
    const std::string_view phase = curves.phase == RoutePhase::decode ? "decode" : "prefill";
    head.line(fmt::format("{}, E = {}, k = {}, {} {} tokens, {} selections", layers_text(curves.layers.size()),
                          curves.experts, significant(curves.top_k, 3), curves.tokens, phase, curves.selections));
    add_experts_line(curves.experts, curves.experts_stated, head);
    const std::string step = curves.step == 0   ? "the whole prompt"
                             : curves.step == 1 ? "1 token"
                                                : fmt::format("{} tokens", curves.step);
    head.line(fmt::format("a step is {}; its distinct experts are looked up once; warm: after {} tokens", step,
                          curves.warm_after));
}

// --- the curves -------------------------------------------------------------------------------------------------

struct CurveKind {
    std::string_view style, name;
    std::optional<double> (*value)(const CurvePoint&);
};

constexpr std::array<CurveKind, 6> kCurves = {{
    {"uniform", "uniform routing: 1 - r", [](const CurvePoint& p) { return std::optional(p.uniform); }},
    {"other3", "LRU per layer, from cold", [](const CurvePoint& p) { return p.cold; }},
    {"own", "LRU per layer, warm", [](const CurvePoint& p) { return p.warm; }},
    {"other1", "by D(t)", [](const CurvePoint& p) { return p.by_windows; }},
    {"other2", "hot set, learned before", [](const CurvePoint& p) { return p.hot_outside; }},
    {"other4", "one LRU for all layers, warm", [](const CurvePoint& p) { return p.global_warm; }},
}};

// Every per cent of residency; a curve without any value is left out.
Curve curves_of(const TraceCurves& curves) {
    constexpr int kSteps = 100;
    std::vector<CurvePoint> points;
    for (int i = 0; i <= kSteps; ++i) points.push_back(curve_point(curves, static_cast<double>(i) / kSteps));
    Curve curve;
    curve.chart = miss_chart("misses", "Misses by the share of the experts kept: " + curves.info.name);
    for (const CurveKind& kind : kCurves) {
        ChartLine line{std::string(kind.name), std::string(kind.style), {}};
        bool any = false;
        for (const CurvePoint& p : points) {
            line.points.push_back({p.residency, kind.value(p)});
            any = any || line.points.back().y.has_value();
        }
        if (any) add_line(std::move(line), curve);
    }
    return curve;
}

Table point_table(const std::vector<CurvePoint>& points) {
    Table table;
    for (const char* title : {"kept\n", "slots\na layer", "LRU\ncold", "LRU\nwarm", "by\nD(t)", "uni-\nform",
                              "hot set\nknown", "hot set\nlearned", "one LRU\nfor all", "Belady\n"})
        table.columns.push_back({title, title, Show::figure, 8, 0});
    for (const CurvePoint& p : points) {
        table.rows.push_back({narrow(p.residency), count(p.slots), narrow(p.cold), narrow(p.warm), narrow(p.by_windows),
                              narrow(p.uniform), narrow(p.hot_inside), narrow(p.hot_outside), narrow(p.global_warm),
                              narrow(p.belady)});
    }
    return table;
}

// The layers that miss least and most, warm if there is a warm part.
void add_spread(const TraceCurveAnswer& answer, Document& document) {
    if (answer.curves.layers.size() < 2) return;
    DocumentSection& section = document.add("least and most of any layer");
    for (const CurvePoint& point : answer.points) {
        std::vector<std::pair<double, std::uint32_t>> layers;
        for (const LayerCurves& layer : answer.curves.layers) {
            const CurvePoint p = curve_point(answer.curves, layer, point.residency);
            if (const auto miss = point.warm ? p.warm : p.cold) layers.emplace_back(*miss, layer.layer);
        }
        if (layers.empty()) continue;
        const auto [least, most] = std::minmax_element(layers.begin(), layers.end());
        section.line(fmt::format("{:>9} kept: {} (layer {}) to {} (layer {})", percent(point.residency),
                                 percent(least->first), least->second, percent(most->first), most->second));
    }
}

// --- the rest ---------------------------------------------------------------------------------------------------

void add_windows(const TraceCurveAnswer& answer, Document& document) {
    const TraceCurves& curves = answer.curves;
    const std::vector<double> distinct = mean_distinct(curves);
    if (distinct.empty()) return;
    DocumentSection& section = document.add("distinct experts of t tokens in a row, mean of the layers");
    const double active = curves.top_k / curves.experts;
    Table table;
    table.columns = {
        {"t", "tokens", Show::figure, 5}, {"distinct", "distinct", Show::figure}, {"uniform", "uniform", Show::figure}};
    table.heads = false;
    for (std::size_t t = 1; t <= distinct.size(); t *= 2) {
        const std::string here = significant(distinct[t - 1], 3);
        const std::string uniform =
            significant(curves.experts * (1.0 - std::pow(1.0 - active, static_cast<double>(t))), 3);
        TableRow row{t, here, uniform};
        row.line = fmt::format("t = {:>5}: {:>7}   uniform {:>7}", t, here, uniform);
        table.rows.push_back(std::move(row));
    }
    section.add(std::move(table));
    const auto difference = window_difference(answer.points);
    if (!difference) return;
    const bool stationary = *difference <= kStationaryDifference;
    section.line(fmt::format("the curve from D(t) and the warm replay differ by at most {:.1f} points{}",
                             100.0 * *difference, stationary ? "" : ": not stationary, or short"),
                 stationary ? Tone::plain : Tone::warning);
}

void add_global(const TraceCurves& curves, Document& document) {
    if (!curves.token_order) {
        document.add("one cache for all layers: unknown")
            .line("the trace is ordered by layer, so the order in which tokens passed is lost");
        return;
    }
    if (!curves.global) return;
    DocumentSection& section = document.add("one LRU for all layers: the cliff");
    const auto all = static_cast<double>(curves.experts) * static_cast<double>(curves.layers.size());
    section.line(fmt::format("the experts of one step of all layers take {} slots ({})", curves.global->cycle,
                             percent(curves.global->cycle / all)));
    section.line(curves.global->first_hit
                     ? fmt::format("an LRU of fewer than {} slots ({}) hits nothing", *curves.global->first_hit,
                                   percent(*curves.global->first_hit / all))
                     : "nothing is ever used twice");
}

void add_budgets(const std::vector<BudgetReplay>& budgets, Document& document) {
    if (budgets.empty()) return;
    DocumentSection& section = document.add("one LRU in bytes, from cold, prompt included");
    for (const BudgetReplay& b : budgets) {
        const double hits = static_cast<double>(b.hits) / static_cast<double>(std::max<std::uint64_t>(1, b.lookups));
        section.line(fmt::format("{:>9}: {:.2f} % of {} lookups hit, {} read",
                                 print_short(Bytes(static_cast<double>(b.budget_bytes))), 100.0 * hits, b.lookups,
                                 print_short(Bytes(static_cast<double>(b.missed_bytes)))));
    }
}

} // namespace

Document trace_document(const TraceCurveAnswer& answer) {
    Document document = trace_head("trace curve", answer.curves.info, answer.version);
    document.data = trace_data(answer);
    add_shape(answer.curves, document.sections.front());
    DocumentSection& misses = document.add("share of the lookups that miss");
    misses.add(curves_of(answer.curves));
    misses.add(point_table(answer.points));
    add_spread(answer, document);
    add_windows(answer, document);
    add_global(answer.curves, document);
    add_budgets(answer.budgets, document);
    add_malformed(answer.curves.malformed, document);
    return document;
}

} // namespace spillway
