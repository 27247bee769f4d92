#include "simulate/run_groups.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace spillway {

namespace {

// Slots per layer, or bytes in one cache for all.
CacheOptions cache_options(const StepCosts& costs, const SimulationOptions& options,
                           std::vector<std::uint64_t> popularity) {
    CacheOptions cache;
    cache.policy = options.policy;
    cache.scope = options.scope;
    cache.seed = options.seed;
    cache.popularity = std::move(popularity);
    double budget = 0.0;
    for (const ExpertLayer& layer : costs.layers()) {
        cache.experts = std::max(cache.experts, layer.experts);
        const bool global = options.scope == CacheScope::global;
        const auto bytes = static_cast<std::uint64_t>(std::llround(layer.bytes));
        cache.expert_sizes.push_back(global ? bytes : 1U);
        if (!global) cache.budget.push_back(layer.slots);
        budget += static_cast<double>(bytes) * layer.slots;
    }
    if (options.scope == CacheScope::global) cache.budget = {static_cast<std::uint64_t>(budget)};
    return cache;
}

double piece_of(const ExpertLayer& layer, const Runtime& runtime) { return layer.bytes / runtime.pieces; }

} // namespace

GroupRunner::GroupRunner(const StepCosts& costs, const SimulationOptions& options,
                         std::vector<std::uint64_t> popularity)
    : costs_(costs), runtime_(costs.simulated().scenario.runtime),
      cache_(cache_options(costs, options, std::move(popularity))),
      queue_(runtime_.lanes, [&costs](double piece, double in_flight) { return costs.rate(piece, in_flight); }),
      rng_(options.seed ^ 0x70726566U), // another stream than the one that draws synthetic routes
      lookahead_(runtime_.prefetch_lookahead > 0.0
                     ? std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(runtime_.prefetch_lookahead)))
                     : 0),
      positions_(static_cast<std::uint64_t>(std::lround(costs.simulated().scenario.positions))) {}

std::uint64_t GroupRunner::rounded_at_random(double expected) {
    const double whole = std::floor(expected);
    const bool more = expected > whole && rng_.unit() < expected - whole;
    return static_cast<std::uint64_t>(whole) + (more ? 1U : 0U);
}

std::uint64_t GroupRunner::requests(std::uint32_t experts) { return rounded_at_random(experts * runtime_.pieces); }

void GroupRunner::look_up(const TokenGroup& group, std::span<const std::uint64_t> future) {
    reads_.assign(group.layers.size(), {});
    for (std::size_t i = 0; i < group.layers.size(); ++i) {
        const auto experts = group.of(i);
        const auto next = future.empty() ? future : future.subspan(i == 0 ? 0 : group.ends[i - 1], experts.size());
        reads_[i].touched = static_cast<std::uint32_t>(experts.size());
        reads_[i].missed = cache_.access(group.layers[i], experts, next).misses;
    }
}

// What was hidden in a wait is computing that is done already when its turn comes; the clock of the drive never goes
// back.
void GroupRunner::compute(double seconds) {
    const double done = std::min(credit_, seconds);
    credit_ -= done;
    clock_ += seconds - done;
}

void GroupRunner::run(const TokenGroup& group, std::span<const std::uint64_t> future) {
    look_up(group, future);
    if (group.phase == RoutePhase::prefill) {
        prefill(group);
        return;
    }
    // A block cut short by the end of its turn is no step of the scenario's size: the cache sees it, the clock not.
    if (group.tokens == positions_) steps_.push_back(decode(group));
}

// Which misses are guessed: each with the runtime's recall. The layers before the first lookahead have nobody to
// guess them in this step.
void GroupRunner::guess(const TokenGroup& group) {
    if (lookahead_ == 0) return;
    for (std::size_t i = 0; i < group.layers.size(); ++i) {
        if (i < lookahead_) continue;
        for (std::uint32_t m = 0; m < reads_[i].missed; ++m) {
            if (rng_.unit() < runtime_.prefetch_recall) ++reads_[i].guessed;
        }
    }
}

void GroupRunner::read_ahead(const TokenGroup& group, std::size_t i) {
    if (lookahead_ == 0) return;
    // Wrong guesses come with every layer's prefetch, so that the bytes are the runtime's share of the missed ones.
    const auto wrong = [&](std::size_t at) {
        const double expected = runtime_.prefetch_waste * reads_[at].missed * runtime_.pieces;
        queue_.submit_wasted(clock_, rounded_at_random(expected),
                             piece_of(costs_.layers()[group.layers[at]], runtime_));
    };
    if (i < lookahead_) wrong(i);
    const std::size_t target = i + lookahead_;
    if (target >= reads_.size()) return;
    const double piece = piece_of(costs_.layers()[group.layers[target]], runtime_);
    if (reads_[target].guessed > 0) {
        reads_[target].ahead = queue_.submit(clock_, requests(reads_[target].guessed), piece, true);
    }
    wrong(target);
}

void GroupRunner::run_layer(const ExpertLayer& layer, const LayerReads& reads, StepRecord& step) {
    const DecodeCosts& costs = costs_.decode();
    const double experts = costs.per_expert_byte * (reads.touched * layer.bytes);
    const double sync = layer.slots < layer.experts ? costs.per_layer_sync : 0.0;
    compute(costs.per_layer + sync);
    double waiting = 0.0, alone = 0.0, insertion = 0.0;
    if (reads.missed > 0) {
        const double piece = piece_of(layer, runtime_);
        const std::uint64_t late = requests(reads.missed - reads.guessed);
        const StorageQueue::Group group = queue_.submit(clock_, late, piece, false);
        double done = queue_.wait(clock_, group);
        if (reads.guessed > 0) done = queue_.wait(done, reads.ahead);
        waiting = done - clock_;
        alone = lookahead_ > 0 ? queue_.alone(requests(reads.missed), piece) : waiting;
        if (runtime_.insertion_rate) insertion = (Bytes(reads.missed * layer.bytes) / *runtime_.insertion_rate).value;
        clock_ = done;
    }
    // Overlap hides a share of the shorter side; a prefetch that hid as much already leaves it nothing.
    const double resident = costs.per_layer + sync + experts;
    const double could = runtime_.overlap_decode * std::min(resident, alone + insertion);
    const double hidden = std::clamp(could - std::max(0.0, alone - waiting), 0.0, waiting + insertion);
    credit_ += hidden;
    compute(insertion + experts);
    step.split.resident += costs.per_layer + experts;
    step.split.sync += sync;
    step.split.waiting += waiting;
    step.split.insertion += insertion;
    step.split.hidden += hidden;
    step.lookups += reads.touched;
    step.misses += reads.missed;
    step.missed_bytes += reads.missed * layer.bytes;
}

StepRecord GroupRunner::decode(const TokenGroup& group) {
    StepRecord step;
    const double start = clock_ - credit_;
    queue_.forget_use();
    guess(group);
    const DecodeCosts& costs = costs_.decode();
    // Layers without experts and lookup rows run before the others: where they stand does not change a sum.
    const double dense = costs.other_layers * costs.per_layer;
    const double hidden = runtime_.overlap_decode * std::min(dense, costs.lookup);
    step.split.resident += dense;
    step.split.waiting += costs.lookup;
    step.split.hidden += hidden;
    clock_ += costs.lookup;
    credit_ += hidden;
    compute(dense);
    for (std::size_t i = 0; i < group.layers.size(); ++i) {
        read_ahead(group, i);
        run_layer(costs_.layers()[group.layers[i]], reads_[i], step);
    }
    step.use = queue_.use();
    step.seconds = clock_ - credit_ - start;
    return step;
}

void GroupRunner::prefill(const TokenGroup& group) {
    PrefillSimulation& sums = chunks_.sums;
    const bool new_prompt = sums.chunks == 0 || group.turn != turn_ || before_ == 0;
    if (group.turn != turn_) before_ = 0;
    turn_ = group.turn;
    if (new_prompt) ++sums.prompts;
    const auto before = static_cast<double>(before_), tokens = static_cast<double>(group.tokens);
    const std::optional<double> resident = costs_.chunk_resident(before, tokens);
    const double per_layer = resident.value_or(0.0) / costs_.prefill_layers();
    const double start = clock_ - credit_;
    queue_.forget_use();
    compute(per_layer * (costs_.prefill_layers() - static_cast<double>(group.layers.size())));
    for (std::size_t i = 0; i < group.layers.size(); ++i) {
        const ExpertLayer& layer = costs_.layers()[group.layers[i]];
        const LayerReads& reads = reads_[i];
        compute(per_layer);
        const auto wanted = queue_.submit(clock_, requests(reads.missed), piece_of(layer, runtime_), false);
        const double waiting = queue_.wait(clock_, wanted) - clock_;
        clock_ += waiting;
        credit_ += runtime_.overlap_prefill * std::min(per_layer, waiting);
        sums.lookups += reads.touched;
        sums.hits += reads.touched - reads.missed;
        sums.missed_bytes += reads.missed * layer.bytes;
    }
    chunks_.use += queue_.use();
    chunks_.priced = chunks_.priced && resident.has_value();
    const double seconds = clock_ - credit_ - start;
    chunks_.seconds += seconds;
    if (sums.chunks > 0) {
        const std::optional<double> closed = costs_.chunk_seconds(before, tokens);
        chunks_.warm_seconds += seconds;
        chunks_.closed_seconds += closed.value_or(0.0);
        chunks_.closed = chunks_.closed && closed.has_value();
        sums.warm_tokens += group.tokens;
    }
    ++sums.chunks;
    sums.tokens += group.tokens;
    before_ += group.tokens;
}

} // namespace spillway
