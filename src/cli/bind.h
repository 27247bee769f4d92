// Commands as data -> the work that a command line asks for. The only place that knows the parser.
#pragma once

#include "cli/command.h"

#include <functional>
#include <vector>

namespace spillway {

// The `run` of the command that was named, its flags filled; for --help and --version, one that prints them. Throws
// UsageError. What is returned may outlive `commands`, but not what their flags point to.
std::function<int()> parse_command_line(const std::vector<Command>& commands, int argc, char** argv);

} // namespace spillway
