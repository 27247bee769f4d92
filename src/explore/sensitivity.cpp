#include "explore/sensitivity.h"

#include "text/paths.h"

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

constexpr double kStep = 0.01;
// Below a thousandth of a per cent of speed per per cent of input, an input does not matter.
constexpr double kSmallestEffect = 1e-5;

// Shapes follow from the model that was named; targets only judge; and what is asked (prompt, sequences...) is the
// question, not an input that somebody could measure or buy.
bool is_candidate(const std::string& path) {
    if (path.rfind("model.", 0) == 0) return false;
    if (path.rfind("scenario.", 0) != 0 || path.rfind("scenario.runtime.", 0) == 0) return true;
    for (const char* answerable : {"expert_budget", "residency", "resident_pass", "prefill_compute", "working_memory",
                                   "reserve", "locality.exponent"}) {
        if (path == std::string("scenario.") + answerable) return true;
    }
    return false;
}

std::optional<double> relative(const std::optional<double>& before, const std::optional<double>& after, double change) {
    if (!before || !after || *before <= 0.0) return std::nullopt;
    return (*after / *before - 1.0) / change;
}

double size_of(const Influence& influence) {
    return std::max(std::abs(influence.decode.value_or(0.0)), std::abs(influence.prefill.value_or(0.0)));
}

// The altered value, inside the field's range: up by 1 % (or one, where only whole numbers make sense), else down.
std::optional<double> altered(const NumberField& field, double value) {
    const double step = field.whole ? std::max(1.0, std::round(kStep * std::abs(value))) : kStep * std::abs(value);
    if (value + step <= field.maximum) return value + step;
    if (value - step >= field.minimum) return value - step;
    return std::nullopt;
}

} // namespace

std::vector<Influence> influences(const Case& c) {
    Case trial = c;
    trial.alternatives.clear();
    const Estimate before = evaluate(trial);
    std::vector<Influence> list;
    for (const std::string& path : number_paths(trial)) {
        if (!is_candidate(path)) continue;
        const std::optional<NumberField> field = number_field(trial, path);
        if (!field) continue;
        const std::optional<double> value = field->get();
        if (!value || *value == 0.0) continue;
        const std::optional<double> other = altered(*field, *value);
        if (!other) continue;
        field->set(*other);
        const Estimate after = evaluate(trial);
        field->set(*value);
        const double change = *other / *value - 1.0;
        Influence influence{path, *value,
                            relative(before.decode.tokens_per_second, after.decode.tokens_per_second, change),
                            relative(before.prefill.tokens_per_second, after.prefill.tokens_per_second, change)};
        if (size_of(influence) >= kSmallestEffect) list.push_back(std::move(influence));
    }
    // Rounded, so that inputs of equal effect stay in the order of their paths: what can be bought before what is
    // fitted.
    const auto rank = [](const Influence& influence) { return std::round(size_of(influence) * 1e4); };
    std::stable_sort(list.begin(), list.end(),
                     [&](const Influence& a, const Influence& b) { return rank(a) > rank(b); });
    return list;
}

std::vector<Purchase> purchases(const Case& c) {
    Case trial = c;
    trial.alternatives.clear();
    const Estimate before = evaluate(trial);
    std::vector<Purchase> list;
    const auto difference = [](const std::optional<double>& a, const std::optional<double>& b) {
        return a && b ? std::optional(*b - *a) : std::nullopt;
    };
    const auto add = [&](std::string unit, const std::string& path, double step) {
        const std::optional<NumberField> field = number_field(trial, path);
        const std::optional<double> value = field ? field->get() : std::nullopt;
        if (!value || *value + step < field->minimum) return;
        Case more = trial; // capacity grows with what is usable
        number_field(more, path)->set(*value + step);
        const Estimate after = evaluate(more);
        list.push_back({std::move(unit), path,
                        difference(before.decode.tokens_per_second, after.decode.tokens_per_second),
                        difference(before.prefill.tokens_per_second, after.prefill.tokens_per_second)});
    };
    add("+1 GB/s", "machine.storage.0.rate", 1e9);
    for (std::size_t i = 0; i < trial.machine.memory.size(); ++i) {
        add("+16 GiB", "machine.memory." + std::to_string(i) + ".usable", 16 * kGiB);
    }
    add("+100 GB/s", "machine.memory.0.bandwidth", 1e11);
    add("-0.5 bit", "quantization.experts", -0.5);
    add("+1 GB/s", "machine.links.0.rate", 1e9);
    std::stable_sort(list.begin(), list.end(), [](const Purchase& a, const Purchase& b) {
        return a.decode.value_or(0.0) > b.decode.value_or(0.0);
    });
    for (Purchase& purchase : list) purchase.path = canonical_path(trial, purchase.path);
    return list;
}

} // namespace spillway
