// spillway break-even: for each lever the value that meets the target.
#include "report/break_even.h"
#include "cli/answer.h"
#include "cli/asked_levers.h"
#include "cli/commands.h"
#include "cli/obtainable.h"

#include <nlohmann/json.hpp>

#include <memory>

namespace spillway {

namespace {

struct Options {
    OutputFlags output;
    CaseRequest request;
    std::vector<std::string> levers;
    bool explain = false;
};

int run(const Options& o) {
    const LoadedCase loaded = load_requested(o.request, o.output);
    const Obtainables steps = obtainable(loaded, Catalogue(data_root(o.output.data)));
    const std::vector<InputRange> asked = asked_levers(o.levers, loaded.value);
    BreakEvenAnswer answer{loaded,
                           lever_answers(loaded.value, Phase::decode, asked, steps),
                           lever_answers(loaded.value, Phase::prefill, asked, steps),
                           closed_form_residency(loaded.value),
                           {},
                           SPILLWAY_VERSION};
    const auto document = [&] {
        answer.curve = residency_curve(loaded.value, residency_line(loaded.value));
        return break_even_document(answer, o.explain);
    };
    write_answer(o.output, {[&] { return break_even_json(answer); }, document});
    return 0;
}

} // namespace

Command break_even_command() {
    const auto o = std::make_shared<Options>();
    return {.name = "break-even",
            .help = "for each lever the value that meets the target",
            .flags = joined({case_flags(o->request),
                             output_flags(o->output),
                             {{.names = "--lever",
                               .target = &o->levers,
                               .help = "only this input, searched over its range",
                               .type_name = "PATH[=FROM:TO]",
                               .rules = {.one_per_use = true}},
                              {"--explain", &o->explain, "the residency line step by step"}}}),
            .run = [o] { return run(*o); }};
}

} // namespace spillway
