// The documents of `trace inspect` and `trace fit`; that of `trace curve` is in trace_curve_document.cpp.
#include "report/figures.h"
#include "report/trace_parts.h"
#include "report/trace_tables.h"

#include <fmt/format.h>

#include <cmath>

namespace spillway {

namespace {

// --- inspect ----------------------------------------------------------------------------------------------------

Table layer_table(const TraceShape& shape) {
    Table table;
    table.columns = {{"layer", "layer", Show::figure, 5, 0}};
    for (const char* title : {"tokens", "experts", "of all", "entropy", "hottest", "top tenth", "repeated"})
        table.columns.push_back({title, title, Show::figure, 10, 0});
    for (const LayerPopularity& l : shape.layers) {
        table.rows.push_back({l.layer, l.tokens, l.distinct_experts,
                              percent(static_cast<double>(l.distinct_experts) / shape.experts),
                              fmt::format("{:.2f} bit", l.entropy_bits), percent(l.hottest_share),
                              percent(l.top_tenth_share), share_text(l.repeated)});
    }
    return table;
}

// --- fit --------------------------------------------------------------------------------------------------------

void add_measured(const TraceFitAnswer& answer, DocumentSection& head) {
    const MeasuredPoints& measured = answer.measured;
    const double floor = measured.points.empty() ? 0.0 : measured.points.back().miss_fraction;
    head.line(answer.counters
                  ? "hits and misses as the engine counted them"
                  : fmt::format("per-layer LRU, {}; with everything kept {} still miss (first uses)",
                                measured.warm ? "warm" : "from cold: the trace is too short for a warm part",
                                percent(floor)));
    if (measured.levelled == 0) return;
    head.line(fmt::format("{} points rose with residency and were levelled to their mean", measured.levelled),
              Tone::warning);
}

Sentence judgement(const ExponentFit& fit) {
    const std::string limits =
        fmt::format("{:.0f} points rms and {:.0f} at most", 100.0 * kGoodRms, 100.0 * kGoodLargest);
    if (fit.good()) return {"a good fit: within " + limits, Tone::good};
    if (fit.at_limit)
        return {"a bad fit: the curve lies above the whole family (a >= 1); a table describes it", Tone::bad};
    return {"a bad fit: a good one is within " + limits + "; a table describes it", Tone::bad};
}

void add_fit(const TraceFitAnswer& answer, Document& document) {
    DocumentSection& section = document.add("miss fraction m(r) = (1 - sqrt r)^a");
    if (!answer.fit) {
        section.line("no point between 0 and 100 % residency: no fit", Tone::bad);
        return;
    }
    const ExponentFit& fit = *answer.fit;
    const std::string error = fit.standard_error ? fmt::format(" +- {:.3f} (standard error)", *fit.standard_error) : "";
    section.line(fmt::format("a = {:.3f}{}, {} points", fit.exponent, error, fit.points));
    section.line(fmt::format("residuals: {:.1f} points rms, {:.1f} at most, at {} residency", 100.0 * fit.rms_residual,
                             100.0 * fit.largest_residual, percent(fit.largest_at)));
    if (!answer.counters) section.line("fitted from two tokens' experts per layer upwards, every 5 % of residency");
    section.add(judgement(fit));
}

// Measured points with the fitted curve through them.
Curve fit_curve(const TraceFitAnswer& answer) {
    Curve curve;
    curve.chart = miss_chart("fit", "Misses by the share of the experts kept");
    ChartLine measured{"measured", "own", {}}, fitted{"fitted", "other3", {}};
    for (const MissPoint& p : answer.measured.points) {
        measured.points.push_back({p.residency, p.miss_fraction});
        fitted.points.push_back({p.residency, fitted_miss(answer, p.residency)});
    }
    add_line(std::move(measured), curve);
    if (answer.fit) add_line(std::move(fitted), curve);
    return curve;
}

void add_points(const TraceFitAnswer& answer, Document& document) {
    Table table;
    table.columns = {{"residency", "kept", Show::figure, 9, 0}, {"miss", "miss", Show::figure, 8, 0}};
    if (answer.fit) table.columns.push_back({"fitted", "fitted", Show::figure, 8, 0});
    DocumentSection& section = document.add("points");
    if (!answer.measured.points.empty()) section.add(fit_curve(answer));
    for (const MissPoint& p : answer.measured.points) {
        const auto fitted = fitted_miss(answer, p.residency);
        TableRow row{percent(p.residency), percent(p.miss_fraction)};
        if (fitted) row.cells.emplace_back(percent(*fitted));
        row.line = fmt::format("{:>9} kept: {:>8} miss{}", percent(p.residency), percent(p.miss_fraction),
                               fitted ? fmt::format(", fitted {:>8}", percent(*fitted)) : "");
        table.rows.push_back(std::move(row));
    }
    table.heads = false;
    section.add(std::move(table));
}

} // namespace

Document trace_document(const TraceInspection& answer) {
    const TraceShape& shape = answer.shape;
    Document document = trace_head("trace inspect", shape.info, answer.version);
    document.data = trace_data(answer);
    DocumentSection& head = document.sections.front();
    const std::string k = shape.top_k_least == shape.top_k_most
                              ? fmt::format("{}", shape.top_k_most)
                              : fmt::format("{} to {}", shape.top_k_least, shape.top_k_most);
    head.line(fmt::format("format {}: {}, E = {}, k = {}", shape.info.format, layers_text(shape.layers.size()),
                          shape.experts, k));
    add_experts_line(shape.experts, shape.experts_stated, head);
    head.line(fmt::format("{} turn{}, {} prefill and {} decode tokens, {} selections", shape.turns,
                          shape.turns == 1 ? "" : "s", shape.prefill_tokens, shape.decode_tokens, shape.selections));
    DocumentSection& layers = document.add("by layer");
    layers.add(layer_table(shape));
    layers.line(fmt::format("equally popular experts: {:.2f} bit, top tenth {}; independent tokens repeat {}",
                            std::log2(static_cast<double>(shape.experts)),
                            percent(static_cast<double>((shape.experts + 9U) / 10U) / shape.experts),
                            percent(static_cast<double>(shape.top_k_most) / shape.experts)));
    add_malformed(shape.malformed, document);
    return document;
}

Document trace_document(const TraceFitAnswer& answer) {
    TraceInfo info;
    info.name = answer.name;
    info.synthetic = answer.synthetic;
    Document document =
        trace_head(answer.counters ? "trace fit of an engine's counters" : "trace fit", info, answer.version);
    document.data = trace_data(answer);
    add_measured(answer, document.sections.front());
    add_fit(answer, document);
    add_points(answer, document);
    if (!answer.profile_file.empty())
        document.add(fmt::format("wrote {} ({})", answer.profile_file,
                                 answer.profile.kind == LocalityKind::fitted ? "fitted" : "table"));
    add_malformed(answer.malformed, document);
    return document;
}

} // namespace spillway
