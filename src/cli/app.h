// What the subcommands share: the flags of a case and of output, and loading what they name.
//
// The room src/cli: one file per subcommand. In: the words of a command line. Out: an answer on standard output or in a
// file, and an exit code; only main.cpp catches. It may see every other room, and none sees it.
// Read first: main.cpp (the list of commands, the exit codes), command.h (a command and its flags as data; bind.cpp is
// the only file that knows the parser), then report.cpp as the pattern of a command: it loads, asks
// evaluate() or a caller of it in explore/, and lets report/ write. Beside the commands: sweep_grid.h (words to a
// grid), trace_input.h (flags that name routes), obtainable.h (formats, drives and memory sizes that exist).
#pragma once

#include "cli/command.h"
#include "io/catalogue.h"
#include "io/load_case.h"

#include <string>
#include <vector>

namespace spillway {

// Where the answer goes and what it looks like.
struct OutputFlags {
    std::string data;
    std::string format = "text";
    bool json = false;
    std::string file;
    bool no_color = false;
    bool quiet = false;

    bool wants_json() const { return json || format == "json"; }
};

// --data, --format, --json, -o, --no-color and --quiet. Every command prints every format.
std::vector<Flag> output_flags(OutputFlags& flags);

// Flags of every subcommand that evaluates: -m, -d, -s, -q and --set.
std::vector<Flag> case_flags(CaseRequest& request);

// Loads the case. `this` as a machine is the one that the program runs on; a checkpoint as a model is imported on the
// fly. What was odd in either is told on standard error unless --quiet.
LoadedCase load_requested(CaseRequest request, const OutputFlags& output);

// Whether text may carry colour: standard output is a terminal, NO_COLOR is not set, nobody asked for none.
bool colour(const OutputFlags& flags);

} // namespace spillway
