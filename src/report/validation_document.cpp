// The document of a validation: at a terminal one screen, on pages also charts and the scores of other groups.
#include "report/figures.h"
#include "report/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace spillway {

namespace {

// Per cent without a sign. What rounds to all of them without being all says 99.
std::string whole(double share) {
    const double percent = 100.0 * share;
    return fmt::format("{:.0f}", share < 1.0 && percent > 99.0 ? 99.0 : percent);
}
std::string whole(const std::optional<double>& share) { return share ? whole(*share) : "-"; }

std::string ratio_text(double ratio) { return ratio < 9.995 ? fmt::format("{:.2f}", ratio) : significant(ratio, 3); }

std::string errors_text(const Spread& s) {
    return s.n == 0 ? "-" : fmt::format("{} / {}", whole(s.error_median), whole(s.error_p90));
}

TableRow score_row(const GroupScore& group) {
    const Spread& s = group.product.spread;
    const Spread& thumb = group.rule_of_thumb.spread;
    const Agreement& verdict = group.product.verdict;
    const std::string_view phase = EnumNames<SpeedPhase>::names[static_cast<std::size_t>(group.phase)];
    std::string name = group.name;
    if (group.by != GroupBy::kind) name += fmt::format("{} {}", group.by == GroupBy::all ? "" : ",", phase);
    TableRow row{
        name,
        s.n,
        ratio_text(s.ratio_p10),
        ratio_text(s.ratio_median),
        ratio_text(s.ratio_p90),
        fmt::format("{} / {} / {}", ratio_text(s.ratio_p10), ratio_text(s.ratio_median), ratio_text(s.ratio_p90)),
        whole(s.error_median),
        whole(s.error_p90),
        errors_text(s),
        whole(group.in_band),
        whole(group.product.order.share()),
        whole(verdict.share()),
        fmt::format("{} ({}, {})", whole(verdict.share()), verdict.false_holds, verdict.false_fails),
        thumb.n,
        thumb.n == 0 ? "-" : ratio_text(thumb.ratio_median),
        thumb.n == 0 ? "-" : whole(thumb.error_median),
        thumb.n == 0 ? "-" : whole(thumb.error_p90),
        errors_text(thumb),
        whole(group.rule_of_thumb.order.share()),
        whole(group.rule_of_thumb.verdict.share())};
    row.sum = group.by == GroupBy::all;
    return row;
}

bool has_bands(const Validation& validation) {
    return std::any_of(validation.groups.begin(), validation.groups.end(),
                       [](const GroupScore& group) { return group.in_band.has_value(); });
}

// Narrow columns at a terminal, the same figures together on pages.
Table score_table(const Validation& validation, std::initializer_list<GroupBy> sorts, const char* title) {
    constexpr Show figure = Show::figure;
    Table table;
    table.columns = {{"name", title, Show::text, 21, 0},
                     {"n", "\nn", Show::count, 5, 0},
                     {"p10", "\np10", figure, 5, 1, In::text},
                     {"median", "ratio\nmed", figure, 5, 1, In::text},
                     {"p90", "\np90", figure, 5, 1, In::text},
                     {"ratio", "ratio p10 / median / p90", figure, 0, 0, In::pages},
                     {"error_median", "err %\nmed", figure, 5, 1, In::text},
                     {"error_p90", "\np90", figure, 5, 0, In::text},
                     {"error", "error % median / p90", figure, 0, 0, In::pages},
                     {"in_band", "in band %", figure, 0, 0, In::pages},
                     {"in_order", "right\norder", figure, 5, 1},
                     {"verdict", "same\n10/100", figure, 6, 1, In::text},
                     {"verdicts", "same verdict % (false holds, fails)", figure, 0, 0, In::pages},
                     {"thumb_n", "rule of thumb: n", Show::count, 0, 0, In::pages},
                     {"thumb_ratio", "ratio median", figure, 0, 0, In::pages},
                     {"thumb_median", "thumb\nmed", figure, 5, 1, In::text},
                     {"thumb_p90", "err %\np90", figure, 5, 1, In::text},
                     {"thumb_error", "error %", figure, 0, 0, In::pages},
                     {"thumb_in_order", "right order %", figure, 0, 0, In::pages},
                     {"thumb_verdicts", "same verdict %", figure, 0, 0, In::pages}};
    for (const GroupBy by : sorts) {
        for (const GroupScore& group : validation.groups) {
            if (group.by == by) table.rows.push_back(score_row(group));
        }
    }
    if (has_bands(validation)) return table;
    const auto band = std::find_if(table.columns.begin(), table.columns.end(),
                                   [](const Column& column) { return column.name == "in_band"; });
    const auto place = band - table.columns.begin();
    table.columns.erase(band);
    for (TableRow& row : table.rows) row.cells.erase(row.cells.begin() + place);
    return table;
}

// --- pages ------------------------------------------------------------------------------------------------------

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

void add_chart(const Validation& validation, SpeedPhase phase, Document& document) {
    const std::string name(EnumNames<SpeedPhase>::names[static_cast<std::size_t>(phase)]);
    Scatter scatter;
    scatter.chart.id = name;
    scatter.chart.title = fmt::format("Predicted over measured {} speed", name);
    scatter.chart.description = "A point per measured run, in tok/s.";
    scatter.chart.x_label = "measured tok/s";
    scatter.chart.y_label = "predicted tok/s";
    for (const Replay& replay : validation.replays) {
        if (replay.phase != phase || replay.standing != Standing::counted) continue;
        scatter.chart.points.push_back(
            {replay.measured, *replay.predicted, point_title(replay), std::string(hue_of(replay).style)});
    }
    if (scatter.chart.points.empty()) return;
    for (const Hue& hue : kHues)
        scatter.legend.push_back({Legend::Key::point, std::string(hue.style), std::string(hue.name)});
    DocumentSection& section = document.add(name);
    section.in = In::pages;
    section.add(
        Sentence{"On the line a prediction is right, on the dashed lines it is off by a factor of two. Point at "
                 "a run for its source.",
                 Tone::soft, 0, 4, In::pages});
    section.add(std::move(scatter));
}

void add_groups(const Validation& validation, GroupBy by, const char* heading, const char* title, Document& document) {
    DocumentSection& section = document.add(heading);
    section.in = In::pages;
    section.add(score_table(validation, {by}, title));
}

void add_kinds(const Validation& validation, Document& document) {
    DocumentSection& section = document.add("");
    section.line(tally_text(validation), Tone::plain, 0, 2);
    section.add(Sentence{"", Tone::plain, 0, 4, In::text});
    section.add(score_table(validation, {GroupBy::kind, GroupBy::all}, "\nkind"));
    section.add(
        Sentence{"ratio: predicted / measured. right order: pairs of runs on one machine over 10 % apart. "
                 "same 10/100: on the same side of 10 tok/s in decode, 100 in prefill. thumb: the rule of thumb, "
                 "0.55 x rated bandwidth / bytes; 0.4 x rated FLOP/s in prefill.",
                 Tone::plain, 0, 2, In::text});
    section.add(Sentence{
        "Ratios are predicted over measured, errors their distance from 1; a tenth of the runs lies below p10, nine "
        "tenths below p90. Right order: of two runs on one machine whose measured speeds differ by over 10 %, the "
        "faster one is predicted to be faster. Same verdict: both speeds are on one side of 10 tok/s in decode, 100 in "
        "prefill. The rule of thumb is 0.55 x rated bandwidth / bytes, plus missed bytes / drive rate; in prefill 0.4 "
        "x rated FLOP/s / (2 x parameters); it is compared where its inputs are known. \"Hit stated\": the source "
        "measured how many expert reads memory served; \"blind\": it did not.",
        Tone::plain, 0, 4, In::pages});
}

void add_rows(const ValidationReport& report, Document& document) {
    const Validation& validation = report.validation;
    const std::vector<const Replay*> off = worst(validation, report.worst);
    if (!off.empty()) {
        DocumentSection& section = document.add("furthest off");
        for (const Replay* replay : off) section.add(Sentence{replay_text(*replay), Tone::plain, 0, 6, In::text});
        Table table = brief_replay_table(off);
        table.in = In::pages;
        section.add(std::move(table));
    }
    if (!report.rows) return;
    DocumentSection& section = document.add("every row");
    for (const Replay& replay : validation.replays)
        section.add(Sentence{replay_text(replay), Tone::plain, 0, 6, In::text});
    Table table = brief_replay_table(all_replays(validation));
    table.in = In::pages;
    section.add(std::move(table));
}

void add_comparison(const ValidationReport& report, Document& document) {
    constexpr std::size_t kMovedShown = 20;
    if (!report.comparison) return;
    DocumentSection& section = document.add("against the stored baseline");
    const std::vector<std::string> lines = comparison_texts(report);
    const std::size_t kinds = 1 + report.comparison->worse.size();
    for (std::size_t i = 0; i < lines.size() && i < kinds + kMovedShown; ++i)
        section.line(lines[i], i > 0 && i < kinds ? Tone::bad : Tone::plain, i == 0 ? 0 : 2, 6);
    if (lines.size() > kinds + kMovedShown)
        section.line(fmt::format("and {} more rows: --format json", lines.size() - kinds - kMovedShown));
}

} // namespace

Document validation_document(const ValidationReport& report) {
    const Validation& validation = report.validation;
    Document document{.kind = "validate",
                      .title = "predicted and measured",
                      .lead = {},
                      .sections = {},
                      .data = replay_table(all_replays(validation)),
                      .version = report.version};
    add_kinds(validation, document);
    add_comparison(report, document);
    add_chart(validation, SpeedPhase::decode, document);
    add_chart(validation, SpeedPhase::prefill, document);
    add_rows(report, document);
    add_groups(validation, GroupBy::engine, "engines", "engine", document);
    add_groups(validation, GroupBy::machine_class, "classes of machines", "class of machine", document);
    add_groups(validation, GroupBy::model, "models", "model", document);
    return document;
}

} // namespace spillway
