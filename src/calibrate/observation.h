// What a fit is made of: cases as a source states them, each with one figure that was measured on it. In: loaded
// cases. Out: the figure that evaluate() predicts for them.
#pragma once

#include "engine/estimate.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

enum class Measurand { decode, prefill, time_to_first_token };
template <>
struct EnumNames<Measurand> {
    static constexpr std::array<std::string_view, 3> names = {"decode", "prefill", "time_to_first_token"};
};

// What rows have in common: folds of a cross-validation and lines are made of rows with equal labels.
enum class Label { machine, model, engine, group };
template <>
struct EnumNames<Label> {
    static constexpr std::array<std::string_view, 4> names = {"machine", "model", "engine", "group"};
};

struct Observation {
    Case value; // loaded once; a fit sets its fields
    std::string id;
    std::array<std::string, EnumNames<Label>::names.size()> labels; // in the order of Label
    std::string quantization;                                       // as the row names it
    Measurand measurand = Measurand::decode;
    double measured = 1.0; // tok/s, for the time to the first token 1/s; above 0

    const std::string& label(Label which) const { return labels[static_cast<std::size_t>(which)]; }
};

// The same figure as evaluate() predicts it; empty where the case does not fit or an input is unknown.
std::optional<double> predicted(const Case& c, Measurand measurand);

// Those of the rows whose figure can be predicted, with the localities that a report lists beside taken out, which
// would only cost time. `without` returns the ids of the others.
std::vector<Observation> predictable(std::vector<Observation> rows, std::vector<std::string>& without);

} // namespace spillway
