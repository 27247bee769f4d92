#include "simulate/simulate.h"

#include "engine/placement.h"
#include "simulate/fit.h"
#include "simulate/replay.h"
#include "simulate/run_groups.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace spillway {

namespace {

// Shows each route to the simulation while the curve analysis reads the source, so that one pass is enough.
class WatchedRoutes final : public RouteSource {
public:
    WatchedRoutes(RouteSource& source, GroupBuilder& groups) : source_(source), groups_(groups) {}
    bool next(Route& route) override {
        const bool more = source_.next(route);
        info_ = source_.info();
        malformed_ = source_.malformed();
        if (more) groups_.add(route, info_);
        return more;
    }

private:
    RouteSource& source_;
    GroupBuilder& groups_;
};

void read_all(RouteSource& source, GroupBuilder& groups) {
    Route route;
    while (source.next(route)) groups.add(route, source.info());
    groups.finish();
}

// The routes' own miss curve: that of one LRU per layer, single tokens, without the cold ones.
std::optional<Locality> read_and_measure(RouteSource& source, GroupBuilder& groups,
                                         const std::optional<std::uint64_t>& warm) {
    WatchedRoutes watched(source, groups);
    CurveOptions options;
    options.warm = warm;
    options.longest_window = 0;
    options.global = false;
    const TraceCurves curves = trace_curves(watched, options);
    groups.finish();
    if (curves.layers.empty()) return std::nullopt;
    Locality own;
    own.name = "miss curve measured from these routes";
    own.kind = LocalityKind::table;
    own.points = measured_points(curves).points;
    return own;
}

bool needs_future(EvictionPolicy policy) {
    return policy == EvictionPolicy::belady || policy == EvictionPolicy::static_hot;
}

// Groups kept until the end of the routes, for policies that know it.
struct KeptGroups {
    std::vector<TokenGroup> groups;
    StoredSteps steps;

    void add(const TokenGroup& group) {
        groups.push_back(group);
        for (std::size_t i = 0; i < group.layers.size(); ++i) {
            LayerStep step;
            step.layer = group.layers[i];
            step.phase = group.phase;
            step.experts = group.of(i);
            steps.add(step);
        }
    }

    std::vector<std::uint64_t> popularity(const std::vector<ExpertLayer>& layers) const {
        std::uint32_t experts = 0;
        for (const ExpertLayer& layer : layers) experts = std::max(experts, layer.experts);
        std::vector<std::uint64_t> uses(layers.size() * experts);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            for (const std::uint32_t expert : steps.experts(i)) ++uses[steps[i].layer * experts + expert];
        }
        return uses;
    }

    void run(GroupRunner& runner, bool belady) const {
        const std::vector<std::uint64_t> futures = belady ? next_uses(steps) : std::vector<std::uint64_t>();
        std::size_t begin = 0;
        for (const TokenGroup& group : groups) {
            const std::span<const std::uint64_t> all(futures);
            runner.run(group, belady ? all.subspan(begin, group.experts.size()) : all);
            begin += group.experts.size();
        }
    }
};

// Nearest rank.
double percentile(const std::vector<double>& sorted, double share) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

DriveFigures drive_figures(const StorageUse& use, double seconds) {
    DriveFigures drive;
    drive.bytes = use.bytes;
    if (seconds > 0.0) drive.utilisation = use.busy / seconds;
    if (use.busy > 0.0) {
        drive.queue_depth = use.outstanding / use.busy;
        drive.in_flight = use.in_flight / use.busy;
    }
    return drive;
}

void add_split(TimeSplit& sum, const TimeSplit& step, double weight) {
    sum.resident += weight * step.resident;
    sum.sync += weight * step.sync;
    sum.waiting += weight * step.waiting;
    sum.insertion += weight * step.insertion;
    sum.hidden += weight * step.hidden;
}

std::vector<SpeedWindow> windows(std::span<const StepRecord> steps, const Simulation& simulation, double positions) {
    const std::size_t count = std::min<std::size_t>(simulation.options.windows, steps.size());
    std::vector<SpeedWindow> all;
    double elapsed = 0.0;
    for (std::size_t w = 0; w < count; ++w) {
        const std::size_t first = w * steps.size() / count, last = (w + 1) * steps.size() / count;
        SpeedWindow window;
        window.first_token = first * static_cast<std::uint64_t>(positions);
        window.tokens = (last - first) * static_cast<std::uint64_t>(positions);
        window.start = elapsed;
        std::uint64_t lookups = 0, misses = 0;
        for (std::size_t i = first; i < last; ++i) {
            elapsed += steps[i].seconds;
            lookups += steps[i].lookups;
            misses += steps[i].misses;
        }
        const double seconds = elapsed - window.start;
        const double accepted = simulation.accepted * static_cast<double>(last - first);
        if (seconds > 0.0) window.tokens_per_second = accepted / seconds;
        if (lookups > 0) window.hit_rate = 1.0 - static_cast<double>(misses) / static_cast<double>(lookups);
        all.push_back(window);
    }
    return all;
}

void summarise_decode(std::span<const StepRecord> steps, Simulation& simulation) {
    DecodeSimulation& d = simulation.decode;
    const auto positions = static_cast<std::uint64_t>(std::lround(simulation.positions));
    d.tokens = steps.size() * positions;
    d.warm_after = simulation.options.warm.value_or(default_warm(d.tokens));
    const std::size_t skipped = std::min<std::size_t>(steps.size(), (d.warm_after + positions - 1) / positions);
    const std::span<const StepRecord> counted = steps.subspan(skipped);
    d.steps = counted.size();
    d.windows = windows(steps, simulation, static_cast<double>(positions));
    if (counted.empty()) return;
    StorageUse use;
    std::vector<double> times;
    const double share = 1.0 / static_cast<double>(counted.size());
    for (const StepRecord& step : counted) {
        d.seconds += step.seconds;
        d.lookups += step.lookups;
        d.hits += step.lookups - step.misses;
        d.missed_bytes += step.missed_bytes;
        add_split(d.split, step.split, share);
        use += step.use;
        times.push_back(step.seconds / simulation.accepted);
    }
    std::sort(times.begin(), times.end());
    d.mean = d.seconds * share / simulation.accepted;
    if (d.mean > 0.0) d.tokens_per_second = 1.0 / d.mean;
    d.p50 = percentile(times, 0.5);
    d.p90 = percentile(times, 0.9);
    d.p99 = percentile(times, 0.99);
    d.drive = drive_figures(use, d.seconds);
}

void summarise_prefill(const ChunkSums& chunks, Simulation& simulation) {
    if (chunks.sums.chunks == 0) return;
    PrefillSimulation p = chunks.sums;
    if (chunks.priced) {
        p.seconds = chunks.seconds;
        if (chunks.seconds > 0.0) p.tokens_per_second = static_cast<double>(p.tokens) / chunks.seconds;
        if (chunks.warm_seconds > 0.0)
            p.warm_tokens_per_second = static_cast<double>(p.warm_tokens) / chunks.warm_seconds;
        if (chunks.closed && chunks.closed_seconds > 0.0)
            p.closed_tokens_per_second = static_cast<double>(p.warm_tokens) / chunks.closed_seconds;
        p.drive = drive_figures(chunks.use, chunks.seconds);
    } else {
        p.drive.bytes = chunks.use.bytes;
    }
    simulation.prefill = p;
}

void describe(const StepCosts& costs, Simulation& simulation) {
    const Case& c = costs.simulated();
    simulation.layers = static_cast<std::uint32_t>(costs.layers().size());
    const auto fewer = [](const ExpertLayer& a, const ExpertLayer& b) { return a.slots < b.slots; };
    const auto [least, most] = std::minmax_element(costs.layers().begin(), costs.layers().end(), fewer);
    simulation.least_slots = least->slots;
    simulation.most_slots = most->slots;
    simulation.placed_slots = costs.layers().front().kept;
    simulation.residency = costs.kept_share();
    simulation.positions = c.scenario.positions;
    simulation.accepted = c.scenario.accepted;
    const Placement& p = costs.placement();
    simulation.page_cache_left_out = p.page_cache && p.page_cache->value > 0.0 && costs.kept_share() < 1.0;
    for (std::size_t i = 1; i < p.tiers.size; ++i) {
        simulation.later_pools = simulation.later_pools || p.tiers.items[i].expert_share > 0.0;
    }
}

void compare(const StepCosts& costs, const std::optional<Locality>& own, Simulation& simulation) {
    Case c = costs.simulated();
    c.scenario.locality = own.value_or(Locality{});
    simulation.closed_locality = own ? own->name : "uniform routing";
    const Estimate closed = evaluate(c);
    simulation.decode.closed_tokens_per_second = closed.decode.tokens_per_second;
    simulation.decode.closed_miss_fraction = closed.decode.miss_fraction;
}

} // namespace

std::uint64_t default_warm(std::uint64_t tokens) {
    std::uint64_t warm = tokens < 2 ? 0 : 1;
    while (warm > 0 && 4 * warm <= tokens) warm *= 2;
    return warm;
}

Simulation simulate(const Case& c, RouteSource& source, const SimulationOptions& options) {
    const StepCosts costs(c, options.slots);
    Simulation simulation;
    simulation.options = options;
    describe(costs, simulation);
    const Scenario& s = costs.simulated().scenario;
    const StepSizes sizes{static_cast<std::uint64_t>(std::lround(s.positions)),
                          static_cast<std::uint64_t>(std::lround(chunk_tokens(s)))};
    std::optional<GroupRunner> runner;
    KeptGroups kept;
    const bool keep = needs_future(options.policy);
    if (!keep) runner.emplace(costs, options, std::vector<std::uint64_t>());
    GroupBuilder groups(costs.layers(), costs.simulated().model.name, sizes,
                        [&](const TokenGroup& group) { keep ? kept.add(group) : runner->run(group); });
    std::optional<Locality> own;
    if (options.measure_locality) {
        own = read_and_measure(source, groups, options.warm);
    } else {
        read_all(source, groups);
    }
    if (keep) {
        runner.emplace(costs, options, kept.popularity(costs.layers()));
        kept.run(*runner, options.policy == EvictionPolicy::belady);
    }
    simulation.info = source.info();
    simulation.malformed = source.malformed();
    summarise_decode(runner->steps(), simulation);
    summarise_prefill(runner->chunks(), simulation);
    compare(costs, own, simulation);
    return simulation;
}

} // namespace spillway
