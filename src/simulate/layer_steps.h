// What a cache sees: one layer of one step. A step is what runs together (a token, a verify block, a prompt chunk); in
// each layer it looks up each of its distinct experts once, in the order of first appearance.
#pragma once

#include "simulate/routes.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace spillway {

// Tokens per step in each phase; 0 takes all tokens of the turn's phase together, as an engine does that batches the
// whole prompt. The last step of a phase has what is left.
struct StepSizes {
    std::uint64_t decode = 1;
    std::uint64_t prefill = 0;
};

// One layer of one step. `first_token` numbers the layer's tokens of this phase over all turns, from 0.
struct LayerStep {
    std::uint64_t turn = 0;
    RoutePhase phase = RoutePhase::decode;
    std::uint32_t layer = 0;
    std::uint64_t first_token = 0;
    std::uint64_t tokens = 1;
    std::span<const std::uint32_t> experts;
};

// Turns routes into steps, which it hands to `sink(const LayerStep&)` as they become complete; flush() hands over the
// rest. Holds at most the distinct experts of the steps in progress. Steps come in the order of the trace; those that
// are still open when the turn or the phase changes come before it, by layer.
class LayerStepBuilder {
public:
    explicit LayerStepBuilder(StepSizes sizes) : sizes_(sizes) {}

    template <class Sink>
    void add(const Route& route, Sink&& sink) {
        if (started_ && (route.turn != turn_ || route.phase != phase_)) flush(sink);
        started_ = true;
        turn_ = route.turn;
        phase_ = route.phase;
        if (route.layer >= layers_.size()) layers_.resize(route.layer + 1);
        Layer& layer = layers_[route.layer];
        std::uint64_t& seen = route.phase == RoutePhase::decode ? layer.decoded : layer.prefilled;
        const std::uint64_t size = route.phase == RoutePhase::decode ? sizes_.decode : sizes_.prefill;
        if (size == 1) {
            sink(LayerStep{turn_, phase_, route.layer, seen++, 1, route.experts});
            return;
        }
        ++seen;
        ++layer.tokens;
        ++open_;
        for (const std::uint32_t expert : route.experts) layer.add(expert);
        if (size != 0 && layer.tokens == size) close(route.layer, sink);
    }

    template <class Sink>
    void flush(Sink&& sink) {
        for (std::uint32_t i = 0; open_ > 0 && i < layers_.size(); ++i) {
            if (layers_[i].tokens > 0) close(i, sink);
        }
    }

private:
    struct Layer {
        std::vector<std::uint32_t> experts;
        std::vector<bool> present;
        std::uint64_t tokens = 0; // in the open step
        std::uint64_t decoded = 0, prefilled = 0;

        void add(std::uint32_t expert) {
            if (expert >= present.size()) present.resize(expert + 1);
            if (present[expert]) return;
            present[expert] = true;
            experts.push_back(expert);
        }
    };

    template <class Sink>
    void close(std::uint32_t index, Sink&& sink) {
        Layer& layer = layers_[index];
        const std::uint64_t seen = phase_ == RoutePhase::decode ? layer.decoded : layer.prefilled;
        sink(LayerStep{turn_, phase_, index, seen - layer.tokens, layer.tokens, layer.experts});
        for (const std::uint32_t expert : layer.experts) layer.present[expert] = false;
        layer.experts.clear();
        open_ -= layer.tokens;
        layer.tokens = 0;
    }

    StepSizes sizes_;
    std::vector<Layer> layers_;
    std::uint64_t turn_ = 0;
    std::uint64_t open_ = 0; // tokens in open steps
    RoutePhase phase_ = RoutePhase::decode;
    bool started_ = false;
};

} // namespace spillway
