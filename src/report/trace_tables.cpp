#include "report/trace_tables.h"

#include <cmath>

namespace spillway {

namespace {

std::string_view routing_of(bool synthetic) { return synthetic ? "synthetic" : "trace"; }

Table named(std::initializer_list<const char*> names) {
    Table table;
    table.short_numbers = true;
    for (const char* name : names) table.columns.push_back({name, name});
    return table;
}

TableRow curve_row(std::string_view routing, const Cell& layer, const CurvePoint& p) {
    return {routing,      layer,        p.residency,   p.slots,       p.uniform,     p.cold,  p.warm,
            p.by_windows, p.hot_inside, p.hot_outside, p.global_cold, p.global_warm, p.belady};
}

} // namespace

std::optional<double> fitted_miss(const TraceFitAnswer& answer, double residency) {
    if (!answer.fit) return std::nullopt;
    return std::pow(1.0 - std::sqrt(residency), answer.fit->exponent);
}

Table trace_data(const TraceCurveAnswer& answer) {
    Table table =
        named({"routing", "layer", "residency", "slots_per_layer", "uniform", "lru_cold", "lru_warm", "by_windows",
               "hot_set_known", "hot_set_learned", "global_lru_cold", "global_lru_warm", "belady"});
    const std::string_view routing = routing_of(answer.curves.info.synthetic);
    for (const CurvePoint& p : answer.points) table.rows.push_back(curve_row(routing, "all", p));
    for (const LayerCurves& layer : answer.curves.layers) {
        for (const CurvePoint& p : answer.points)
            table.rows.push_back(curve_row(routing, layer.layer, curve_point(answer.curves, layer, p.residency)));
    }
    return table;
}

Table trace_data(const TraceInspection& answer) {
    Table table = named({"routing", "layer", "tokens", "selections", "distinct_experts", "coverage", "entropy_bits",
                         "hottest_expert", "hottest_share", "top_tenth_share", "repeated"});
    const TraceShape& shape = answer.shape;
    for (const LayerPopularity& l : shape.layers) {
        table.rows.push_back({routing_of(shape.info.synthetic), l.layer, l.tokens, l.selections, l.distinct_experts,
                              static_cast<double>(l.distinct_experts) / shape.experts, l.entropy_bits, l.hottest_expert,
                              l.hottest_share, l.top_tenth_share, l.repeated});
    }
    return table;
}

Table trace_data(const TraceFitAnswer& answer) {
    Table table = named({"routing", "residency", "miss_fraction", "fitted"});
    const std::string_view routing = answer.counters ? "counters" : routing_of(answer.synthetic);
    for (const MissPoint& p : answer.measured.points) {
        table.rows.push_back({routing, p.residency, p.miss_fraction, fitted_miss(answer, p.residency)});
    }
    return table;
}

} // namespace spillway
