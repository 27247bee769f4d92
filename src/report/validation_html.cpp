// A validation as a page: predicted over measured, then the tables of the text form.
#include "report/figures.h"
#include "report/html_page.h"
#include "report/svg.h"
#include "report/svg_scatter.h"
#include "report/validation.h"

#include <fmt/format.h>

#include <array>

namespace spillway {

namespace {

// What a point's colour tells: where the weights lay.
struct Hue {
    std::string_view style, name;
};
constexpr std::array<Hue, 4> kHues = {
    {{"own", "resident, cards, batches, drafts"}, {"other1", "split"}, {"other2", "CPU"}, {"other3", "streamed"}}};

const Hue& hue_of(const Replay& replay) {
    switch (replay.run->kind) {
    case RunKind::split: return kHues[1];
    case RunKind::cpu: return kHues[2];
    case RunKind::streamed: return kHues[3];
    default: return kHues[0];
    }
}

std::string point_title(const Replay& replay) {
    const MeasuredRun& run = *replay.run;
    std::string title = fmt::format("{} | {} | {}", replay_text(replay),
                                    EnumNames<ReplayKind>::names[static_cast<std::size_t>(*replay.kind)], run.quant);
    for (const std::string& more : {run.build, run.remarks, source_of(*replay.group, run)})
        if (!more.empty()) title += " | " + more;
    return title;
}

ScatterChart chart_of(const Validation& validation, SpeedPhase phase, bool narrow) {
    const std::string name(EnumNames<SpeedPhase>::names[static_cast<std::size_t>(phase)]);
    ScatterChart chart;
    chart.id = name + (narrow ? "-narrow" : "-wide");
    chart.title = fmt::format("Predicted over measured {} speed", name);
    chart.description = "A point per measured run; on the diagonal the prediction is right, on the dashed lines it is "
                        "off by a factor of two.";
    chart.size = narrow ? 380.0 : 680.0;
    chart.x_label = "measured tok/s";
    chart.y_label = "predicted tok/s";
    for (const Replay& replay : validation.replays) {
        if (replay.phase != phase || replay.standing != Standing::counted) continue;
        chart.points.push_back(
            {replay.measured, *replay.predicted, point_title(replay), std::string(hue_of(replay).style)});
    }
    return chart;
}

std::string legend() {
    std::string html = "<ul class=\"legend\">\n";
    for (const Hue& hue : kHues) {
        html += fmt::format("<li><svg viewBox=\"0 0 34 10\" aria-hidden=\"true\"><circle class=\"point {}\" cx=\"17\" "
                            "cy=\"5\" r=\"4\"/></svg><span>{}</span></li>\n",
                            hue.style, hue.name);
    }
    return html + "</ul>\n";
}

std::string phase_section(const Validation& validation, SpeedPhase phase, std::string_view title) {
    const ScatterChart wide = chart_of(validation, phase, false);
    if (wide.points.empty()) return {};
    return html_heading(title) + html_figure(scatter_chart(wide), scatter_chart(chart_of(validation, phase, true)),
                                             "<figcaption>The line is a right prediction, the dashed ones are off by "
                                             "a factor of two. Point at a row for its source.</figcaption>\n" +
                                                 legend());
}

// Figures of a cell stay on one line, to the right, like numbers.
std::string scores(const Table& table) {
    HtmlTable html = html_table_of(table);
    html.numbers.assign(html.numbers.size(), true);
    html.numbers.front() = false;
    return html_table(html);
}

} // namespace

std::string validation_html(const ValidationReport& report) {
    const Validation& v = report.validation;
    std::string body =
        "<header>\n<h1>Predicted and measured</h1>\n" + html_paragraph(tally_text(v), "soft") + "</header>\n";
    if (report.comparison) body += html_heading("Against the stored baseline") + html_list(comparison_texts(report));
    body += phase_section(v, SpeedPhase::decode, "Decode") + phase_section(v, SpeedPhase::prefill, "Prefill");
    static constexpr std::array<std::string_view, 5> kTitles = {"All", "Kinds", "Engines", "Classes of machines",
                                                                "Models"};
    for (const GroupBy by : {GroupBy::kind, GroupBy::all, GroupBy::engine, GroupBy::machine_class, GroupBy::model}) {
        const Table table = score_table(v, by);
        if (table.rows.empty()) continue;
        body += html_heading(kTitles[static_cast<std::size_t>(by)]) + scores(table);
    }
    const std::vector<const Replay*> rows = report.rows ? all_replays(v) : worst(v, report.worst);
    if (!rows.empty())
        body += html_heading(report.rows ? "Every row" : "Rows furthest off") +
                html_table(html_table_of(brief_replay_table(rows)));
    body +=
        fmt::format("<footer>spillway {}. Every predicted figure is an estimate.</footer>\n", markup(report.version));
    return html_page("spillway: predicted and measured", body);
}

} // namespace spillway
