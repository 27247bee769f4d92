// spillway gate: may this configuration, or every one of a set, ship?
#include "report/gate.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/obtainable.h"
#include "io/output_file.h"
#include "io/scenario_set.h"
#include "text/field_value.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace spillway {

namespace {

constexpr int kRejectedExit = 1;

struct Options {
    OutputFlags output;
    GivenFlags given;
    CaseRequest request;
    std::string set;
    std::optional<double> min_decode, min_prefill;
    std::string require; // empty: the set's
    std::string junit, baseline;
    std::string max_worse = "5 %";
};

// What is asked for wrongly is a mistake of the command line, before anything is read.
void check_usage(const Options& o) {
    const auto given = [&](const char* name) { return o.given.contains(name); };
    const bool one_case = given("--model") || given("--machine") || given("--quant") || given("--scenario");
    if (!o.set.empty() && one_case)
        throw UsageError("SCENARIO-SET: a set names its own cases: leave out -m, -d, -q and -s");
    if (o.set.empty() && !one_case) throw UsageError("gate: needs a scenario set, or -m and -d");
    if (o.set.empty() && !given("--model")) throw UsageError("--model is required");
    if (o.set.empty() && !given("--machine")) throw UsageError("--machine is required");
    if (given("--max-worse") && !given("--baseline"))
        throw UsageError("--max-worse: says how much worse than a --baseline an entry may be");
    if (given("--junit") && (o.junit.empty() || o.junit == "-" || o.junit == o.output.file))
        throw UsageError("--junit: needs a file of its own");
}

void check_threshold(const char* flag, const std::optional<double>& value, Problems& problems) {
    if (!value) return;
    const FieldInfo range{"", Presence::required, kLowestTarget, kHighestTarget};
    if (auto problem = check_number(*value, kind_of<double>("threshold", range)))
        problems.push_back({flag, "", problem->found, problem->expected, problem->message});
}

double share_of(const std::string& text, Problems& problems) {
    double share = 0.0;
    const FieldInfo range = as_share(FieldInfo{"", Presence::required, 0.0, 1.0});
    if (auto problem = set_leaf(share, text, kind_of<double>("max_worse", range)))
        problems.push_back({"--max-worse", "", problem->found, problem->expected, problem->message});
    return share;
}

// The set that was named, or one of a single entry, from the flags.
ScenarioSet set_of(const Options& o, const Catalogue& catalogue) {
    if (!o.set.empty()) return load_scenario_set(o.set, catalogue);
    ScenarioSet set;
    SetEntry entry;
    entry.settings = o.request.settings;
    set.file.entries.push_back(std::move(entry));
    return set;
}

std::vector<LoadedCase> cases_of(const Options& o, const ScenarioSet& set) {
    std::vector<LoadedCase> cases;
    if (!o.set.empty())
        return load_entries(set, o.request.settings, [&](CaseRequest request) {
            request.calibration = o.request.calibration;
            return load_requested(request, o.output);
        });
    cases.push_back(load_requested(o.request, o.output));
    return cases;
}

// The most particular threshold counts: the entry's, the flag's, the set's, the scenario's own target.
void set_target(LoadedCase& loaded, const char* path, double& target, const std::optional<double>& entry,
                const std::optional<double>& flag, const std::optional<double>& set) {
    const auto& chosen = entry ? entry : flag ? flag : set;
    if (!chosen) return;
    target = *chosen;
    loaded.sources.emplace_back(path, Provenance{Basis::given, entry || !flag ? "scenario set" : "the command line"});
}

void set_targets(const Options& o, const ScenarioSetFile& set, const SetEntry& entry, LoadedCase& loaded) {
    Scenario& s = loaded.value.scenario;
    set_target(loaded, "scenario.target_decode", s.target_decode, entry.min_decode, o.min_decode, set.min_decode);
    set_target(loaded, "scenario.target_prefill", s.target_prefill, entry.min_prefill, o.min_prefill, set.min_prefill);
}

GateReport judge_all(const Options& o, const ScenarioSet& set, std::vector<LoadedCase> cases, Baseline baseline,
                     const Catalogue& catalogue) {
    GateReport report;
    report.version = SPILLWAY_VERSION;
    report.name = set.file.name;
    report.has_baseline = !o.baseline.empty();
    Problems problems;
    report.max_worse = share_of(o.max_worse, problems);
    const bool any = o.require.empty() ? set.file.require == SetRequire::any : o.require == "any";
    report.require = any ? Require::any : Require::all;
    if (!o.set.empty()) report.settings = o.request.settings;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const SetEntry& entry = set.file.entries[i];
        GateRow row{entry.name, entry.settings, std::move(cases[i]), {}, {}, {}};
        set_targets(o, set.file, entry, row.loaded);
        row.stored = take_stored(baseline, baseline_key(row));
        row.result = judge_entry(row.loaded.value, row.stored ? &*row.stored : nullptr, report.max_worse);
        if (!row.result.accepted)
            row.changes =
                turning_changes(row.loaded.value, row.result.estimate.verdict, obtainable(row.loaded, catalogue));
        report.rows.push_back(std::move(row));
    }
    for (const BaselineEntry& entry : baseline) report.gone.push_back(entry.label);
    return report;
}

void write_junit(const std::string& path, const GateReport& report) {
    try {
        write_output(path, gate_junit(report));
    } catch (const InputError& error) {
        Problems problems = error.problems();
        for (Problem& problem : problems) problem.file = "--junit";
        throw InputError(problems);
    }
}

// Appends what `call` throws; all that is wrong is shown together.
template <class Call>
void gather(Problems& problems, Call call) {
    try {
        call();
    } catch (const InputError& error) {
        problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
}

int run(const Options& o) {
    Problems problems;
    check_threshold("--min-decode", o.min_decode, problems);
    check_threshold("--min-prefill", o.min_prefill, problems);
    share_of(o.max_worse, problems);
    const Catalogue catalogue(data_root(o.output.data));
    ScenarioSet set;
    std::vector<LoadedCase> cases;
    Baseline baseline;
    gather(problems, [&] {
        set = set_of(o, catalogue);
        cases = cases_of(o, set);
    });
    gather(problems, [&] {
        if (!o.baseline.empty()) baseline = read_baseline(o.baseline);
    });
    throw_if_any(problems);
    const GateReport report = judge_all(o, set, std::move(cases), std::move(baseline), catalogue);
    if (!o.junit.empty()) write_junit(o.junit, report);
    write_answer(o.output, {[&] { return gate_json(report); }, [&] { return gate_document(report); }});
    return report.passed() ? 0 : kRejectedExit;
}

} // namespace

Command gate_command() {
    const auto o = std::make_shared<Options>();
    std::vector<Flag> flags = joined(
        {{{"set", &o->set, "scenario set: name or file; instead of -m and -d", "SCENARIO-SET"}},
         case_flags(o->request),
         {{"--min-decode", &o->min_decode, "tok/s in decode to hold; default: the set's or scenario's (10)", "TOK/S"},
          {"--min-prefill", &o->min_prefill, "tok/s in prefill; default: the set's or scenario's (100)", "TOK/S"},
          {"--require",
           &o->require,
           "all: every entry has to be accepted; any: one is enough",
           "",
           {.choices = {"all", "any"}}},
          {"--junit", &o->junit, "also write a JUnit file", "FILE"},
          {"--baseline", &o->baseline, "stored JSON: reject only what got worse", "FILE"},
          {"--max-worse",
           &o->max_worse,
           "share by which an entry may be slower than stored",
           "SHARE",
           {.shows_default = true}}},
         output_flags(o->output)});
    for (Flag& flag : flags) flag.rules.required = false; // a set names its own model and machine
    return {.name = "gate",
            .help = "rejects configurations that are too slow or unknown (exit 1)",
            .flags = std::move(flags),
            .run =
                [o] {
                    check_usage(*o);
                    return run(*o);
                },
            .given = &o->given};
}

} // namespace spillway
