#include "report/validation.h"

#include "report/figures.h"
#include "report/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace spillway {

namespace {

template <class Enum>
std::string enum_text(Enum value) {
    return std::string(EnumNames<Enum>::names[static_cast<std::size_t>(value)]);
}

Cell text_cell(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

// "1,773".
std::string thousands(std::size_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
    return digits;
}

// Why a replay does not count, in words.
std::string reason_of(const Replay& replay) {
    switch (replay.standing) {
    case Standing::counted: return {};
    case Standing::excluded: return replay.run->excluded;
    case Standing::not_stated: return replay.run->not_stated;
    case Standing::does_not_fit: return "the case does not fit";
    case Standing::spills: return "ran in memory; the estimate reads experts from the drive";
    case Standing::no_figure: return "an input of the estimate is unknown";
    }
    return {};
}

TableRow replay_row(const Replay& r) {
    const MeasuredRun& run = *r.run;
    const bool counted = r.standing == Standing::counted;
    return {run.id,
            enum_text(r.phase),
            r.kind ? Cell(enum_text(*r.kind)) : Cell(),
            run.model,
            run.machine,
            run.quant,
            run.engine,
            text_cell(run.build),
            r.measured,
            r.predicted,
            counted ? Cell(r.ratio()) : Cell(),
            r.rule_of_thumb,
            r.dominant ? Cell(std::string(name_of(*r.dominant))) : Cell(),
            r.dominant ? Cell(r.dominant_share) : Cell(),
            enum_text(r.standing),
            text_cell(reason_of(r)),
            text_cell(run.date),
            source_of(*r.group, run)};
}

std::string standing_text(Standing standing, std::size_t number) {
    const std::string n = thousands(number);
    switch (standing) {
    case Standing::counted: return n + " compared";
    case Standing::excluded: return n + " no evidence";
    case Standing::not_stated: return n + " not expressible";
    case Standing::does_not_fit: return n + (number == 1 ? " does not fit" : " do not fit");
    case Standing::spills: return n + " would spill though measured in memory";
    case Standing::no_figure: return n + " without a figure";
    }
    return n;
}

} // namespace

Table replay_table(const std::vector<const Replay*>& replays) {
    Table table;
    table.columns = {{"id", "row", Show::text},
                     {"phase", "phase", Show::text},
                     {"kind", "kind", Show::text},
                     {"model", "model", Show::text},
                     {"machine", "machine", Show::text},
                     {"quant", "quant", Show::text},
                     {"engine", "engine", Show::text},
                     {"build", "build", Show::text},
                     {"measured_tokens_per_second", "measured", Show::speed},
                     {"predicted_tokens_per_second", "predicted", Show::speed},
                     {"ratio", "ratio", Show::speed},
                     {"thumb_tokens_per_second", "rule of thumb", Show::speed},
                     {"dominant_term", "dominant term", Show::text},
                     {"dominant_share", "its share", Show::percent},
                     {"standing", "standing", Show::text},
                     {"reason", "reason", Show::text},
                     {"date", "date", Show::text},
                     {"source", "source", Show::text}};
    for (const Replay* replay : replays) table.rows.push_back(replay_row(*replay));
    return table;
}

Table brief_replay_table(const std::vector<const Replay*>& replays) {
    static constexpr std::array<std::string_view, 11> kBrief = {"ratio",
                                                                "kind",
                                                                "model",
                                                                "machine",
                                                                "quant",
                                                                "engine",
                                                                "measured_tokens_per_second",
                                                                "predicted_tokens_per_second",
                                                                "dominant_term",
                                                                "id",
                                                                "source"};
    const Table whole = replay_table(replays);
    Table brief;
    brief.rows.resize(whole.rows.size());
    for (const std::string_view name : kBrief) {
        const auto column =
            std::find_if(whole.columns.begin(), whole.columns.end(), [&](const Column& c) { return c.name == name; });
        const auto place = static_cast<std::size_t>(column - whole.columns.begin());
        brief.columns.push_back(*column);
        for (std::size_t row = 0; row < whole.rows.size(); ++row)
            brief.rows[row].cells.push_back(whole.rows[row].cells[place]);
    }
    return brief;
}

std::vector<const Replay*> all_replays(const Validation& validation) {
    std::vector<const Replay*> replays;
    for (const Replay& replay : validation.replays) replays.push_back(&replay);
    return replays;
}

std::string tally_text(const Validation& validation) {
    const std::size_t runs = validation.runs, speeds = validation.replays.size();
    std::string text = fmt::format("{} {}, {} measured {}: {}", thousands(runs), runs == 1 ? "run" : "runs",
                                   thousands(speeds), speeds == 1 ? "speed" : "speeds",
                                   standing_text(Standing::counted, validation.count(Standing::counted)));
    for (std::size_t i = 1; i < validation.standings.size(); ++i) {
        if (validation.standings[i] > 0)
            text += ", " + standing_text(static_cast<Standing>(i), validation.standings[i]);
    }
    return text + ".";
}

std::string replay_text(const Replay& replay) {
    const MeasuredRun& run = *replay.run;
    std::string text = fmt::format("{} on {}, {}, {}: ", run.model, run.machine, run.engine, enum_text(replay.phase));
    if (replay.standing != Standing::counted) return text + reason_of(replay);
    text = fmt::format("{}: {}{} predicted, {} measured", significant(replay.ratio(), 2), text,
                       speed(*replay.predicted), speed(replay.measured));
    if (replay.dominant)
        text += fmt::format("; {:.0f} % {}", 100.0 * replay.dominant_share, label_of(*replay.dominant));
    return text + " (" + run.id + ")";
}

std::vector<std::string> comparison_texts(const ValidationReport& report) {
    const BaselineComparison& c = *report.comparison;
    const std::string limit = fmt::format("an error may grow by {:g} % of itself", 100.0 * report.max_worse);
    if (!c.is_worse()) return {fmt::format("{} stored speeds: no kind is worse ({}).", thousands(c.compared), limit)};
    std::vector<std::string> lines = {fmt::format(
        "{} stored speeds: {} {} worse, {} {} moved ({}).", thousands(c.compared), c.worse.size(),
        c.worse.size() == 1 ? "kind is" : "kinds are", c.moved.size(), c.moved.size() == 1 ? "row" : "rows", limit)};
    for (const WorseKind& kind : c.worse) {
        lines.push_back(fmt::format("{} ({} rows): error median {} then, {} now; p90 {} then, {} now", kind.kind,
                                    kind.n, percent(kind.median_before), percent(kind.median_now),
                                    percent(kind.p90_before), percent(kind.p90_now)));
    }
    for (const MovedRow& row : c.moved) {
        lines.push_back(fmt::format("was {}, is {}", significant(row.before, 3), replay_text(*row.replay)));
    }
    return lines;
}

} // namespace spillway
