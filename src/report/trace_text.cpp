#include "report/figures.h"
#include "report/page.h"
#include "report/trace.h"
#include "text/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

std::string share(const std::optional<double>& value) { return value ? percent(*value) : "-"; }

// Without the blank behind "<" and ">", so that ten columns fit.
std::string narrow(const std::optional<double>& value) {
    std::string text = share(value);
    if (text.starts_with("< ") || text.starts_with("> ")) text.erase(1, 1);
    return text;
}

std::string layers(std::size_t count) { return fmt::format("{} layer{}", count, count == 1 ? "" : "s"); }

void title(Page& page, const TraceInfo& info, std::string_view what) {
    page.line(fmt::format("{}: {}", what, info.name), 4, Paint::heading);
    if (info.synthetic) page.line("SYNTHETIC routing, not measured: good for what-ifs only", 4, Paint::warning);
    if (!info.model.empty()) page.line("model " + info.model);
}

void malformed_lines(Page& page, const Malformed& malformed) {
    if (malformed.count == 0) return;
    page.heading(fmt::format("{} malformed line{} left out", malformed.count, malformed.count == 1 ? "" : "s"));
    for (const Problem& problem : malformed.first) {
        page.line(fmt::format("{}: {}: {}", problem.pointer, problem.message, problem.found));
    }
    if (malformed.count > malformed.first.size()) page.line("...");
}

std::string_view phase_name(RoutePhase phase) { return phase == RoutePhase::decode ? "decode" : "prefill"; }

void experts_line(Page& page, std::uint32_t experts, bool stated) {
    if (stated) return;
    page.line(fmt::format("E = {} is the largest id seen plus one: --experts states it", experts), 4, Paint::warning);
}

void curve_head(Page& page, const TraceCurves& curves) {
    title(page, curves.info, "trace curve");
    page.line(fmt::format("{}, E = {}, k = {}, {} {} tokens, {} selections", layers(curves.layers.size()),
                          curves.experts, significant(curves.top_k, 3), curves.tokens, phase_name(curves.phase),
                          curves.selections));
    experts_line(page, curves.experts, curves.experts_stated);
    const std::string step = curves.step == 0   ? "the whole prompt"
                             : curves.step == 1 ? "1 token"
                                                : fmt::format("{} tokens", curves.step);
    page.line(fmt::format("a step is {}; its distinct experts are looked up once; warm: after {} tokens", step,
                          curves.warm_after));
}

void curve_table(Page& page, const std::vector<CurvePoint>& points) {
    page.heading("share of the lookups that miss");
    const auto row = [&](std::initializer_list<std::string> cells) {
        std::string line;
        for (const std::string& cell : cells) line += right(cell, 8);
        page.line(line);
    };
    row({"kept", "slots", "LRU", "LRU", "by", "uni-", "hot set", "hot set", "one LRU", "Belady"});
    row({"", "a layer", "cold", "warm", "D(t)", "form", "known", "learned", "for all", ""});
    for (const CurvePoint& p : points) {
        row({narrow(p.residency), count(p.slots), narrow(p.cold), narrow(p.warm), narrow(p.by_windows),
             narrow(p.uniform), narrow(p.hot_inside), narrow(p.hot_outside), narrow(p.global_warm), narrow(p.belady)});
    }
}

// The layers that miss least and most, warm if there is a warm part.
void layer_spread(Page& page, const TraceCurveAnswer& answer) {
    if (answer.curves.layers.size() < 2) return;
    page.heading("least and most of any layer");
    for (const CurvePoint& point : answer.points) {
        std::vector<std::pair<double, std::uint32_t>> layers;
        for (const LayerCurves& layer : answer.curves.layers) {
            const CurvePoint p = curve_point(answer.curves, layer, point.residency);
            if (const auto miss = point.warm ? p.warm : p.cold) layers.emplace_back(*miss, layer.layer);
        }
        if (layers.empty()) continue;
        const auto [least, most] = std::minmax_element(layers.begin(), layers.end());
        page.line(fmt::format("{:>9} kept: {} (layer {}) to {} (layer {})", percent(point.residency),
                              percent(least->first), least->second, percent(most->first), most->second));
    }
}

void window_lines(Page& page, const TraceCurveAnswer& answer) {
    const TraceCurves& curves = answer.curves;
    const std::vector<double> distinct = mean_distinct(curves);
    if (distinct.empty()) return;
    page.heading("distinct experts of t tokens in a row, mean of the layers");
    const double active = curves.top_k / curves.experts;
    for (std::size_t t = 1; t <= distinct.size(); t *= 2) {
        const double uniform = curves.experts * (1.0 - std::pow(1.0 - active, static_cast<double>(t)));
        page.line(fmt::format("t = {:>5}: {:>7}   uniform {:>7}", t, significant(distinct[t - 1], 3),
                              significant(uniform, 3)));
    }
    const auto difference = window_difference(answer.points);
    if (!difference) return;
    const bool stationary = *difference <= kStationaryDifference;
    page.line(fmt::format("the curve from D(t) and the warm replay differ by at most {:.1f} points{}",
                          100.0 * *difference, stationary ? "" : ": not stationary, or short"),
              4, stationary ? Paint::none : Paint::warning);
}

void global_lines(Page& page, const TraceCurves& curves) {
    if (!curves.token_order) {
        page.heading("one cache for all layers: unknown");
        page.line("the trace is ordered by layer, so the order in which tokens passed is lost");
        return;
    }
    if (!curves.global) return;
    const auto all = static_cast<double>(curves.experts) * static_cast<double>(curves.layers.size());
    page.heading("one LRU for all layers: the cliff");
    page.line(fmt::format("the experts of one step of all layers take {} slots ({})", curves.global->cycle,
                          percent(curves.global->cycle / all)));
    if (curves.global->first_hit) {
        page.line(fmt::format("an LRU of fewer than {} slots ({}) hits nothing", *curves.global->first_hit,
                              percent(*curves.global->first_hit / all)));
    } else {
        page.line("nothing is ever used twice");
    }
}

void budget_lines(Page& page, const std::vector<BudgetReplay>& budgets) {
    if (budgets.empty()) return;
    page.heading("one LRU in bytes, from cold, prompt included");
    for (const BudgetReplay& b : budgets) {
        const double hits = static_cast<double>(b.hits) / static_cast<double>(std::max<std::uint64_t>(1, b.lookups));
        page.line(fmt::format("{:>9}: {:.2f} % of {} lookups hit, {} read",
                              print_short(Bytes(static_cast<double>(b.budget_bytes))), 100.0 * hits, b.lookups,
                              print_short(Bytes(static_cast<double>(b.missed_bytes)))));
    }
}

} // namespace

std::string trace_text(const TraceCurveAnswer& answer, const TraceTextOptions& options) {
    Page page(options.width, options.color);
    curve_head(page, answer.curves);
    curve_table(page, answer.points);
    layer_spread(page, answer);
    window_lines(page, answer);
    global_lines(page, answer.curves);
    budget_lines(page, answer.budgets);
    malformed_lines(page, answer.curves.malformed);
    return page.text();
}

std::string trace_text(const TraceInspection& answer, const TraceTextOptions& options) {
    const TraceShape& shape = answer.shape;
    Page page(options.width, options.color);
    title(page, shape.info, "trace inspect");
    const std::string k = shape.top_k_least == shape.top_k_most
                              ? fmt::format("{}", shape.top_k_most)
                              : fmt::format("{} to {}", shape.top_k_least, shape.top_k_most);
    page.line(
        fmt::format("format {}: {}, E = {}, k = {}", shape.info.format, layers(shape.layers.size()), shape.experts, k));
    experts_line(page, shape.experts, shape.experts_stated);
    page.line(fmt::format("{} turn{}, {} prefill and {} decode tokens, {} selections", shape.turns,
                          shape.turns == 1 ? "" : "s", shape.prefill_tokens, shape.decode_tokens, shape.selections));
    page.heading("by layer");
    const auto row = [&](std::initializer_list<std::string> cells) {
        std::string line;
        for (const std::string& cell : cells) line += right(cell, line.empty() ? 5 : 10);
        page.line(line);
    };
    row({"layer", "tokens", "experts", "of all", "entropy", "hottest", "top tenth", "repeated"});
    for (const LayerPopularity& l : shape.layers) {
        row({fmt::format("{}", l.layer), fmt::format("{}", l.tokens), fmt::format("{}", l.distinct_experts),
             percent(static_cast<double>(l.distinct_experts) / shape.experts),
             fmt::format("{:.2f} bit", l.entropy_bits), percent(l.hottest_share), percent(l.top_tenth_share),
             share(l.repeated)});
    }
    page.line(fmt::format("equally popular experts: {:.2f} bit, top tenth {}; independent tokens repeat {}",
                          std::log2(static_cast<double>(shape.experts)),
                          percent(static_cast<double>((shape.experts + 9U) / 10U) / shape.experts),
                          percent(static_cast<double>(shape.top_k_most) / shape.experts)));
    malformed_lines(page, shape.malformed);
    return page.text();
}

std::string trace_text(const TraceFitAnswer& answer, const TraceTextOptions& options) {
    Page page(options.width, options.color);
    TraceInfo info;
    info.name = answer.name;
    info.synthetic = answer.synthetic;
    title(page, info, answer.counters ? "trace fit of an engine's counters" : "trace fit");
    const double floor = answer.measured.points.empty() ? 0.0 : answer.measured.points.back().miss_fraction;
    page.line(answer.counters
                  ? "hits and misses as the engine counted them"
                  : fmt::format("per-layer LRU, {}; with everything kept {} still miss (first uses)",
                                answer.measured.warm ? "warm" : "from cold: the trace is too short for a warm part",
                                percent(floor)));
    if (answer.measured.levelled > 0) {
        page.line(
            fmt::format("{} points rose with residency and were levelled to their mean", answer.measured.levelled), 4,
            Paint::warning);
    }
    page.heading("miss fraction m(r) = (1 - sqrt r)^a");
    if (answer.fit) {
        const ExponentFit& fit = *answer.fit;
        page.line(fmt::format("a = {:.3f}{}, {} points", fit.exponent,
                              fit.standard_error ? fmt::format(" +- {:.3f} (standard error)", *fit.standard_error) : "",
                              fit.points));
        page.line(fmt::format("residuals: {:.1f} points rms, {:.1f} at most, at {} residency", 100.0 * fit.rms_residual,
                              100.0 * fit.largest_residual, percent(fit.largest_at)));
        if (!answer.counters) page.line("fitted from two tokens' experts per layer upwards, every 5 % of residency");
        const std::string limits =
            fmt::format("{:.0f} points rms and {:.0f} at most", 100.0 * kGoodRms, 100.0 * kGoodLargest);
        page.line(fit.good()     ? "a good fit: within " + limits
                  : fit.at_limit ? "a bad fit: the curve lies above the whole family (a >= 1); a table describes it"
                                 : "a bad fit: a good one is within " + limits + "; a table describes it",
                  4, fit.good() ? Paint::good : Paint::bad);
    } else {
        page.line("no point between 0 and 100 % residency: no fit", 4, Paint::bad);
    }
    page.heading("points");
    for (const MissPoint& p : answer.measured.points) {
        const double fitted = answer.fit ? std::pow(1.0 - std::sqrt(p.residency), answer.fit->exponent) : 0.0;
        page.line(fmt::format("{:>9} kept: {:>8} miss{}", percent(p.residency), percent(p.miss_fraction),
                              answer.fit ? fmt::format(", fitted {:>8}", percent(fitted)) : ""));
    }
    if (!answer.profile_file.empty()) {
        page.heading(fmt::format("wrote {} ({})", answer.profile_file,
                                 answer.profile.kind == LocalityKind::fitted ? "fitted" : "table"));
    }
    malformed_lines(page, answer.malformed);
    return page.text();
}

} // namespace spillway
