#include "simulate/inspect.h"

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

struct LayerCounts {
    std::vector<std::uint64_t> uses; // by expert
    std::vector<std::uint64_t> last; // by expert: token of the last use, from 1; 0: none
    std::uint64_t prefill = 0, decode = 0;
    std::uint64_t repeated = 0, repeatable = 0;
    std::uint64_t turn = 0, token = 0;

    void add(const Route& route) {
        ++(route.phase == RoutePhase::prefill ? prefill : decode);
        const bool follows = token > 0 && turn == route.turn;
        turn = route.turn;
        ++token;
        if (follows) repeatable += route.experts.size();
        for (const std::uint32_t expert : route.experts) {
            if (expert >= uses.size()) {
                uses.resize(expert + 1U, 0);
                last.resize(expert + 1U, 0);
            }
            ++uses[expert];
            if (follows && last[expert] == token - 1) ++repeated;
            last[expert] = token;
        }
    }
};

LayerPopularity popularity_of(std::uint32_t index, const LayerCounts& counts, std::uint32_t experts) {
    LayerPopularity layer;
    layer.layer = index;
    layer.tokens = counts.prefill + counts.decode;
    for (const std::uint64_t uses : counts.uses) layer.selections += uses;
    const auto all = static_cast<double>(layer.selections);
    for (const std::uint64_t uses : counts.uses) {
        if (uses == 0) continue;
        ++layer.distinct_experts;
        const double share = static_cast<double>(uses) / all;
        layer.entropy_bits -= share * std::log2(share);
    }
    layer.hottest_expert =
        static_cast<std::uint32_t>(std::max_element(counts.uses.begin(), counts.uses.end()) - counts.uses.begin());
    std::vector<std::uint64_t> sorted = counts.uses;
    std::sort(sorted.rbegin(), sorted.rend());
    std::uint64_t top = 0;
    const std::size_t tenth = (experts + 9U) / 10U;
    for (std::size_t i = 0; i < std::min(tenth, sorted.size()); ++i) top += sorted[i];
    layer.hottest_share = static_cast<double>(sorted.front()) / all;
    layer.top_tenth_share = static_cast<double>(top) / all;
    if (counts.repeatable > 0)
        layer.repeated = static_cast<double>(counts.repeated) / static_cast<double>(counts.repeatable);
    return layer;
}

} // namespace

TraceShape inspect_trace(RouteSource& source, std::optional<std::uint32_t> experts) {
    TraceShape shape;
    std::vector<LayerCounts> layers;
    std::uint32_t largest = 0;
    std::optional<std::uint64_t> turn;
    Route route;
    while (source.next(route)) {
        if (route.layer >= layers.size()) layers.resize(route.layer + 1U);
        layers[route.layer].add(route);
        const auto chosen = static_cast<std::uint32_t>(route.experts.size());
        shape.top_k_least = shape.selections == 0 ? chosen : std::min(shape.top_k_least, chosen);
        shape.top_k_most = std::max(shape.top_k_most, chosen);
        shape.selections += chosen;
        if (turn != route.turn) ++shape.turns;
        turn = route.turn;
        largest = std::max(largest, *std::max_element(route.experts.begin(), route.experts.end()));
    }
    shape.info = source.info();
    shape.malformed = source.malformed();
    const std::optional<std::uint32_t> stated = experts ? experts : shape.info.experts;
    shape.experts_stated = stated.has_value();
    shape.experts = std::max(stated.value_or(0), largest + 1U);
    for (std::uint32_t i = 0; i < layers.size(); ++i) {
        if (layers[i].uses.empty()) continue;
        shape.layers.push_back(popularity_of(i, layers[i], shape.experts));
        shape.prefill_tokens = std::max(shape.prefill_tokens, layers[i].prefill);
        shape.decode_tokens = std::max(shape.decode_tokens, layers[i].decode);
    }
    return shape;
}

} // namespace spillway
