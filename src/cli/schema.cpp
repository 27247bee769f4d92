// spillway schema: the JSON Schema of a kind of file.
#include "io/schema.h"
#include "cli/app.h"
#include "io/json_text.h"
#include "io/output_file.h"
#include "io/scenario_set.h"

#include <nlohmann/json.hpp>

#include <memory>

namespace spillway {

void add_schema(CLI::App& app, Session& session) {
    struct Options {
        std::string kind, file;
        bool json = false; // a schema is JSON anyway
    };
    const auto options = std::make_shared<Options>();
    CLI::App& command = *app.add_subcommand("schema", "JSON Schema (draft 7) of a kind of file");
    std::vector<std::string> kinds(EnumNames<FileKind>::names.begin(), EnumNames<FileKind>::names.end());
    kinds.emplace_back(kSetKind);
    command.add_option("kind", options->kind, "kind of file")->required()->check(CLI::IsMember(kinds));
    command.add_option("-o,--output", options->file, "write the schema to this file")->type_name("FILE");
    command.add_flag("--json", options->json, "accepted: a schema is JSON");
    command.callback([&session, options] {
        session.work = [options] {
            nlohmann::ordered_json schema = scenario_set_schema();
            for (std::size_t i = 0; i < EnumNames<FileKind>::names.size(); ++i) {
                if (EnumNames<FileKind>::names[i] == options->kind) schema = file_schema(static_cast<FileKind>(i));
            }
            write_output(options->file, json_text(schema));
            return 0;
        };
    });
}

} // namespace spillway
