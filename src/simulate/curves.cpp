#include "simulate/curves.h"

#include "simulate/recency.h"
#include "simulate/tally.h"
#include "simulate/windows.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace spillway {

double MissCurve::missed_with(double slots) const {
    if (missed.empty()) return 0.0;
    const auto last = static_cast<double>(missed.size() - 1);
    if (slots >= last) return static_cast<double>(missed.back());
    const auto below = static_cast<std::size_t>(std::max(0.0, slots));
    const auto at = static_cast<double>(missed[below]);
    return at + (static_cast<double>(missed[below + 1]) - at) * (std::max(0.0, slots) - static_cast<double>(below));
}

namespace {

// A layer while the trace goes by.
struct LayerState {
    explicit LayerState(const CurveOptions& options) : windows(options.longest_window), split(options.warm) {}

    LayerRecency recency;
    WindowCounter windows;
    Tally tally;
    Split split;
    std::uint64_t tokens = 0, selections = 0;
};

class Analysis {
public:
    explicit Analysis(const CurveOptions& options) : options_(options), global_split_(options.warm) {}

    void run(RouteSource& source) {
        const bool decode = options_.phase == RoutePhase::decode;
        LayerStepBuilder steps(decode ? StepSizes{options_.step, 0} : StepSizes{1, options_.step});
        const auto sink = [this](const LayerStep& step) { take(step); };
        Route route;
        while (source.next(route)) {
            take(route);
            steps.add(route, sink);
        }
        steps.flush(sink);
    }

    TraceCurves result(const RouteSource& source);

private:
    void take(const Route& route);
    void take(const LayerStep& step);
    void take_global(const LayerStep& step, bool counted);
    LayerCurves layer_result(std::uint32_t index, LayerState& state) const;
    GlobalCurve global_result(const TraceCurves& curves) const;
    std::uint32_t global_id(std::uint32_t layer, std::uint32_t expert);

    const CurveOptions& options_;
    std::vector<std::optional<LayerState>> layers_;
    std::vector<std::uint32_t> positions_;
    std::uint32_t largest_id_ = 0;
    // For the order of tokens and the ends of sequences.
    struct Place {
        std::uint64_t turn = 0;
        std::uint32_t layer = 0;
    };
    std::optional<Place> before_;
    bool by_layer_ = false;

    WideRecency global_;
    Tally global_tally_;
    Split global_split_;
    std::vector<std::vector<std::uint32_t>> global_ids_;
    std::uint32_t global_count_ = 0;
    std::uint64_t global_steps_ = 0;
};

void Analysis::take(const Route& route) {
    if (route.phase != options_.phase) return;
    if (route.layer >= layers_.size()) layers_.resize(route.layer + 1U);
    std::optional<LayerState>& layer = layers_[route.layer];
    if (!layer) layer.emplace(options_);
    if (before_ && before_->turn != route.turn) {
        for (auto& state : layers_) {
            if (state) state->windows.end_sequence();
        }
    } else if (before_ && before_->layer == route.layer) {
        by_layer_ = true;
    }
    before_ = Place{route.turn, route.layer};
    ++layer->tokens;
    layer->selections += route.experts.size();
    if (options_.longest_window > 0) layer->windows.add(route.experts);
}

void Analysis::take(const LayerStep& step) {
    const bool counted = step.phase == options_.phase;
    if (step.layer >= layers_.size()) layers_.resize(step.layer + 1U);
    std::optional<LayerState>& state = layers_[step.layer];
    if (!state) state.emplace(options_);
    if (positions_.size() < step.experts.size()) positions_.resize(step.experts.size());
    state->recency.step(step.experts, positions_);
    Tally& tally = state->tally;
    if (counted) state->split.pass(step.first_token, tally);
    for (std::size_t i = 0; i < step.experts.size(); ++i) {
        const std::uint32_t expert = step.experts[i];
        largest_id_ = std::max(largest_id_, expert);
        if (expert >= tally.all.size()) {
            tally.all.resize(expert + 1U, 0);
            tally.counted.resize(expert + 1U, 0);
        }
        ++tally.all[expert];
        if (!counted) continue;
        ++tally.counted[expert];
        tally.count(positions_[i]);
    }
    if (options_.global) take_global(step, counted);
    if (options_.observer) options_.observer(step);
}

std::uint32_t Analysis::global_id(std::uint32_t layer, std::uint32_t expert) {
    if (layer >= global_ids_.size()) global_ids_.resize(layer + 1U);
    std::vector<std::uint32_t>& ids = global_ids_[layer];
    if (expert >= ids.size()) ids.resize(expert + 1U, kNeverUsed);
    if (ids[expert] == kNeverUsed) ids[expert] = global_count_++;
    return ids[expert];
}

void Analysis::take_global(const LayerStep& step, bool counted) {
    if (counted) {
        ++global_steps_;
        global_split_.pass(step.first_token, global_tally_);
        for (const std::uint32_t expert : step.experts)
            global_tally_.count(global_.position(global_id(step.layer, expert)));
    }
    for (const std::uint32_t expert : step.experts) global_.touch(global_id(step.layer, expert));
}

LayerCurves Analysis::layer_result(std::uint32_t index, LayerState& state) const {
    LayerCurves layer;
    layer.layer = index;
    layer.tokens = state.tokens;
    layer.distinct_experts = state.recency.used();
    layer.cold = lru_curve(state.tally, nullptr);
    layer.hot_inside = hot_set_curve(state.tally.counted, state.tally.counted, {});
    layer.distinct = state.windows.distinct();
    if (const Split::Mark* mark = state.split.mark(state.tokens)) {
        layer.warm_after = mark->token;
        layer.warm = lru_curve(state.tally, mark);
        layer.hot_outside = hot_set_curve(mark->tally.all, state.tally.counted, mark->tally.counted);
    }
    return layer;
}

GlobalCurve Analysis::global_result(const TraceCurves& curves) const {
    GlobalCurve global;
    global.cold = lru_curve(global_tally_, nullptr);
    if (const Split::Mark* mark = global_split_.mark(curves.tokens)) global.warm = lru_curve(global_tally_, mark);
    const double per_step =
        static_cast<double>(global.cold.lookups) / static_cast<double>(std::max<std::uint64_t>(1, global_steps_));
    global.cycle = static_cast<std::uint32_t>(std::lround(per_step * static_cast<double>(curves.layers.size())));
    const auto hit =
        std::find_if(global_tally_.hits.begin(), global_tally_.hits.end(), [](std::uint64_t n) { return n > 0; });
    if (hit != global_tally_.hits.end())
        global.first_hit = static_cast<std::uint32_t>(hit - global_tally_.hits.begin()) + 1U;
    global.distinct_experts = global_.used();
    return global;
}

TraceCurves Analysis::result(const RouteSource& source) {
    TraceCurves curves;
    curves.info = source.info();
    curves.malformed = source.malformed();
    curves.phase = options_.phase;
    curves.step = options_.step;
    const std::optional<std::uint32_t> stated = options_.experts ? options_.experts : curves.info.experts;
    curves.experts_stated = stated.has_value();
    curves.experts = std::max(stated.value_or(0), largest_id_ + 1U);
    std::uint64_t routes = 0;
    for (std::uint32_t i = 0; i < layers_.size(); ++i) {
        if (!layers_[i] || layers_[i]->tokens == 0) continue;
        curves.layers.push_back(layer_result(i, *layers_[i]));
        curves.selections += layers_[i]->selections;
        routes += layers_[i]->tokens;
        if (curves.layers.back().tokens > curves.tokens) {
            curves.tokens = curves.layers.back().tokens;
            curves.warm_after = curves.layers.back().warm_after;
        }
    }
    if (routes > 0) curves.top_k = static_cast<double>(curves.selections) / static_cast<double>(routes);
    curves.token_order = !by_layer_ || curves.layers.size() < 2 || options_.step == 0;
    if (options_.global && curves.token_order && routes > 0) curves.global = global_result(curves);
    return curves;
}

} // namespace

TraceCurves trace_curves(RouteSource& source, const CurveOptions& options) {
    Analysis analysis(options);
    analysis.run(source);
    return analysis.result(source);
}

} // namespace spillway
