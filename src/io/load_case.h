// The border: names, files and settings become a Case that the engine takes without further checks, with the source of
// each value beside it. Every problem of a request is gathered and thrown together.
//
// The room src/io: files in and out. Everything above it may use it; it sees inputs/, text/ and the engine's types.
// In: names of the catalogue, paths, "path=value" texts. Out: LoadedCase, or one InputError with all problems.
// Read first: load_case.cpp, top to bottom. What it calls, in its order: catalogue.h (where a name lies), load_files.h
// (one file of each kind and what it refers to) over json_file.h (JSON with positions) and read_fields.h (any struct
// from JSON), settings.h (--set), choose_quantization.h, check_case.h (rules over several fields), provenance.h.
// files.h lists the kinds of files. Beside that path: write_fields.h and schema.h (the other direction),
// scenario_set.h (the gate's list), audit.h (`check`), output_file.h, problem.h.
#pragma once

#include "inputs/scenario.h"
#include "io/catalogue.h"
#include "io/provenance.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// What a user asks for. Names or paths; `quantization` is a name of the manifest, a weight format or a number of bits;
// `settings` are "path=value" as given to --set, applied in their order within scenario, machine, model, quantization.
struct CaseRequest {
    std::string model, machine, scenario = "default", quantization = "native";
    std::vector<std::string> settings = {};
    std::string calibration = {}; // a file of own runs (calibration.h); none if empty
    // Files that exist only in memory, as JSON text, by the name that stands for them above: a detected machine, an
    // imported model.
    std::map<std::string, std::string> provided = {};
};

struct LoadedCase {
    Case value;
    std::string model_id, machine_id, scenario_id, quantization_id;
    std::string machine_family; // machines of one chip or board, as the machine's file names it; may be empty
    Sources sources;
    Published published;
    std::string data_digest; // FNV-1a over the bytes of all files read, 16 hex digits

    // The basis and source of a value, by its canonical path; null where nothing is said.
    const Provenance* source_of(std::string_view path) const { return spillway::source_of(sources, path); }
};

// Throws InputError with all problems found. Rules that tie fields together are checked for those of model, machine
// and scenario that could be read.
LoadedCase load_case(const CaseRequest& request, const Catalogue& catalogue);

} // namespace spillway
