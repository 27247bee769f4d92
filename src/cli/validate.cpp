// spillway validate: measured runs against what the estimator says about them.
#include "cli/answer.h"
#include "cli/commands.h"
#include "io/json_text.h"
#include "io/output_file.h"
#include "report/validation.h"
#include "text/field_value.h"
#include "text/near.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <set>

namespace spillway {

namespace {

constexpr int kWorseExit = 1;

struct Options {
    OutputFlags output;
    std::vector<std::string> files;
    std::string kind, engine, machine, model;
    bool rows = false;
    std::uint32_t worst = 3;
    std::string baseline, write_baseline, max_worse = "5 %";
};

// What one filter looks at in a replay.
struct Filter {
    const char* flag;
    const std::string& pattern;
    std::string (*value)(const Replay&);
};

std::vector<Filter> filters_of(const Options& o) {
    return {{"--kind", o.kind,
             [](const Replay& r) {
                 return r.kind ? std::string(EnumNames<ReplayKind>::names[static_cast<std::size_t>(*r.kind)])
                               : std::string("not stated");
             }},
            {"--engine", o.engine, [](const Replay& r) { return r.run->engine; }},
            {"--machine", o.machine, [](const Replay& r) { return r.run->machine; }},
            {"--model", o.model, [](const Replay& r) { return r.run->model; }}};
}

// Keeps the replays that all patterns match. A pattern that matches none of the set is a problem.
void keep_wanted(const Options& o, std::vector<Replay>& replays) {
    Problems problems;
    const std::vector<Replay> all = replays;
    for (const Filter& filter : filters_of(o)) {
        if (filter.pattern.empty()) continue;
        std::set<std::string> values;
        for (const Replay& replay : all) values.insert(filter.value(replay));
        const std::vector<std::string> known(values.begin(), values.end());
        const auto matches = [&](const std::string& value) { return matches_glob(value, filter.pattern); };
        if (std::none_of(known.begin(), known.end(), matches)) {
            const std::string hint = did_you_mean(filter.pattern, known);
            problems.push_back({filter.flag, "", '"' + filter.pattern + '"', "a pattern, or one of " + name_list(known),
                                "matches no row" + (hint.empty() ? "" : "; " + hint)});
        }
        std::erase_if(replays, [&](const Replay& replay) { return !matches(filter.value(replay)); });
    }
    throw_if_any(problems);
    if (replays.empty())
        throw InputError({{"validate", "", "no row", "measured rows", "there is no measured speed to compare with"}});
}

double max_worse_of(const Options& o) {
    double share = 0.0;
    const FieldInfo range = as_share(FieldInfo{"", Presence::required, 0.0, 1.0});
    if (auto problem = set_leaf(share, o.max_worse, kind_of<double>("max_worse", range)))
        throw InputError({{"--max-worse", "", problem->found, problem->expected, problem->message}});
    return share;
}

int run(const Options& o) {
    ValidationReport report{{}, std::nullopt, max_worse_of(o), o.worst, o.rows, SPILLWAY_VERSION};
    const std::optional<StoredRatios> stored =
        o.baseline.empty() ? std::nullopt : std::optional(read_ratios(o.baseline));
    const Catalogue catalogue(data_root(o.output.data));
    Problems problems;
    const MeasuredSet set = read_measured(o.files, catalogue, problems);
    std::vector<Replay> replays = replay_set(set, catalogue, problems);
    keep_wanted(o, replays);
    report.validation = validation_of(std::move(replays));
    if (stored) report.comparison = compare(report.validation, *stored, report.max_worse);
    if (!o.write_baseline.empty()) write_output(o.write_baseline, json_text(baseline_of(report.validation)));
    write_answer(o.output, {[&] { return validation_json(report); }, [&] { return validation_document(report); }});
    return report.comparison && report.comparison->is_worse() ? kWorseExit : 0;
}

} // namespace

Command validate_command() {
    const auto o = std::make_shared<Options>();
    return {.name = "validate",
            .help = "predicted against measured speeds of published runs, or of your own",
            .flags = joined(
                {{{"files", &o->files, "measured files, names or paths; none: all that are shipped", "FILE"},
                  {"--kind", &o->kind, "only these kinds, as 'streamed*'", "PATTERN"},
                  {"--engine", &o->engine, "only these engines", "PATTERN"},
                  {"--machine", &o->machine, "only these machines", "PATTERN"},
                  {"--model", &o->model, "only these models", "PATTERN"},
                  {"--rows", &o->rows, "every row"},
                  {"--worst", &o->worst, "so many of the rows furthest off", "N", {.shows_default = true}},
                  {"--baseline", &o->baseline, "stored JSON: exit 1 where errors are worse than there", "FILE"},
                  {"--max-worse", &o->max_worse, "share by which an error may grow", "SHARE", {.shows_default = true}},
                  {"--write-baseline", &o->write_baseline, "stores what --baseline compares with", "FILE"}},
                 output_flags(o->output)}),
            .run = [o] { return run(*o); }};
}

} // namespace spillway
