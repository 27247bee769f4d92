// The command line: subcommands, exit codes, and the one place that catches.
#include "cli/bind.h"
#include "cli/commands.h"
#include "io/json_text.h"
#include "io/problem.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

using namespace spillway;

constexpr int kUsageExit = 2;

std::vector<Command> commands() {
    return {report_command(),   list_command(),     break_even_command(), sensitivity_command(), trace_command(),
            import_command(),   sweep_command(),    check_command(),      gate_command(),        compare_command(),
            simulate_command(), validate_command(), schema_command(),     calibrate_command()};
}

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

int usage_failure(const UsageError& error, bool json) {
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
    if (json)
        print(stdout, json_text(problems_json(error.problems())));
    else
        print(stderr, problems_text(error.problems()));
    return kInputErrorExit;
}

} // namespace

int main(int argc, char** argv) {
    const bool json = asks_for_json(argc, argv);
    try {
        return parse_command_line(commands(), argc, argv)();
    } catch (const UsageError& error) {
        return usage_failure(error, json);
    } catch (const InputError& error) {
        return input_failure(error, json);
    }
}
