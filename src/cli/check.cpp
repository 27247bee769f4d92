// spillway check: what a contributor runs on a file of the catalogue before offering it.
#include "cli/answer.h"
#include "cli/commands.h"
#include "report/audit.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace spillway {

namespace {

constexpr int kFailedExit = 1;

struct Options {
    OutputFlags output;
    std::vector<std::string> files;
};

std::vector<std::pair<FileKind, std::string>> wanted(LoadContext& context, const Options& o) {
    std::vector<std::pair<FileKind, std::string>> files;
    for (const std::string& name : o.files) {
        if (const auto kind = kind_of_file(context, name)) files.emplace_back(*kind, name);
    }
    if (!o.files.empty()) return files;
    for (std::size_t i = 0; i < EnumNames<FileKind>::names.size(); ++i) {
        const auto kind = static_cast<FileKind>(i);
        for (const std::string& name : context.catalogue.names(kind)) files.emplace_back(kind, name);
    }
    return files;
}

int run(const Options& o) {
    const Catalogue catalogue(data_root(o.output.data));
    LoadContext context{catalogue, {}};
    std::vector<FileAudit> files;
    for (const auto& [kind, name] : wanted(context, o)) {
        if (auto audited = audit_file(context, kind, name)) files.push_back(std::move(*audited));
    }
    throw_if_any(context.problems);
    if (files.empty())
        throw InputError({{"--data", "", "nothing", "a directory with models/, hardware/ and scenarios/",
                           "there is no catalogue to check"}});
    write_answer(o.output, {[&] { return table_json(audit_table(files)); },
                            [&] { return audit_document(files, !o.files.empty(), SPILLWAY_VERSION); }});
    const bool pass = std::all_of(files.begin(), files.end(), [](const FileAudit& file) { return file.passes(); });
    return pass ? 0 : kFailedExit;
}

} // namespace

Command check_command() {
    const auto o = std::make_shared<Options>();
    return {.name = "check",
            .help = "audits files of the catalogue: exit 0 pass, 1 fail, 3 unreadable",
            .flags = joined({{{"files", &o->files, "files or names to audit; none: the whole catalogue", "FILE"}},
                             output_flags(o->output)}),
            .run = [o] { return run(*o); }};
}

} // namespace spillway
