#include "cli/app.h"

#include "checkpoint/import.h"
#include "io/write_fields.h"
#include "probe/detect.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace spillway {

void add_output_flags(CLI::App& command, OutputFlags& flags, const std::vector<std::string>& formats) {
    command.add_option("--data", flags.data, "directory with models/, hardware/ and scenarios/")->type_name("DIR");
    command.add_option("--format", flags.format, "format of the answer")
        ->check(CLI::IsMember(formats))
        ->capture_default_str();
    command.add_flag("--json", flags.json, "short for --format json");
    command.add_option("-o,--output", flags.file, "write the answer to this file")->type_name("FILE");
    command.add_flag("--no-color", flags.no_color, "no colour, even on a terminal");
    command.add_flag("--quiet", flags.quiet, "nothing on standard error but errors");
}

void add_case_flags(CLI::App& command, CaseRequest& request) {
    command.add_option("-m,--model", request.model, "model: name or file")->required()->type_name("MODEL");
    command.add_option("-d,--machine", request.machine, "machine: name or file")->required()->type_name("MACHINE");
    command.add_option("-s,--scenario", request.scenario, "scenario: name or file")
        ->capture_default_str()
        ->type_name("SCENARIO");
    command.add_option("-q,--quant", request.quantization, "quantization: name, or bits per expert weight")
        ->capture_default_str()
        ->type_name("QUANT");
    // Not greedy: one value per --set, so that what follows is not swallowed.
    command.add_option("--set", request.settings, "sets one input, as machine.storage.0.rate=\"12 GB/s\"")
        ->type_name("PATH=VALUE")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
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
