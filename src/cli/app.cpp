#include "cli/app.h"

#include "checkpoint/import.h"
#include "io/write_files.h"
#include "probe/detect.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace spillway {

std::vector<Flag> output_flags(OutputFlags& flags) {
    const std::vector<std::string> formats = {"text", "json", "markdown", "html", "csv"};
    return {{"--data", &flags.data, "directory with models/, hardware/ and scenarios/", "DIR"},
            {"--format", &flags.format, "format of the answer", "", {.shows_default = true, .choices = formats}},
            {"--json", &flags.json, "short for --format json"},
            {"-o,--output", &flags.file, "write the answer to this file", "FILE"},
            {"--no-color", &flags.no_color, "no colour, even on a terminal"},
            {"--quiet", &flags.quiet, "nothing on standard error but errors"}};
}

std::vector<Flag> case_flags(CaseRequest& request) {
    return {{"-m,--model", &request.model, "model: name or file", "MODEL", {.required = true}},
            {"-d,--machine", &request.machine, "machine: name or file", "MACHINE", {.required = true}},
            {"-s,--scenario", &request.scenario, "scenario: name or file", "SCENARIO", {.shows_default = true}},
            {"-q,--quant",
             &request.quantization,
             "quantization: name, or bits per expert weight",
             "QUANT",
             {.shows_default = true}},
            {"--set",
             &request.settings,
             "sets one input, as machine.storage.0.rate=\"12 GB/s\"",
             "PATH=VALUE",
             {.one_per_use = true}},
            {"--calibration", &request.calibration, "own runs of this machine, from spillway calibrate -o", "FILE"}};
}

LoadedCase load_requested(CaseRequest request, const OutputFlags& output) {
    if (request.machine == "this") {
        const Detection detection = detect(read_system());
        request.provided["this"] = write_object(detection.file).dump();
        for (const std::string& remark : detection.remarks) {
            if (!output.quiet) std::fprintf(stderr, "spillway: this machine: %s\n", remark.c_str());
        }
    }
    const Catalogue catalogue(data_root(output.data));
    Problems warnings;
    if (const auto model = import_model(request.model, catalogue, warnings)) {
        request.provided[request.model] = write_object(*model).dump();
        if (!output.quiet) std::fputs(warnings_text(warnings).c_str(), stderr);
    }
    return load_case(request, catalogue);
}

bool colour(const OutputFlags& flags) {
    const char* no_color = std::getenv("NO_COLOR");
    return !flags.no_color && flags.file.empty() && (!no_color || *no_color == '\0') && ::isatty(STDOUT_FILENO) != 0;
}

} // namespace spillway
