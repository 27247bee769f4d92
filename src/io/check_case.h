// Rules that tie several fields of an input together; the range of a single field is checked where it is read. What
// passes here needs no check in the engine.
#pragma once

#include "inputs/scenario.h"

#include <string>
#include <vector>

namespace spillway {

// A broken rule. `at` is a JSON pointer within the object that was checked.
struct Finding {
    std::string at, found, expected, message;
};
using Findings = std::vector<Finding>;

Findings check_machine(const Machine& machine);
Findings check_model(const Model& model);
// Without its runtime and locality.
Findings check_scenario(const Scenario& scenario);
// `replaced`: the scenario states the working memory itself.
Findings check_runtime(const Runtime& runtime, bool replaced);
Findings check_locality(const Locality& locality);
// What a scenario asks of the machine's pools: pointers within the scenario.
Findings check_pools(const Machine& machine, const Scenario& scenario);
// What a scenario asks of this model: pointers within the scenario.
Findings check_together(const Model& model, const Scenario& scenario);

} // namespace spillway
