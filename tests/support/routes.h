// Short routes for tests of traces, curves and caches.
#pragma once

#include "simulate/replay.h"
#include "simulate/rng.h"
#include "simulate/routes.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace spillway::test {

// Hands out routes that are at hand.
class ListedRoutes final : public RouteSource {
public:
    struct Listed {
        std::uint32_t layer = 0;
        std::vector<std::uint32_t> experts;
        RoutePhase phase = RoutePhase::decode;
        std::uint64_t turn = 0;
    };
    explicit ListedRoutes(std::vector<Listed> routes) : routes_(std::move(routes)) { info_.name = "listed"; }

    bool next(Route& route) override {
        if (at_ == routes_.size()) return false;
        const Listed& r = routes_[at_];
        route = {r.turn, r.phase, at_++, r.layer, r.experts};
        return true;
    }

private:
    std::vector<Listed> routes_;
    std::size_t at_ = 0;
};

// `count` distinct experts below `experts`, in random order.
inline std::vector<std::uint32_t> draw_distinct(Rng& rng, std::uint32_t experts, std::uint32_t count) {
    std::vector<std::uint32_t> drawn;
    while (drawn.size() < count) {
        const std::uint32_t e = rng.below(experts);
        if (std::find(drawn.begin(), drawn.end(), e) == drawn.end()) drawn.push_back(e);
    }
    return drawn;
}

// Steps of random layers with random numbers of experts, 1 to most.
inline StoredSteps random_steps(Rng& rng, std::uint32_t layers, std::uint32_t experts, std::uint32_t most,
                                std::size_t count) {
    StoredSteps steps;
    for (std::size_t i = 0; i < count; ++i) {
        const auto drawn = draw_distinct(rng, experts, 1U + rng.below(most));
        LayerStep step;
        step.layer = rng.below(layers);
        step.first_token = i;
        step.experts = drawn;
        steps.add(step);
    }
    return steps;
}

inline void write_file(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

} // namespace spillway::test
