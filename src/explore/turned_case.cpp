#include "explore/turned_case.h"

#include <algorithm>

namespace spillway {

namespace {

// The pool whose usable memory the field is.
std::optional<std::size_t> pool_of(const Machine& machine, const NumberField& field) {
    for (std::size_t i = 0; i < machine.memory.size(); ++i) {
        if (field.leaf == &machine.memory[i].usable) return i;
    }
    return std::nullopt;
}

} // namespace

bool shapes_sizes(std::string_view path) { return path.starts_with("model.") || path.starts_with("quantization."); }

TurnedCase::TurnedCase(const Case& c, std::string_view path) : case_(c), path_(canonical_path(case_, path)) {
    case_.alternatives.clear();
    field_ = number_field(case_, path_);
    if (!field_) return;
    own_ = field_->get();
    own_down_ = case_.quantization.experts_down;
    pool_ = pool_of(case_.machine, *field_);
    if (pool_) own_capacity_ = case_.machine.memory[*pool_].capacity;
    changes_sizes_ = shapes_sizes(path_);
    sizes_ = sizes_of(case_.model, case_.quantization);
}

std::optional<double> TurnedCase::own_value() const { return own_; }

void TurnedCase::free_placement() {
    case_.scenario.residency.reset();
    case_.scenario.expert_budget.reset();
    case_.scenario.residency_ranges.clear();
    case_.scenario.first_pool_experts.reset();
    case_.scenario.cpu_moe_layers.reset();
}

const Case& TurnedCase::at(double value) {
    if (path_ == "scenario.residency" || path_ == "scenario.expert_budget") free_placement();
    field_->set(value);
    if (pool_) case_.machine.memory[*pool_].capacity = std::max(own_capacity_, Bytes(value));
    if (path_ == "quantization.experts" && own_down_ && own_) {
        const double scale = value / *own_;
        case_.quantization.experts_down = *own_down_ * scale;
    }
    return case_;
}

Estimate TurnedCase::estimate_at(double value) {
    const Case& turned = at(value);
    return changes_sizes_ ? evaluate(turned) : evaluate(turned, sizes_);
}

} // namespace spillway
