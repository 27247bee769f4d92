// The command line: subcommands, exit codes, and the one place that catches.
#include "cli/app.h"
#include "io/json_text.h"
#include "io/problem.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <string_view>

namespace {

using namespace spillway;

// Whether an answer in JSON was asked for, also where the command line itself does not parse.
bool asks_for_json(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--json" || word == "--format=json") return true;
        if (word == "--format" && i + 1 < argc && std::string_view(argv[i + 1]) == "json") return true;
    }
    return false;
}

void print(std::FILE* stream, const std::string& text) { std::fwrite(text.data(), 1, text.size(), stream); }

int usage_failure(const CLI::App& app, const CLI::ParseError& error, bool json) {
    if (error.get_exit_code() == 0) { // --help, --version
        app.exit(error);
        return 0;
    }
    if (json) {
        nlohmann::ordered_json document = {{"format", 1}};
        document["error"] = {{"exit", kUsageExit},
                             {"problems",
                              {{{"file", "command line"},
                                {"pointer", ""},
                                {"found", ""},
                                {"expected", "see spillway --help"},
                                {"message", error.what()}}}}};
        print(stdout, json_text(document));
    } else {
        print(stderr, std::string("spillway: ") + error.what() + "\nsee spillway --help\n");
    }
    return kUsageExit;
}

int input_failure(const InputError& error, bool json) {
    if (json) {
        print(stdout, json_text(problems_json(error.problems())));
    } else {
        print(stderr, problems_text(error.problems()));
    }
    return kInputErrorExit;
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app("spillway: does this model fit this machine, and how fast does it run? Every figure is an estimate.",
                 "spillway");
    app.set_version_flag("--version", "spillway " SPILLWAY_VERSION);
    app.require_subcommand(1);
    app.get_formatter()->column_width(34);
    Session session;
    session.json = asks_for_json(argc, argv);
    add_report(app, session);
    add_list(app, session);
    add_break_even(app, session);
    add_sensitivity(app, session);
    add_trace(app, session);
    add_import(app, session);
    add_sweep(app, session);
    add_check(app, session);
    add_gate(app, session);
    add_compare(app, session);
    add_simulate(app, session);
    add_schema(app, session);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return usage_failure(app, error, session.json);
    }
    try {
        return session.work();
    } catch (const InputError& error) {
        return input_failure(error, session.json);
    }
}
