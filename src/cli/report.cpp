// spillway report: one model on one machine.
#include "report/report.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/obtainable.h"
#include "io/json_text.h"
#include "io/output_file.h"
#include "report/html.h"

#include <nlohmann/json.hpp>

#include <memory>

namespace spillway {

namespace {

struct Options {
    OutputFlags output;
    CaseRequest request;
    bool explain = false;
};

std::string render(const Report& report, const Options& o) {
    if (o.output.wants_json()) return json_text(report_json(report, o.explain));
    if (o.output.format == "html") return report_html(report, *report.curve);
    if (o.output.format == "markdown") return report_markdown(report, o.explain);
    return report_text(report, TextOptions{colour(o.output), o.explain, 80});
}

int run(const Options& o) {
    const LoadedCase loaded = load_requested(o.request, o.output);
    const Estimate own = evaluate(loaded.value);
    // What exists matters only where something has to change.
    const bool holds = own.verdict.overall == State::holds;
    const Obtainables steps = holds ? Obtainables{} : obtainable(loaded, Catalogue(data_root(o.output.data)));
    const ResidencyLine line = residency_line(loaded.value);
    const Report report{loaded,
                        own,
                        line,
                        influences(loaded.value),
                        SPILLWAY_VERSION,
                        turning_changes(loaded.value, own.verdict, steps),
                        residency_curve(loaded.value, line)};
    write_output(o.output.file, render(report, o));
    return 0;
}

} // namespace

Command report_command() {
    const auto o = std::make_shared<Options>();
    return {.name = "report",
            .help = "what stays in memory, what spills, how fast it decodes and prefills",
            .flags = joined({case_flags(o->request),
                             output_flags(o->output, {"text", "json", "markdown", "html"}),
                             {{"--explain", &o->explain, "the arithmetic, term by term, with every source"}}}),
            .run = [o] { return run(*o); }};
}

} // namespace spillway
