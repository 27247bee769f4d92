// spillway trace: what a router trace holds, its miss curves, and the locality profile that follows from it.
#include "report/trace.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/trace_input.h"
#include "io/json_text.h"
#include "io/output_file.h"
#include "io/write_files.h"
#include "simulate/replay.h"
#include "text/units.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace spillway {

namespace {

struct CurveFlags {
    std::string at = "90,75,50";
    std::string budgets;
    std::string phase = "decode";
    std::uint64_t step = 1;
    std::optional<std::uint64_t> warm;
    std::uint32_t longest_window = 4096;
    bool belady = false;
};

struct FitFlags {
    std::string profile, curve = "auto", name, model, workload;
};

struct Options {
    OutputFlags output;
    TraceInput input;
    CurveFlags curve;
    FitFlags fit;
};

template <class Answer>
int print(const Answer& answer, const Options& o) {
    write_answer(o.output, {[&] { return trace_json(answer); }, [&] { return trace_document(answer); }});
    return 0;
}

int inspect(const Options& o) {
    const auto source = open_input(o.input);
    TraceInspection answer{inspect_trace(*source, o.input.experts), SPILLWAY_VERSION};
    if (o.input.strict) refuse_malformed(*source);
    if (answer.shape.layers.empty()) refuse_empty(*source, "has no route");
    return print(answer, o);
}

std::vector<std::string> listed(const std::string& text) {
    std::vector<std::string> entries;
    for (std::size_t from = 0; !text.empty() && from <= text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        entries.push_back(text.substr(from, comma - from));
        from = comma + 1;
    }
    return entries;
}

// "90", "90 %" and "0.9" are the same residency.
std::vector<double> residencies(const std::string& list) {
    std::vector<double> values;
    Problems problems;
    for (const std::string& text : listed(list)) {
        const ParsedNumber parsed = parse_ratio(text);
        const bool bare_per_cent = parsed.value && *parsed.value > 1.0 && text.find('%') == std::string::npos;
        const double value = parsed.value.value_or(0.0) / (bare_per_cent ? 100.0 : 1.0);
        if (parsed.value && value > 0.0 && value <= 1.0) {
            values.push_back(value);
        } else {
            problems.push_back({"--at", "", text, "a residency above 0 up to 100 %, as 75 or 75 % or 0.75",
                                parsed.value ? "is out of range" : parsed.problem});
        }
    }
    throw_if_any(problems);
    return values;
}

// One global LRU per budget, fed while the trace goes by.
class BudgetCaches {
public:
    BudgetCaches(const std::string& list, const RouteSource& source) : source_(source) {
        Problems problems;
        for (const std::string& text : listed(list)) {
            const ParsedNumber parsed = parse_quantity(text, Dimension::bytes);
            if (!parsed.value || *parsed.value >= 9.2e18) {
                problems.push_back({"--budget", "", text, "a size, as \"4000 MiB\"",
                                    parsed.value ? "is out of range" : parsed.problem});
            } else {
                replays_.push_back({static_cast<std::uint64_t>(*parsed.value), 0, 0, 0});
            }
        }
        throw_if_any(problems);
    }

    void take(const LayerStep& step) {
        if (replays_.empty()) return;
        const TraceInfo& info = source_.info();
        if (step.layer >= info.expert_bytes.size() || info.expert_bytes[step.layer] == 0 || !info.experts) {
            throw InputError(
                {{info.name, fmt::format("layer {}", step.layer), "", "a route_trace v1 with expert_bytes and n_expert",
                  "does not say how large its experts are, which --budget needs"}});
        }
        for (std::size_t i = 0; i < replays_.size(); ++i) {
            if (caches_.size() == i) caches_.push_back(cache(info, replays_[i].budget_bytes));
            const CacheStep done = caches_[i].access(step.layer, step.experts);
            replays_[i].hits += done.hits;
            replays_[i].lookups += step.experts.size();
            replays_[i].missed_bytes += done.missed_size;
        }
    }
    const std::vector<BudgetReplay>& replays() const { return replays_; }

private:
    static ExpertCache cache(const TraceInfo& info, std::uint64_t budget) {
        CacheOptions options;
        options.scope = CacheScope::global;
        options.experts = *info.experts;
        options.expert_sizes = info.expert_bytes;
        options.budget = {budget};
        return ExpertCache(options);
    }

    const RouteSource& source_;
    std::vector<BudgetReplay> replays_;
    std::vector<ExpertCache> caches_;
};

void add_belady(const StoredSteps& steps, TraceCurveAnswer& answer) {
    const std::vector<std::uint64_t> futures = next_uses(steps);
    for (CurvePoint& point : answer.points) {
        point.belady = belady_miss(steps, futures, point.slots, answer.curves.phase, answer.curves.warm_after);
    }
}

int curve(const Options& o) {
    const std::vector<double> at = residencies(o.curve.at);
    const auto source = open_input(o.input);
    BudgetCaches budgets(o.curve.budgets, *source);
    StoredSteps steps;
    CurveOptions options;
    options.phase = o.curve.phase == "prefill" ? RoutePhase::prefill : RoutePhase::decode;
    options.step = o.curve.step;
    options.warm = o.curve.warm;
    options.experts = o.input.experts;
    options.longest_window = o.curve.longest_window;
    options.observer = [&](const LayerStep& step) {
        budgets.take(step);
        if (o.curve.belady) steps.add(step);
    };
    TraceCurveAnswer answer{trace_curves(*source, options), {}, budgets.replays(), SPILLWAY_VERSION};
    if (o.input.strict) refuse_malformed(*source);
    if (answer.curves.layers.empty()) refuse_empty(*source, "has no " + o.curve.phase + " tokens: see --phase");
    for (const double residency : at) answer.points.push_back(curve_point(answer.curves, residency));
    if (o.curve.belady) add_belady(steps, answer);
    return print(answer, o);
}

// What the profile says about itself besides its curve.
void describe(const TraceCurves& curves, Locality& profile) {
    profile.layers = fmt::format("{} layers, {} to {}", curves.layers.size(), curves.layers.front().layer,
                                 curves.layers.back().layer);
    profile.tokens = fmt::format("{} decode tokens, misses counted after {}", curves.tokens, curves.warm_after);
    profile.limits = "per-layer LRU with equal slots, single-token steps, replayed from the trace";
    if (curves.info.synthetic) profile.limits = "synthetic routing, not measured; " + profile.limits;
    profile.source = curves.info.name;
}

// The name that a file stands for in the catalogue: "runs/my-model.json" is my-model.
std::string stem(const std::string& path) {
    const std::string file = path.substr(path.find_last_of('/') + 1);
    return file.ends_with(".json") ? file.substr(0, file.size() - 5) : file;
}

void write_profile(const FitFlags& flags, TraceFitAnswer& answer) {
    Locality& profile = answer.profile;
    profile.name = !flags.name.empty() ? flags.name : flags.profile.empty() ? "trace" : stem(flags.profile);
    profile.model = flags.model;
    profile.workload = !flags.workload.empty() ? flags.workload : answer.synthetic ? "synthetic routing" : "";
    const bool good = answer.fit && answer.fit->good();
    const bool fitted = flags.curve == "fitted" ? answer.fit.has_value() : flags.curve == "auto" && good;
    profile.kind = fitted ? LocalityKind::fitted : LocalityKind::table;
    if (fitted) {
        profile.exponent = answer.fit->exponent;
        profile.limits +=
            fmt::format("; fit residuals {:.1f} points rms, {:.1f} at most{}", 100.0 * answer.fit->rms_residual,
                        100.0 * answer.fit->largest_residual, good ? "" : ": a bad fit");
    } else {
        profile.points = answer.measured.points;
    }
    if (flags.profile.empty()) return;
    LocalityFile file = new_file<LocalityFile>();
    file.locality = profile;
    write_output(flags.profile, json_text(write_object(file)));
    answer.profile_file = flags.profile;
}

int fit(const Options& o) {
    TraceFitAnswer answer;
    answer.version = SPILLWAY_VERSION;
    const TraceRequest request = trace_request(o.input);
    if (!o.input.synthetic && holds_counters(request)) {
        Counters counters = read_counters(request.path);
        answer.counters = true;
        answer.name = counters.name;
        answer.measured = std::move(counters.measured);
        answer.malformed = std::move(counters.malformed);
        answer.profile.tokens = fmt::format("{} lookups", counters.lookups);
        answer.profile.limits = "an engine's own counters of hits and misses";
        answer.profile.source = counters.name;
        if (o.input.strict) throw_if_any(answer.malformed.first);
    } else {
        const auto source = open_input(o.input);
        CurveOptions options;
        options.experts = o.input.experts;
        options.longest_window = 0;
        options.global = false;
        const TraceCurves curves = trace_curves(*source, options);
        if (o.input.strict) refuse_malformed(*source);
        if (curves.layers.empty()) refuse_empty(*source, "has no decode tokens");
        answer.name = curves.info.name;
        answer.synthetic = curves.info.synthetic;
        answer.malformed = curves.malformed;
        answer.measured = measured_points(curves);
        describe(curves, answer.profile);
    }
    answer.fit = fit_exponent(answer.measured.for_fit);
    write_profile(o.fit, answer);
    return print(answer, o);
}

// The three subcommands differ in their work and in the flags of their own.
struct Kind {
    const char *name, *help;
    int (*work)(const Options&);
    std::vector<Flag> (*flags)(Options&);
};

Command command_of(const Kind& kind) {
    const auto o = std::make_shared<Options>();
    return {.name = kind.name,
            .help = kind.help,
            .flags = joined({input_flags(o->input), kind.flags(*o), output_flags(o->output)}),
            .run = [o, work = kind.work] {
                check_input(o->input);
                return work(*o);
            }};
}

std::vector<Flag> inspect_flags(Options&) { return {}; }

std::vector<Flag> curve_flags(Options& o) {
    CurveFlags& f = o.curve;
    return {{"--at", &f.at, "residencies of the table", "LIST", {.shows_default = true}},
            {"--phase",
             &f.phase,
             "whose lookups are counted; the cache sees all of them",
             "",
             {.shows_default = true, .choices = {"decode", "prefill"}}},
            {"--step",
             &f.step,
             "tokens per step: verify block, prompt chunk; 0: the whole prompt",
             "",
             {.shows_default = true}},
            {"--warm", &f.warm, "tokens before the warm part; default: a power of two up to half of them"},
            {"--max-window",
             &f.longest_window,
             "longest window of D(t) in tokens; 0: no D(t)",
             "",
             {.shows_default = true, .range = FlagRange{0, 1U << 24U}}},
            {"--belady", &f.belady, "also the optimum; keeps the trace in memory"},
            {"--budget", &f.budgets, "also one global LRU in bytes, as \"3 GiB,4000 MiB\"", "SIZES"}};
}

std::vector<Flag> fit_flags(Options& o) {
    FitFlags& f = o.fit;
    return {{"--profile", &f.profile, "write a locality profile that a scenario can name", "FILE"},
            {"--curve",
             &f.curve,
             "curve of the profile; auto: fitted if the fit is good, else table",
             "",
             {.shows_default = true, .choices = {"auto", "fitted", "table"}}},
            {"--name", &f.name, "name of the profile; default: its file's"},
            {"--model", &f.model, "catalogue name of the model that was traced"},
            {"--workload", &f.workload, "what was run"}};
}

} // namespace

Command trace_command() {
    return {.name = "trace",
            .help = "router traces: shape, miss curves, locality profiles",
            .subcommands = {
                command_of({"inspect", "shape, coverage, entropy and popularity", inspect, inspect_flags}),
                command_of({"curve", "misses of LRU, hot sets and the optimum by residency", curve, curve_flags}),
                command_of({"fit", "exponent of the miss curve, and a locality profile", fit, fit_flags})}};
}

} // namespace spillway
