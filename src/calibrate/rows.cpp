#include "calibrate/rows.h"

#include <algorithm>
#include <optional>

namespace spillway {

namespace {

bool chosen(const std::vector<std::string>& wanted, std::string_view value) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

bool is_chosen(const RowChoice& c, const MeasuredRun& run) {
    const auto kind = EnumNames<RunKind>::names[static_cast<std::size_t>(run.kind)];
    return run.is_evidence() && chosen(c.runtimes, run.runtime) && chosen(c.kinds, kind) &&
           chosen(c.models, run.model) && chosen(c.machines, run.machine) && chosen(c.engines, run.engine) &&
           chosen(c.ids, run.id);
}

std::optional<double> figure(const Outcome& o, Measurand which) {
    if (which == Measurand::time_to_first_token)
        return o.time_to_first_token ? std::optional(1.0 / o.time_to_first_token->value) : std::nullopt;
    const auto& speed = which == Measurand::decode ? o.decode : o.prefill;
    return speed ? std::optional(speed->value) : std::nullopt;
}

// Rows that are not asked for are not stated either: a set of hundreds is read for a dozen.
MeasuredSet only(const MeasuredSet& set, const RowChoice& choice) {
    MeasuredSet left = set;
    for (MeasuredGroup& group : left) {
        for (std::size_t i = 0; i < group.readable.size(); ++i)
            group.readable[i] = group.readable[i] && is_chosen(choice, group.file.runs[i]);
    }
    return left;
}

} // namespace

ChosenRows choose_rows(const MeasuredSet& set, const RowChoice& choice, const Catalogue& catalogue) {
    Problems problems;
    ChosenRows found;
    const auto take = [&](StatedRun&& stated) {
        if (found.rows.empty()) found.sources = stated.loaded.sources;
        for (const Measurand which : choice.measurands) {
            const auto measured = figure(stated.run.measured, which);
            if (!measured) continue;
            Observation row{stated.loaded.value, stated.run.id, {}, stated.run.quant, which, *measured};
            row.labels = {stated.run.machine, stated.run.model, stated.run.engine, stated.group.id};
            found.rows.push_back(std::move(row));
        }
    };
    state_runs(only(set, choice), catalogue, take, problems);
    throw_if_any(problems);
    if (found.rows.empty()) {
        throw InputError(
            {{"measured set", "", "no row", "rows of a runtime, kind, model, machine or engine that it has",
              "none of the rows that were asked for is evidence with such a figure"}});
    }
    return found;
}

} // namespace spillway
