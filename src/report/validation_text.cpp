// A validation on one screen: a line per kind, the worst rows, what counts apart; and the same as markdown.
#include "report/figures.h"
#include "report/page.h"
#include "report/validation.h"

#include <fmt/format.h>

namespace spillway {

namespace {

constexpr int kName = 21, kCount = 5, kRatio = 5, kError = 5, kShare = 6;
constexpr std::size_t kMovedShown = 20;

std::string optional_percent(const std::optional<double>& share) { return share ? whole_percent(*share) : "-"; }

std::string score_line(std::string_view name, const GroupScore& group) {
    const Spread& s = group.product.spread;
    const Spread& thumb = group.rule_of_thumb.spread;
    return left(name, kName) + right(std::to_string(s.n), kCount) + " " + right(ratio_text(s.ratio_p10), kRatio) +
           right(ratio_text(s.ratio_median), kRatio + 1) + right(ratio_text(s.ratio_p90), kRatio + 1) + " " +
           right(whole_percent(s.error_median), kError) + right(whole_percent(s.error_p90), kError) +
           right(optional_percent(group.product.order.share()), kShare) +
           right(optional_percent(group.product.verdict.share()), kShare) + " " +
           right(thumb.n > 0 ? whole_percent(thumb.error_median) : "-", kError) +
           right(thumb.n > 0 ? whole_percent(thumb.error_p90) : "-", kError);
}

void add_heads(Page& page) {
    page.line(left("", kName) + right("", kCount) + right("ratio", 4 * kRatio - 1) + right("error %", 2 * kError + 1) +
              right("right, %", 2 * kShare) + right("thumb, %", 2 * kError + 1));
    page.line(left("", kName) + right("n", kCount) + right("p10", kRatio + 1) + right("med", kRatio + 1) +
              right("p90", kRatio + 1) + right("med", kError + 1) + right("p90", kError) + right("order", kShare) +
              right("10/100", kShare + 1) + right("med", kError) + right("p90", kError));
}

void add_groups(const Validation& validation, GroupBy by, Page& page) {
    for (const GroupScore& group : validation.groups) {
        if (group.by != by) continue;
        const std::string phase(EnumNames<SpeedPhase>::names[static_cast<std::size_t>(group.phase)]);
        page.line(score_line(by == GroupBy::all ? "all " + phase : group.name, group));
    }
}

void add_comparison(const ValidationReport& report, Page& page) {
    page.heading("Against the stored baseline");
    const std::vector<std::string> lines = comparison_texts(report);
    const std::size_t fixed = 1 + report.comparison->worse.size();
    for (std::size_t i = 0; i < lines.size() && i < fixed + kMovedShown; ++i)
        page.line(i == 0 ? lines[i] : "  " + lines[i], 6, i > 0 && i < fixed ? Paint::bad : Paint::none);
    if (lines.size() > fixed + kMovedShown)
        page.line(fmt::format("  and {} more rows: --format json", lines.size() - fixed - kMovedShown));
}

} // namespace

std::string validation_text(const ValidationReport& report, const TextOptions& options) {
    const Validation& validation = report.validation;
    Page page(options.width, options.color);
    page.line(tally_text(validation), 2);
    page.line("");
    add_heads(page);
    add_groups(validation, GroupBy::kind, page);
    add_groups(validation, GroupBy::all, page);
    page.line("ratio: predicted / measured. order: pairs of runs on one machine over 10 % apart. "
              "10/100: on the same side of 10 tok/s in decode, 100 in prefill. thumb: 0.55 x rated bandwidth / bytes; "
              "0.4 x rated FLOP/s in prefill.",
              2);
    const std::vector<const Replay*> rows = worst(validation, report.worst);
    if (!rows.empty()) page.heading("Furthest off");
    for (const Replay* replay : rows) page.line(replay_text(*replay), 6);
    if (report.comparison) add_comparison(report, page);
    if (!report.rows) return page.text();
    page.heading("Every row");
    for (const Replay& replay : validation.replays) page.line(replay_text(replay), 6);
    return page.text();
}

std::string validation_markdown(const ValidationReport& report) {
    std::string text =
        "# Predicted and measured\n\nMade by `spillway validate --format markdown` from "
        "`scenarios/measured/`: each published run is put through the estimator with what its source "
        "states and nothing else.\n\n" +
        tally_text(report.validation) + "\n\n" +
        "Ratios are predicted over measured, errors their distance from 1; p10 and p90 are the values "
        "that a tenth and nine tenths of the rows lie below. `in order`: of two runs on one machine "
        "whose measured speeds differ by over 10 %, the faster one is predicted to be faster. `same "
        "verdict`: predicted and measured speed lie on the same side of 10 tok/s in decode, 100 tok/s in "
        "prefill. The rule of thumb is 0.55 x rated bandwidth / bytes in decode, plus missed bytes / "
        "drive rate, and 0.4 x rated FLOP/s / (2 x parameters) in prefill; it is compared where its "
        "inputs are known. \"streamed, hit stated\": the source measured how many expert reads memory "
        "served; \"blind\": it did not.\n";
    for (const GroupBy by : {GroupBy::kind, GroupBy::all, GroupBy::engine, GroupBy::machine_class, GroupBy::model}) {
        static constexpr const char* kTitles[] = {"All", "Kinds", "Engines", "Classes of machines", "Models"};
        const Table table = score_table(report.validation, by);
        if (table.rows.empty()) continue;
        text += fmt::format("\n## {}\n\n{}", kTitles[static_cast<std::size_t>(by)], table_markdown(table));
    }
    const std::vector<const Replay*> rows =
        report.rows ? all_replays(report.validation) : worst(report.validation, report.worst);
    if (!rows.empty())
        text += fmt::format("\n## {}\n\n{}", report.rows ? "Every row" : "Rows furthest off",
                            table_markdown(brief_replay_table(rows)));
    if (!report.comparison) return text;
    text += "\n## Against the stored baseline\n\n";
    for (const std::string& line : comparison_texts(report)) text += "- " + printable(line) + "\n";
    return text;
}

} // namespace spillway
