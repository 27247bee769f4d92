// Every subcommand, one file each. The order here is the order of the help.
#pragma once

#include "cli/command.h"

namespace spillway {

Command report_command();
Command list_command();
Command break_even_command();
Command sensitivity_command();
Command trace_command();
Command import_command();
Command sweep_command();
Command check_command();
Command gate_command();
Command compare_command();
Command simulate_command();
Command validate_command();
Command schema_command();
Command calibrate_command();

} // namespace spillway
