// spillway report: one model on one machine.
#include "report/report.h"
#include "cli/app.h"
#include "io/output_file.h"

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
    if (o.output.wants_json())
        return report_json(report, o.explain).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    if (o.output.format == "markdown") return report_markdown(report, o.explain);
    return report_text(report, TextOptions{colour(o.output), o.explain, 80});
}

int run(const Options& o) {
    const LoadedCase loaded = load_requested(o.request, o.output);
    const Report report{loaded, evaluate(loaded.value), residency_line(loaded.value), influences(loaded.value),
                        SPILLWAY_VERSION};
    write_output(o.output.file, render(report, o));
    return 0;
}

} // namespace

void add_report(CLI::App& app, Session& session) {
    const auto options = std::make_shared<Options>();
    CLI::App& command =
        *app.add_subcommand("report", "what stays in memory, what spills, how fast it decodes and prefills");
    add_case_flags(command, options->request);
    add_output_flags(command, options->output, {"text", "json", "markdown"});
    command.add_flag("--explain", options->explain, "the arithmetic, term by term, with every source");
    command.callback([&session, options] { session.work = [options] { return run(*options); }; });
}

} // namespace spillway
