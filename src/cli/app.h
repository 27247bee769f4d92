// What the subcommands share: flags, output, and how a subcommand hands its work to main.
#pragma once

#include "io/catalogue.h"
#include "io/load_case.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace spillway {

inline constexpr int kUsageExit = 2;

// Flags every subcommand takes.
struct OutputFlags {
    std::string data;
    std::string format = "text";
    bool json = false;
    std::string file;
    bool no_color = false;
    bool quiet = false;

    bool wants_json() const { return json || format == "json"; }
};

// Adds --data, --format (of those listed), --json, -o, --no-color and --quiet.
void add_output_flags(CLI::App& command, OutputFlags& flags, const std::vector<std::string>& formats);

// Flags every subcommand that evaluates takes.
void add_case_flags(CLI::App& command, CaseRequest& request);

// Loads the case. `this` as a machine is the one that the program runs on; a checkpoint as a model is imported on the
// fly. What was odd in either is told on standard error unless --quiet.
LoadedCase load_requested(CaseRequest request, const OutputFlags& output);

// Whether text may carry colour: standard output is a terminal, NO_COLOR is not set, nobody asked for none.
bool colour(const OutputFlags& flags);

// The work of the subcommand that was named; its result is the exit code. `json` says how errors are shown.
struct Session {
    std::function<int()> work;
    bool json = false;
};

void add_report(CLI::App& app, Session& session);
void add_list(CLI::App& app, Session& session);
void add_break_even(CLI::App& app, Session& session);
void add_sensitivity(CLI::App& app, Session& session);
void add_trace(CLI::App& app, Session& session);
void add_import(CLI::App& app, Session& session);
void add_sweep(CLI::App& app, Session& session);
void add_check(CLI::App& app, Session& session);
void add_gate(CLI::App& app, Session& session);
void add_compare(CLI::App& app, Session& session);
void add_simulate(CLI::App& app, Session& session);
void add_schema(CLI::App& app, Session& session);

} // namespace spillway
