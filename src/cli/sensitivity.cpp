// spillway sensitivity: what each input is worth, per 1 % and per unit that a person can buy.
#include "report/sensitivity.h"
#include "cli/answer.h"
#include "cli/commands.h"

#include <nlohmann/json.hpp>

#include <memory>

namespace spillway {

namespace {

struct Options {
    OutputFlags output;
    CaseRequest request;
};

int run(const Options& o) {
    const LoadedCase loaded = load_requested(o.request, o.output);
    const SensitivityAnswer answer{loaded, influences(loaded.value), purchases(loaded.value), SPILLWAY_VERSION};
    write_answer(o.output, {[&] { return sensitivity_json(answer); }, [&] { return sensitivity_document(answer); }});
    return 0;
}

} // namespace

Command sensitivity_command() {
    const auto o = std::make_shared<Options>();
    return {.name = "sensitivity",
            .help = "what each input is worth",
            .flags = joined({case_flags(o->request), output_flags(o->output)}),
            .run = [o] { return run(*o); }};
}

} // namespace spillway
