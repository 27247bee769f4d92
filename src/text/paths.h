// One leaf of a Case by its path: `machine.memory.unified.bandwidth`, `model.blocks.2.experts.active`,
// `quantization.experts` (the chosen one), `scenario.runtime.t_layer.apple-gpu`. For --set, sweep axes, break-even
// unknowns and sensitivity. `scenario.locality` and `scenario.runtime` as a whole are names of files: load_case.h.
#pragma once

#include "inputs/scenario.h"
#include "text/field_value.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

using PathProblem = ValueProblem;

// A numeric leaf of one given Case, in base units. Valid while no list of that Case changes its size. Getting and
// setting allocate nothing; set() does not check the range.
struct NumberField {
    double minimum = 0.0, maximum = 0.0; // inclusive
    Unit unit = Unit::ratio_or_number;
    bool whole = false;
    bool empty_is_unknown = false; // otherwise an empty value says that there is none, or that nothing is forced
    void* leaf = nullptr;
    std::optional<double> (*read)(const void*) = nullptr;
    void (*write)(void*, double) = nullptr;

    std::optional<double> get() const { return read(leaf); } // empty: unknown, none or not forced
    void set(double value) const { write(leaf, value); }
};

// The field that a path names; empty if it names none, or one that no longer matters once a case is loaded (named
// quantizations, a runtime's sustained shares: the chosen and copied ones count). number_problem says why.
std::optional<NumberField> number_field(Case& c, std::string_view path);
std::optional<PathProblem> number_problem(Case& c, std::string_view path);

// Sets one leaf from text: "240 GiB", "0.9", an enumeration's name, true, false; "null" is unknown, none or not
// forced. Returns what is wrong, empty if done. Members that are none (attention of a block without) are not created.
std::optional<PathProblem> set_field(Case& c, std::string_view path, std::string_view text);

// Paths of every numeric leaf that number_field accepts, in the order of the fields, in canonical form: list elements
// by name where they have one.
std::vector<std::string> number_paths(Case& c);

// The canonical form of a path to a leaf or to a group of them; empty if there is no such path.
std::string canonical_path(Case& c, std::string_view path);

} // namespace spillway
