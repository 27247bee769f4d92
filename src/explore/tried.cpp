#include "explore/tried.h"

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

// Some value inside the range of an input that nobody knows: what it moves is what waits for it.
double some_value(const NumberField& field) {
    const auto inside = [&field](double value) { return std::clamp(value, field.minimum, field.maximum); };
    switch (field.unit) {
    case Unit::bytes: return inside(1e9);
    case Unit::seconds: return inside(1e-4);
    case Unit::bytes_per_second: return inside(1e9);
    case Unit::flops_per_second: return inside(1e12);
    case Unit::count: return inside(1.0);
    default: return inside(0.5);
    }
}

void try_curve(const Case& c, const std::function<void(const Tried&)>& see) {
    if (c.scenario.locality.kind != LocalityKind::uniform) return;
    Case other = c;
    other.scenario.locality.kind = LocalityKind::fitted;
    other.scenario.locality.exponent = 2.0;
    see({"scenario.locality", other, evaluate(other)});
}

} // namespace

std::optional<double> nudged(const NumberField& field, double value, bool up) {
    double step = kNudge * std::abs(value);
    if (field.whole) step = std::max(1.0, std::round(step));
    if (step == 0.0 && field.unit == Unit::ratio_or_number) step = kNudge;
    const double moved = up ? value + step : value - step;
    return moved != value && moved >= field.minimum && moved <= field.maximum ? std::optional(moved) : std::nullopt;
}

void try_inputs(const Case& c, const std::function<void(const Tried&)>& see) {
    Case trial = c;
    trial.alternatives.clear();
    for (const std::string& path : number_paths(trial)) {
        const std::optional<NumberField> field = number_field(trial, path);
        if (!field) continue;
        const std::optional<double> value = field->get();
        if (value) {
            for (const bool up : {true, false}) {
                const std::optional<double> moved = nudged(*field, *value, up);
                if (!moved) continue;
                field->set(*moved);
                const double change = *value == 0.0 ? 1.0 : std::abs(*moved / *value - 1.0);
                see({path, trial, evaluate(trial), change});
            }
            field->set(*value);
        } else if (field->empty_is_unknown) {
            Case known = trial;
            number_field(known, path)->set(some_value(*field));
            see({path, known, evaluate(known)});
        }
    }
    try_curve(trial, see);
}

} // namespace spillway
