#include "simulate/token_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace spillway {

namespace {

constexpr std::uint32_t kNoLayer = ~0U;

std::string layer_list(const std::vector<std::uint32_t>& layers) {
    if (layers.empty()) return "no layers";
    return fmt::format("{} layer{}, {} to {}", layers.size(), layers.size() == 1 ? "" : "s", layers.front(),
                       layers.back());
}

} // namespace

GroupBuilder::GroupBuilder(const std::vector<ExpertLayer>& layers, std::string model, StepSizes sizes, Sink sink)
    : layers_(layers), model_(std::move(model)), steps_(sizes), sink_(std::move(sink)) {}

void GroupBuilder::refuse(const std::string& found, const std::string& expected, const std::string& message) const {
    throw InputError({{trace_, "", found, expected, message + ": the trace is not of this model"}});
}

void GroupBuilder::add(const Route& route, const TraceInfo& info) {
    if (!checked_) {
        checked_ = true;
        trace_ = info.name;
        const auto fits = [&](const ExpertLayer& layer) { return !info.experts || layer.experts == *info.experts; };
        if (std::none_of(layers_.begin(), layers_.end(), fits)) {
            refuse(fmt::format("E = {}", *info.experts),
                   fmt::format("E = {} as {} has", layers_.front().experts, model_),
                   fmt::format("{} experts per layer against the model's {}", *info.experts, layers_.front().experts));
        }
    }
    const auto runs = [&](const ExpertLayer& layer) { return layer.active == route.experts.size(); };
    // Layers of a model are alike almost always, so that the first answers.
    if (!runs(layers_.front()) && std::none_of(layers_.begin(), layers_.end(), runs)) {
        refuse(
            fmt::format("k = {} in token {}, layer {}", route.experts.size(), route.token, route.layer),
            fmt::format("k = {} as {} has; scenario.active_experts changes it", layers_.front().active, model_),
            fmt::format("{} experts per token against the model's {}", route.experts.size(), layers_.front().active));
    }
    steps_.add(route, [this](const LayerStep& step) { take(step); });
}

void GroupBuilder::finish() {
    steps_.flush([this](const LayerStep& step) { take(step); });
    close();
}

void GroupBuilder::take(const LayerStep& step) {
    const bool open = !group_.layers.empty();
    if (open && (step.turn != group_.turn || step.phase != group_.phase || step.layer <= group_.layers.back())) close();
    if (group_.layers.empty()) {
        group_.turn = step.turn;
        group_.phase = step.phase;
        group_.tokens = 0;
    }
    // The last layer of a prompt may route its last token only.
    group_.tokens = std::max(group_.tokens, step.tokens);
    group_.layers.push_back(step.layer);
    group_.experts.insert(group_.experts.end(), step.experts.begin(), step.experts.end());
    group_.ends.push_back(static_cast<std::uint32_t>(group_.experts.size()));
}

// A trace counts layers as the model does, or only those with experts, from 0.
void GroupBuilder::name_layers() {
    const auto place = [this](std::uint32_t number) {
        const auto at = std::find_if(layers_.begin(), layers_.end(), [&](const ExpertLayer& layer) {
            return layer.number == static_cast<int>(number);
        });
        return at == layers_.end() ? kNoLayer : static_cast<std::uint32_t>(at - layers_.begin());
    };
    const bool by_number = std::all_of(group_.layers.begin(), group_.layers.end(),
                                       [&](std::uint32_t number) { return place(number) != kNoLayer; });
    if (!by_number && group_.layers.back() >= layers_.size()) {
        refuse(layer_list(group_.layers),
               fmt::format("{} layers with experts, {} to {}, as {} has", layers_.size(), layers_.front().number,
                           layers_.back().number, model_),
               "its layers are not the model's layers with experts");
    }
    const auto numbers = static_cast<std::uint32_t>(
        std::max<std::size_t>(layers_.size(), static_cast<std::size_t>(layers_.back().number) + 1));
    for (std::uint32_t i = 0; i < numbers; ++i) {
        index_.push_back(by_number ? place(i) : i < layers_.size() ? i : kNoLayer);
    }
}

void GroupBuilder::close() {
    if (group_.layers.empty()) return;
    if (index_.empty()) name_layers();
    const auto runs =
        std::count_if(layers_.begin(), layers_.end(), [](const ExpertLayer& layer) { return layer.decodes; });
    if (group_.phase == RoutePhase::decode && group_.layers.size() != static_cast<std::size_t>(runs)) {
        refuse(layer_list(group_.layers) + " in a decode step",
               fmt::format("{} layers with experts, as {} has", runs, model_),
               fmt::format("{} layers against the model's {}", group_.layers.size(), runs));
    }
    for (std::size_t i = 0; i < group_.layers.size(); ++i) {
        const std::uint32_t number = group_.layers[i];
        const std::uint32_t layer = number < index_.size() ? index_[number] : kNoLayer;
        if (layer == kNoLayer) {
            refuse(fmt::format("layer {}", number), fmt::format("a layer with experts of {}", model_),
                   fmt::format("layer {} has no experts in the model", number));
        }
        for (const std::uint32_t expert : group_.of(i)) {
            if (expert < layers_[layer].experts) continue;
            refuse(fmt::format("expert {} in layer {}", expert, number),
                   fmt::format("E = {} as {} has", layers_[layer].experts, model_),
                   fmt::format("expert {} against the model's {} experts", expert, layers_[layer].experts));
        }
        group_.layers[i] = layer;
    }
    sink_(group_);
    group_.layers.clear();
    group_.ends.clear();
    group_.experts.clear();
}

PromptedRoutes::PromptedRoutes(std::unique_ptr<RouteSource> source, std::uint64_t prompt, std::vector<bool> prefills)
    : source_(std::move(source)), prompt_(prompt), prefills_(std::move(prefills)) {
    info_ = source_->info();
    info_.name += fmt::format(", the first {} a prompt", prompt);
}

bool PromptedRoutes::next(Route& route) {
    while (source_->next(route)) {
        if (route.token >= prompt_) return true;
        if (!prefills_[route.layer]) continue;
        route.phase = RoutePhase::prefill;
        return true;
    }
    return false;
}

} // namespace spillway
