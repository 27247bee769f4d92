#include "report/trace_parts.h"

#include "report/figures.h"

#include <fmt/format.h>

namespace spillway {

Document trace_head(std::string kind, const TraceInfo& info, const std::string& version) {
    Document document{.kind = kind,
                      .title = info.name,
                      .lead = kind + ": ",
                      .sections = {},
                      .data = std::nullopt,
                      .version = version};
    DocumentSection& head = document.add("");
    if (info.synthetic) head.line("SYNTHETIC routing, not measured: good for what-ifs only", Tone::warning);
    if (!info.model.empty()) head.line("model " + info.model);
    return document;
}

std::string layers_text(std::size_t count) { return fmt::format("{} layer{}", count, count == 1 ? "" : "s"); }

std::string share_text(const std::optional<double>& value) { return value ? percent(*value) : "-"; }

void add_experts_line(std::uint32_t experts, bool stated, DocumentSection& section) {
    if (stated) return;
    section.line(fmt::format("E = {} is the largest id seen plus one: --experts states it", experts), Tone::warning);
}

LineChart miss_chart(std::string id, std::string title) {
    const auto per_cent = [](double share) { return fmt::format("{:.0f} %", 100.0 * share); };
    LineChart chart;
    chart.id = std::move(id);
    chart.title = std::move(title);
    chart.description = "Lower is better; the table has some of the points.";
    chart.x = {"share of the experts kept", 0.0, 1.0, per_cent};
    chart.y = {"lookups that miss", 0.0, 1.0, per_cent};
    return chart;
}

void add_line(ChartLine line, Curve& curve) {
    curve.legend.push_back({Legend::Key::line, line.style, line.label});
    curve.chart.lines.push_back(std::move(line));
}

void add_malformed(const Malformed& malformed, Document& document) {
    if (malformed.count == 0) return;
    DocumentSection& section =
        document.add(fmt::format("{} malformed line{} left out", malformed.count, malformed.count == 1 ? "" : "s"));
    for (const Problem& problem : malformed.first)
        section.line(fmt::format("{}: {}: {}", problem.pointer, problem.message, problem.found));
    if (malformed.count > malformed.first.size()) section.line("...");
}

} // namespace spillway
