#include "simulate/synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace spillway {

namespace {

// i^-exponent as a whole number of 2^-24ths of the first: the last bits of pow(), which differ between libraries, are
// rounded away. At least 1, so that every expert can occur.
std::uint64_t weight(std::uint32_t rank, double exponent) {
    const double share = std::pow(static_cast<double>(rank), -exponent);
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share * 16777216.0 + 0.5));
}

std::string description(const SyntheticRouting& r) {
    const std::string shape = fmt::format("{} layer{}, E = {}, k = {}, {} tokens, seed {}", r.layers,
                                          r.layers == 1 ? "" : "s", r.experts, r.top_k, r.tokens, r.seed);
    if (r.kind == SyntheticKind::uniform) return "synthetic uniform routing: " + shape;
    return fmt::format("synthetic Zipf routing, exponent {}, reuse {}: {}", r.exponent, r.reuse, shape);
}

} // namespace

SyntheticSource::SyntheticSource(const SyntheticRouting& routing) : routing_(routing), rng_(routing.seed) {
    assert(routing.experts >= 1 && routing.experts <= kMaxTraceExperts && routing.top_k >= 1 &&
           routing.top_k <= routing.experts);
    assert(routing.layers >= 1 && routing.layers <= kMaxTraceLayers && routing.reuse >= 0.0 && routing.reuse < 1.0);
    info_.name = description(routing);
    info_.format = "synthetic";
    info_.synthetic = true;
    info_.experts = routing.experts;
    info_.top_k = routing.top_k;
    layers_.resize(routing.layers);
    if (routing.kind == SyntheticKind::uniform) return;
    for (std::uint32_t rank = 1; rank <= routing.experts; ++rank) {
        cumulative_.push_back((cumulative_.empty() ? 0 : cumulative_.back()) + weight(rank, routing.exponent));
    }
    for (Layer& layer : layers_) {
        layer.by_rank.resize(routing.experts);
        std::iota(layer.by_rank.begin(), layer.by_rank.end(), 0U);
        for (std::uint32_t i = routing.experts; i > 1; --i)
            std::swap(layer.by_rank[i - 1], layer.by_rank[rng_.below(i)]);
    }
}

std::uint32_t SyntheticSource::popular_rank() {
    const auto at = static_cast<std::uint64_t>(rng_.unit() * static_cast<double>(cumulative_.back()));
    return static_cast<std::uint32_t>(std::upper_bound(cumulative_.begin(), cumulative_.end(), at) -
                                      cumulative_.begin());
}

std::uint32_t SyntheticSource::draw(const Layer& layer) {
    if (routing_.kind == SyntheticKind::uniform) return rng_.below(routing_.experts);
    if (!layer.chosen.empty() && rng_.unit() < routing_.reuse) {
        return layer.chosen[rng_.below(static_cast<std::uint32_t>(layer.chosen.size()))];
    }
    return layer.by_rank[popular_rank()];
}

bool SyntheticSource::next(Route& route) {
    if (token_ == routing_.tokens) return false;
    Layer& layer = layers_[layer_];
    experts_.clear();
    // An expert that the token has already is drawn again. With a steep popularity and many experts per token that
    // could go on for long; after so many draws the rest is taken from the front of the ranking.
    constexpr std::uint32_t draws_per_expert = 64;
    for (std::uint32_t draws = 0; experts_.size() < routing_.top_k; ++draws) {
        const bool give_up = routing_.kind == SyntheticKind::zipf && draws >= draws_per_expert * routing_.top_k;
        const std::uint32_t expert = give_up ? layer.by_rank[draws % routing_.experts] : draw(layer);
        if (std::find(experts_.begin(), experts_.end(), expert) == experts_.end()) experts_.push_back(expert);
    }
    layer.chosen = experts_;
    route = {0, RoutePhase::decode, token_, layer_, experts_};
    if (++layer_ == routing_.layers) {
        layer_ = 0;
        ++token_;
    }
    return true;
}

} // namespace spillway
