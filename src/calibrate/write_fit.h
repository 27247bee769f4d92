// Fitted terms as a copy of the runtime or machine file that they belong to. In: the file as read, the fit, and the
// command that made it. Out: the file with the values, their basis "fitted", number of rows and standard error.
#pragma once

#include "calibrate/fit.h"
#include "io/files.h"

#include <string>

namespace spillway {

// Terms whose path lies elsewhere are left out; values are rounded to three significant digits, so that the same rows
// give the same file everywhere.
RuntimeFile with_fit(RuntimeFile file, const Fit& f, const std::string& command);
MachineFile with_fit(MachineFile file, const Fit& f, const std::string& command);

} // namespace spillway
