// spillway schema: the JSON Schema of a kind of file.
#include "io/schema.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "io/calibration.h"
#include "io/json_text.h"
#include "io/output_file.h"
#include "io/scenario_set.h"

#include <nlohmann/json.hpp>

#include <memory>

namespace spillway {

namespace {

struct Options {
    std::string kind, file;
    bool json = false; // a schema is JSON anyway
};

std::vector<std::string> kinds() {
    std::vector<std::string> names(EnumNames<FileKind>::names.begin(), EnumNames<FileKind>::names.end());
    names.emplace_back(kSetKind);
    names.emplace_back(kCalibrationKind);
    return names;
}

int run(const Options& o) {
    nlohmann::ordered_json schema = o.kind == kCalibrationKind ? calibration_schema() : scenario_set_schema();
    for (std::size_t i = 0; i < EnumNames<FileKind>::names.size(); ++i) {
        if (EnumNames<FileKind>::names[i] == o.kind) schema = file_schema(static_cast<FileKind>(i));
    }
    write_output(o.file, json_text(schema));
    return 0;
}

} // namespace

Command schema_command() {
    const auto o = std::make_shared<Options>();
    return {.name = "schema",
            .help = "JSON Schema (draft 7) of a kind of file",
            .flags = {{"kind", &o->kind, "kind of file", "", {.required = true, .choices = kinds()}},
                      {"-o,--output", &o->file, "write the schema to this file", "FILE"},
                      {"--json", &o->json, "accepted: a schema is JSON"}},
            .run = [o] { return run(*o); }};
}

} // namespace spillway
