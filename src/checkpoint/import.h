// Import on the fly: what -m names may be a checkpoint or a config.json instead of a manifest. io/ may not see
// checkpoint/, so the command line hands this function down.
#pragma once

#include "io/catalogue.h"
#include "io/files.h"
#include "io/problem.h"

#include <optional>
#include <string>

namespace spillway {

// Whether -m names something to import: a path to a GGUF or safetensors file, to a folder, or to a JSON file that is
// not one of ours. Names of the catalogue and manifests are not.
bool names_checkpoint(const std::string& name);

// The imported model, or nothing if `name` is for the catalogue. What an import only warns of goes to `warnings`.
// Throws InputError if it is a checkpoint that cannot be imported.
std::optional<ModelFile> import_model(const std::string& name, const Catalogue& catalogue, Problems& warnings);

// Warnings as problems are shown, under a first line that says what they are. Empty without warnings.
std::string warnings_text(const Problems& warnings);

} // namespace spillway
