#include "cli/calibrate_rows.h"

#include "calibrate/choose_parameters.h"
#include "calibrate/write_fit.h"
#include "cli/answer.h"
#include "io/json_text.h"
#include "io/load_files.h"
#include "io/output_file.h"
#include "io/write_fields.h"
#include "report/fit.h"
#include "text/path_walk.h"
#include "text/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace spillway {

namespace {

template <class Enum>
Enum value_of(const std::string& name) {
    const auto& names = EnumNames<Enum>::names;
    return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

RowChoice choice_of(const RowFlags& f) {
    RowChoice choice = f.choice;
    if (!f.figures.empty()) choice.measurands.clear();
    for (const std::string& name : f.figures) {
        const auto& names = EnumNames<Measurand>::names;
        if (std::find(names.begin(), names.end(), name) == names.end())
            throw UsageError("--figure is decode, prefill or time_to_first_token");
        choice.measurands.push_back(value_of<Measurand>(name));
    }
    return choice;
}

// Rows on lines whose rate is negative carry no rate; without any other row there is nothing to fit.
void refuse_falling(const std::vector<Line>& found, std::size_t rows) {
    const std::size_t falling = refused(found).size();
    if (falling == 0 || falling < rows) return;
    Problems problems;
    for (const Line& line : found) {
        if (line.state != LineState::negative_rate) continue;
        problems.push_back({fmt::format("{}, {}, {}", line.machine, line.model, line.engine), "",
                            fmt::format("{} rows at depth {:.0f}: a rate of {:.3g} GB/s", line.rows.size(), line.depth,
                                        line.rate / 1e9),
                            "rows whose time grows with the bytes that they read",
                            "the slope is negative: bytes over a rate does not explain these rows"});
    }
    throw_if_any(problems);
}

// What to type to get the same fit again.
std::string command_of(const RowFlags& f, const RowChoice& choice) {
    std::string text = "spillway calibrate";
    const auto add = [&](const char* flag, const std::vector<std::string>& values) {
        for (const std::string& value : values) text += fmt::format(" {} {}", flag, value);
    };
    for (const std::string& file : f.files) text += " " + file;
    add("--runtime", choice.runtimes);
    add("--kind", choice.kinds);
    add("-m", choice.models);
    add("-d", choice.machines);
    add("--engine", choice.engines);
    add("--run", choice.ids);
    add("--figure", f.figures);
    add("--fit", f.fit);
    if (f.loss != "huber") text += " --loss " + f.loss;
    if (f.prior) text += fmt::format(" --prior {:g}", *f.prior);
    return text;
}

// The file that all terms belong to.
void write_profile(const RowFlags& f, const Fit& fitted, const std::string& command, const OutputFlags& output,
                   const Catalogue& catalogue) {
    const auto all_below = [&](std::string_view root) {
        return std::all_of(fitted.terms.begin(), fitted.terms.end(),
                           [&](const FittedTerm& term) { return path_after(term.parameter.path, root).has_value(); });
    };
    LoadContext context{catalogue, {}};
    std::string text;
    if (all_below("scenario.runtime") && f.choice.runtimes.size() == 1) {
        const auto found = catalogue.find(FileKind::runtime, f.choice.runtimes.front(), context.problems);
        const auto loaded = found ? load_file<RuntimeFile>(context, *found) : std::nullopt;
        throw_if_any(context.problems);
        text = json_text(write_object(with_fit(loaded->file, fitted, command)));
    } else if (all_below("machine") && f.choice.machines.size() == 1) {
        auto loaded = load_machine(context, f.choice.machines.front());
        throw_if_any(context.problems);
        loaded->file.parts.clear(); // they are put together in it
        text = json_text(write_object(with_fit(loaded->file, fitted, command)));
    } else {
        throw UsageError("-o needs one --runtime and terms below scenario.runtime, or one -d and terms below machine");
    }
    write_output(output.file, text);
}

FitReport report_of(const RowFlags& f, const RowChoice& choice, const Catalogue& catalogue) {
    Problems problems;
    const MeasuredSet set = read_measured(f.files, catalogue, problems);
    throw_if_any(problems);
    ChosenRows chosen = choose_rows(set, choice, catalogue);
    const auto parameters = choose_parameters(f.fit, f.prior, chosen.sources, chosen.rows);
    FitReport report;
    std::vector<Observation> rows = predictable(std::move(chosen.rows), report.unpredictable);
    if (rows.empty())
        throw InputError({{"measured set", "", "no prediction", "see spillway report with a row's settings",
                           "none of the rows can be predicted: an input is unknown, or nothing fits"}});
    report.lines = lines(rows);
    refuse_falling(report.lines, rows.size());
    report.fit = fit(rows, parameters, {value_of<Loss>(f.loss)});
    report.next = next_runs(rows, report.fit);
    if (!f.leave_out.empty()) report.left_out = leave_out(rows, report.fit, value_of<Label>(f.leave_out));
    std::set<std::string> machines, models;
    for (Observation& row : rows) {
        machines.insert(row.label(Label::machine));
        models.insert(row.label(Label::model));
    }
    report.rows = rows.size();
    report.machines = machines.size();
    report.models = models.size();
    for (const Parameter& parameter : parameters) {
        const auto leaf = number_field(rows.front().value, parameter.path);
        report.units.push_back(leaf ? leaf->unit : Unit::ratio_or_number);
    }
    report.version = SPILLWAY_VERSION;
    return report;
}

} // namespace

int calibrate_rows(const RowFlags& flags, const OutputFlags& output) {
    const Catalogue catalogue(data_root(output.data));
    const RowChoice choice = choice_of(flags);
    const FitReport report = report_of(flags, choice, catalogue);
    if (!output.file.empty()) write_profile(flags, report.fit, command_of(flags, choice), output, catalogue);
    OutputFlags answer = output;
    answer.file.clear(); // -o names the profile
    write_answer(answer, {[&] { return fit_json(report); }, [&] { return fit_document(report); }});
    return 0;
}

} // namespace spillway
