// spillway report: one model on one machine.
#include "report/report.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/obtainable.h"

#include <nlohmann/json.hpp>

#include <memory>

namespace spillway {

namespace {

struct Options {
    OutputFlags output;
    CaseRequest request;
    bool explain = false;
};

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
                        residency_curve(loaded.value, line),
                        nearest_runs(Catalogue(data_root(o.output.data)), loaded)};
    write_answer(o.output,
                 {[&] { return report_json(report, o.explain); }, [&] { return report_document(report, o.explain); }});
    return 0;
}

} // namespace

Command report_command() {
    const auto o = std::make_shared<Options>();
    return {.name = "report",
            .help = "what stays in memory, what spills, how fast it decodes and prefills",
            .flags = joined({case_flags(o->request),
                             output_flags(o->output),
                             {{"--explain", &o->explain, "the arithmetic, term by term, with every source"}}}),
            .run = [o] { return run(*o); }};
}

} // namespace spillway
