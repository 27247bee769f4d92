// Routes gathered into what runs together over all layers: a token, a verify block, a prompt chunk. Checks on the way
// that the routes are those of the model.
#pragma once

#include "simulate/layer_steps.h"
#include "simulate/routes.h"
#include "simulate/step_costs.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace spillway {

// Distinct experts of each layer, layers as indices into StepCosts::layers(), ascending.
struct TokenGroup {
    std::uint64_t turn = 0;
    RoutePhase phase = RoutePhase::decode;
    std::uint64_t tokens = 0;
    std::vector<std::uint32_t> layers;
    std::vector<std::uint32_t> ends; // of the layer's experts
    std::vector<std::uint32_t> experts;

    std::span<const std::uint32_t> of(std::size_t i) const {
        const std::uint32_t begin = i == 0 ? 0U : ends[i - 1];
        return std::span(experts).subspan(begin, ends[i] - begin);
    }
};

class GroupBuilder {
public:
    using Sink = std::function<void(const TokenGroup&)>;

    GroupBuilder(const std::vector<ExpertLayer>& layers, std::string model, StepSizes sizes, Sink sink);

    // Both throw InputError where the routes are not the model's.
    void add(const Route& route, const TraceInfo& info);
    void finish();

private:
    void take(const LayerStep& step);
    void close();
    void name_layers();
    [[noreturn]] void refuse(const std::string& found, const std::string& expected, const std::string& message) const;

    const std::vector<ExpertLayer>& layers_;
    std::string model_;
    LayerStepBuilder steps_;
    Sink sink_;
    std::string trace_;
    TokenGroup group_;                 // layers as the trace numbers them until close()
    std::vector<std::uint32_t> index_; // by the trace's number; empty until the first group is known
    bool checked_ = false;
};

// Synthetic routing whose first tokens are a prompt; layers that do not run in prefill are left out of it.
class PromptedRoutes final : public RouteSource {
public:
    PromptedRoutes(std::unique_ptr<RouteSource> source, std::uint64_t prompt, std::vector<bool> prefills);
    bool next(Route& route) override;

private:
    std::unique_ptr<RouteSource> source_;
    std::uint64_t prompt_;
    std::vector<bool> prefills_;
};

} // namespace spillway
