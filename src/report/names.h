// Names of the engine's enums: as JSON has them (a contract) and as people read them.
#pragma once

#include "engine/estimate.h"
#include "explore/break_even.h"

#include <string_view>
#include <vector>

namespace spillway {

// For JSON, snake_case.
std::string_view name_of(Part part);
std::string_view name_of(TermId id);
std::string_view name_of(Limit limit);
std::string_view name_of(State state);
std::string_view name_of(Answer answer);
// kebab-case.
std::string_view name_of(NoteId id);

// For people.
std::string_view label_of(Part part);
std::string_view label_of(TermId id);
std::string_view label_of(Limit limit); // "storage", "memory bandwidth", ...

// One operand of a term, in base units. `name` is the key in JSON, `unit` what stands behind the number in --explain.
struct Operand {
    std::string_view name;
    double value = 0.0;
    std::string_view unit;
    bool known = true;
};

// The operands that a term's form uses; factors of exactly 1 are left out. Only an unknown operand can be 0 where it
// divides or multiplies: the engine leaves out terms that are 0.
std::vector<Operand> operands_of(const Term& term);

} // namespace spillway
