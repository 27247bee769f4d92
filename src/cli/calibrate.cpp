// spillway calibrate: fits inputs to measured runs, or takes a factor from one's own.
#include "calibrate/fit.h"
#include "cli/calibrate_own.h"
#include "cli/calibrate_rows.h"
#include "cli/commands.h"

#include <memory>

namespace spillway {

namespace {

struct Options {
    OutputFlags output;
    CaseRequest request;
    OwnRunFlags own;
    RowFlags rows;
};

std::vector<std::string> loss_names() { return {EnumNames<Loss>::names.begin(), EnumNames<Loss>::names.end()}; }
std::vector<std::string> label_names() { return {EnumNames<Label>::names.begin(), EnumNames<Label>::names.end()}; }

std::vector<Flag> row_flags(RowFlags& f) {
    return {{"files", &f.files, "measured rows: names or files; none: the whole set", "FILE"},
            {"--fit",
             &f.fit,
             "input to fit, as scenario.runtime.t_layer_moe; =VALUE sets its start",
             "PATH[=START]",
             {.one_per_use = true}},
            {"--runtime", &f.choice.runtimes, "only rows of this runtime profile", "NAME", {.one_per_use = true}},
            {"--kind", &f.choice.kinds, "only rows of this kind", "KIND", {.one_per_use = true}},
            {"--engine", &f.choice.engines, "only rows of this engine", "ENGINE", {.one_per_use = true}},
            {"--run", &f.choice.ids, "only the row of this id", "ID", {.one_per_use = true}},
            {"--figure",
             &f.figures,
             "figure to fit to: decode, prefill, time_to_first_token; default: decode",
             "FIGURE",
             {.one_per_use = true}},
            {"--loss", &f.loss, "how rows far off count", "", {.shows_default = true, .choices = loss_names()}},
            {"--prior", &f.prior,
             "width of the belief in the start values as a factor, 0 for none; default: by their basis", "FACTOR"},
            {"--leave-out", &f.leave_out, "cross-validation: one left out at a time", "", {.choices = label_names()}}};
}

std::vector<Flag> own_flags(OwnRunFlags& f) {
    return {{"--measured",
             &f.measured,
             "own run of -m on -d: \"decode=41.3 tok/s\" or prefill",
             "FIGURE=SPEED",
             {.one_per_use = true}},
            {"--llama-bench", &f.llama_bench, "output of llama-bench (-o json, jsonl, csv, md)", "FILE"},
            {"--date", &f.date, "when it was measured", "DATE"}};
}

// With an own run -m and -d name the case; without one they choose rows.
int run(Options& o) {
    if (!o.own.measured.empty() || !o.own.llama_bench.empty()) {
        if (!o.rows.fit.empty()) throw UsageError("--fit takes rows of the measured set, --measured one's own run");
        if (o.request.model.empty() || o.request.machine.empty())
            throw UsageError("an own run needs the case it belongs to: -m, -d and -q");
        return calibrate_own(o.request, o.own, o.output);
    }
    if (o.rows.fit.empty()) throw UsageError("give --fit PATH, or an own run with --measured or --llama-bench");
    if (!o.request.model.empty()) o.rows.choice.models = {o.request.model};
    if (!o.request.machine.empty()) o.rows.choice.machines = {o.request.machine};
    return calibrate_rows(o.rows, o.output);
}

} // namespace

Command calibrate_command() {
    const auto o = std::make_shared<Options>();
    std::vector<Flag> flags =
        joined({row_flags(o->rows), own_flags(o->own), case_flags(o->request), output_flags(o->output)});
    for (Flag& flag : flags) {
        flag.rules.required = false;
        if (flag.names == "-o,--output") flag.help = "write the fitted profile or the calibration to this file";
    }
    return {.name = "calibrate",
            .help = "fits inputs to measured runs, or takes a factor from an own run",
            .flags = std::move(flags),
            .run = [o] { return run(*o); }};
}

} // namespace spillway
