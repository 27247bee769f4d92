#include "report/fit.h"

#include "text/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace spillway {

namespace {

using Json = nlohmann::ordered_json;

std::string value_text(double value, Unit unit) {
    switch (unit) {
    case Unit::bytes: return print_short(Bytes(value));
    case Unit::seconds: return print_short(Seconds(value));
    case Unit::bytes_per_second: return print_short(BytesPerSecond(value));
    case Unit::flops_per_second: return print_short(FlopsPerSecond(value));
    default: return fmt::format("{:.3g}", value);
    }
}

std::string counted(std::size_t number, std::string_view thing) {
    return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

std::string percent(const std::optional<double>& share) {
    return share ? fmt::format("{:.2g} %", 100.0 * *share) : std::string("-");
}

std::string short_path(const std::string& path) {
    constexpr std::string_view root = "scenario.runtime.";
    return path.starts_with(root) ? path.substr(root.size()) : path;
}

std::string names_of(const Fit& f, const std::vector<std::size_t>& terms) {
    std::string text;
    for (const std::size_t i : terms) text += (text.empty() ? "" : " and ") + (short_path(f.terms[i].parameter.path));
    return text;
}

std::string sentence(const Fit& f, const FitNote& note) {
    const std::string names = names_of(f, note.terms);
    switch (note.id) {
    case FitNoteId::no_rows_depend: return names + ": no row depends on it; it stays as it was";
    case FitNoteId::inseparable: return "the rows cannot tell apart " + names + ": they only act together";
    case FitNoteId::correlated: return fmt::format("{} are hardly told apart: correlation {:.3f}", names, note.value);
    case FitNoteId::at_limit:
        return names + " ended at its limit: the rows ask for a value beyond what is rated or possible";
    case FitNoteId::prior_decides:
        return fmt::format("{}: {:.0f} % of what is known of it is the belief it started with", names,
                           100.0 * note.value);
    case FitNoteId::few_degrees:
        return note.value == 1.0 ? std::string("one degree of freedom: the errors are a guess themselves")
                                 : fmt::format("{:.0f} degrees of freedom: the errors are rough", note.value);
    case FitNoteId::no_degrees: return "as many terms as rows: no error can be told";
    case FitNoteId::not_converged: return "the fit did not settle";
    }
    return {};
}

std::string_view code(FitNoteId id) {
    constexpr std::array<std::string_view, 8> codes = {"no-rows-depend", "inseparable", "correlated", "at-limit",
                                                       "prior-decides",  "few-degrees", "no-degrees", "not-converged"};
    return codes[static_cast<std::size_t>(id)];
}

std::string line_text(const Line& l) {
    std::string text = fmt::format("{}, {}, {}, depth {:.0f}: ", (l.machine), (l.model), (l.engine), l.depth);
    if (l.state == LineState::negative_rate)
        return text + fmt::format("refused: time falls with bytes over {} rows", l.rows.size());
    text += print_short(BytesPerSecond(l.rate));
    if (l.rate_error) text += fmt::format(" +-{:.1f}", *l.rate_error / 1e9);
    if (l.rated) text += fmt::format(" of {} rated", print_short(BytesPerSecond(*l.rated)));
    text += fmt::format(", {:.3g}", 1e3 * l.constant);
    if (l.constant_error) text += fmt::format(" +-{:.2g}", 1e3 * *l.constant_error);
    text += l.degrees_of_freedom == 1 ? std::string(" ms (one degree of freedom)")
                                      : fmt::format(" ms ({} rows)", l.rows.size());
    if (l.state == LineState::above_rating) text += ": above its rating";
    if (l.state == LineState::negative_constant) text += ": the constant is negative";
    return text;
}

std::string next_text(const Fit& f, const NextRun& run) {
    std::string text = fmt::format("{}: {} on {} with {}", (short_path(f.terms[run.term].parameter.path)), (run.model),
                                   (run.machine), (run.engine));
    if (run.bits) text += fmt::format(" at {:g} bits", *run.bits);
    if (run.depth) text += fmt::format(" at depth {:.0f}", *run.depth);
    return text + fmt::format(": standard error {} -> {}", percent(run.before), percent(run.after));
}

std::string errors(const ErrorSummary& e) { return fmt::format("{:.1f} / {:.1f} %", 100.0 * e.median, 100.0 * e.p90); }

Table terms_table(const FitReport& r) {
    Table table;
    table.columns = {{"path", "term", Show::text},
                     {"start", "start", Show::text},
                     {"value", "fitted", Show::text},
                     {"standard_error", "std. error", Show::text},
                     {"rows", "rows", Show::text}};
    for (std::size_t i = 0; i < r.fit.terms.size(); ++i) {
        const FittedTerm& t = r.fit.terms[i];
        table.rows.push_back({short_path(t.parameter.path), value_text(t.parameter.start, r.units[i]),
                              value_text(t.value, r.units[i]), percent(t.standard_error), std::to_string(t.rows)});
    }
    return table;
}

// The same in base units, for csv.
Table terms_data(const Fit& f) {
    Table table;
    table.columns = {{"path", "path", Show::text},
                     {"start", "start", Show::text},
                     {"value", "value", Show::text},
                     {"standard_error", "standard error", Show::text},
                     {"rows", "rows", Show::count}};
    for (const FittedTerm& t : f.terms)
        table.rows.push_back(
            {t.parameter.path, t.parameter.start, t.value, t.standard_error, static_cast<double>(t.rows)});
    return table;
}

void add_errors(const FitReport& r, DocumentSection& section) {
    Facts facts;
    facts.width = 24;
    facts.rows = {{"as the files are", errors(error_summary(r.fit.start_residuals))},
                  {"fitted", errors(error_summary(r.fit.residuals))}};
    if (r.left_out) {
        const auto by = EnumNames<Label>::names[static_cast<std::size_t>(r.left_out->by)];
        facts.rows.push_back({fmt::format("one {} left out", by), r.left_out->folds.empty()
                                                                      ? "all rows are of one: none can be left out"
                                                                      : errors(r.left_out->outside)});
    }
    section.add(facts);
    if (!r.left_out || r.left_out->folds.empty()) return;
    for (std::size_t i = 0; i < r.fit.terms.size(); ++i) {
        const auto& [low, high] = r.left_out->range[i];
        section.line(fmt::format("{}: {} to {} over {} fits", short_path(r.fit.terms[i].parameter.path),
                                 value_text(low, r.units[i]), value_text(high, r.units[i]), r.left_out->folds.size()),
                     Tone::plain, 4, 6);
    }
}

constexpr std::size_t kMostLines = 8;

void add_lines(const FitReport& r, Document& document) {
    if (r.lines.empty()) return;
    DocumentSection& section = document.add("seconds per step over bytes of weights");
    for (std::size_t i = 0; i < std::min(kMostLines, r.lines.size()); ++i) {
        const Tone tone = r.lines[i].state == LineState::good ? Tone::plain : Tone::warning;
        section.line(line_text(r.lines[i]), tone, 2, 4);
    }
    if (r.lines.size() > kMostLines)
        section.line(fmt::format("and {} more: --json", r.lines.size() - kMostLines), Tone::plain, 2);
}

} // namespace

Document fit_document(const FitReport& r) {
    Document document{.kind = "fit",
                      .title = counted(r.rows, "figure") + " of " + counted(r.machines, "machine") + " and " +
                               counted(r.models, "model"),
                      .lead = "spillway calibrate   ",
                      .data = terms_data(r.fit),
                      .version = r.version};
    DocumentSection& terms = document.add("");
    if (!r.unpredictable.empty())
        terms.line(counted(r.unpredictable.size(), "row") + " without a prediction left out", Tone::warning, 2);
    terms.add(terms_table(r));
    terms.line(fmt::format("spread of one row {} ({} loss), rank {} of {}, degrees of freedom: {}",
                           percent(r.fit.scale), EnumNames<Loss>::names[static_cast<std::size_t>(r.fit.loss)],
                           r.fit.rank, r.fit.terms.size(), r.fit.degrees_of_freedom),
               Tone::plain, 2);
    add_errors(r, document.add("absolute error, median / 90th percentile"));
    if (!r.fit.notes.empty()) {
        DocumentSection& section = document.add("what the rows cannot say");
        for (const FitNote& note : r.fit.notes) section.line(sentence(r.fit, note), Tone::warning, 2);
    }
    add_lines(r, document);
    if (!r.next.empty()) {
        DocumentSection& section = document.add("which run would tell more");
        for (const NextRun& run : r.next) section.line(next_text(r.fit, run), Tone::plain, 2);
    }
    return document;
}

namespace {

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json summary_json(const ErrorSummary& e) { return {{"rows", e.rows}, {"median", e.median}, {"p90", e.p90}}; }

Json terms_json(const Fit& f) {
    Json list = Json::array();
    for (const FittedTerm& t : f.terms)
        list.push_back({{"path", t.parameter.path},
                        {"start", t.parameter.start},
                        {"low", t.parameter.low},
                        {"high", t.parameter.high},
                        {"prior_factor", number(t.parameter.prior)},
                        {"value", t.value},
                        {"standard_error", number(t.standard_error)},
                        {"standard_error_of_rows_alone", number(t.data_error)},
                        {"rows", t.rows},
                        {"at_limit", t.at_low || t.at_high}});
    return list;
}

Json lines_json(const std::vector<Line>& lines) {
    Json list = Json::array();
    for (const Line& l : lines)
        list.push_back({{"machine", l.machine},
                        {"model", l.model},
                        {"engine", l.engine},
                        {"group", l.group},
                        {"depth", l.depth},
                        {"rows", l.rows.size()},
                        {"bytes_per_second", l.rate},
                        {"bytes_per_second_error", number(l.rate_error)},
                        {"rated_bytes_per_second", number(l.rated)},
                        {"constant_seconds", l.constant},
                        {"constant_seconds_error", number(l.constant_error)},
                        {"correlation", l.correlation},
                        {"degrees_of_freedom", l.degrees_of_freedom},
                        {"state", EnumNames<LineState>::names[static_cast<std::size_t>(l.state)]}});
    return list;
}

Json notes_json(const Fit& f) {
    Json list = Json::array();
    for (const FitNote& note : f.notes) {
        Json paths = Json::array();
        for (const std::size_t i : note.terms) paths.push_back(f.terms[i].parameter.path);
        list.push_back({{"code", code(note.id)}, {"paths", paths}, {"value", note.value}, {"text", sentence(f, note)}});
    }
    return list;
}

Json next_json(const FitReport& r) {
    Json list = Json::array();
    for (const NextRun& run : r.next)
        list.push_back({{"path", r.fit.terms[run.term].parameter.path},
                        {"machine", run.machine},
                        {"model", run.model},
                        {"engine", run.engine},
                        {"bits", number(run.bits)},
                        {"depth", number(run.depth)},
                        {"standard_error", number(run.before)},
                        {"standard_error_after", run.after}});
    return list;
}

Json left_out_json(const FitReport& r) {
    if (!r.left_out) return nullptr;
    Json folds = Json::array();
    for (const Fold& fold : r.left_out->folds)
        folds.push_back({{"left_out", fold.left_out},
                         {"error", summary_json(error_summary(fold.residuals))},
                         {"values", fold.values}});
    return {{"by", EnumNames<Label>::names[static_cast<std::size_t>(r.left_out->by)]},
            {"error", summary_json(r.left_out->outside)},
            {"folds", folds}};
}

} // namespace

nlohmann::ordered_json fit_json(const FitReport& r) {
    Json json = {{"format", 1}, {"kind", "fit"}, {"version", r.version}, {"rows", r.rows}};
    json["without_prediction"] = r.unpredictable;
    json["terms"] = terms_json(r.fit);
    json["correlation"] = r.fit.correlation;
    json["rank"] = r.fit.rank;
    json["degrees_of_freedom"] = r.fit.degrees_of_freedom;
    json["spread"] = r.fit.scale;
    json["loss"] = EnumNames<Loss>::names[static_cast<std::size_t>(r.fit.loss)];
    json["error_before"] = summary_json(error_summary(r.fit.start_residuals));
    json["error"] = summary_json(error_summary(r.fit.residuals));
    json["leave_out"] = left_out_json(r);
    json["notes"] = notes_json(r.fit);
    json["lines"] = lines_json(r.lines);
    json["next_runs"] = next_json(r);
    return json;
}

} // namespace spillway
