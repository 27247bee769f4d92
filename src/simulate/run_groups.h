// One group of tokens after the other through cache, queue and clock; keeps a record per decode step and the sums of
// the prompt chunks.
#pragma once

#include "simulate/cache.h"
#include "simulate/rng.h"
#include "simulate/simulate.h"
#include "simulate/step_costs.h"
#include "simulate/storage_queue.h"
#include "simulate/token_groups.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace spillway {

// One decode step.
struct StepRecord {
    double seconds = 0.0;
    std::uint32_t lookups = 0, misses = 0;
    double missed_bytes = 0.0;
    TimeSplit split;
    StorageUse use;
};

struct ChunkSums {
    PrefillSimulation sums;
    bool priced = true;
    bool closed = true; // the closed form is known for every warm chunk
    double seconds = 0.0, warm_seconds = 0.0, closed_seconds = 0.0;
    StorageUse use;
};

class GroupRunner {
public:
    GroupRunner(const StepCosts& costs, const SimulationOptions& options, std::vector<std::uint64_t> popularity);

    // `future`: per expert of the group when it is used next, for belady.
    void run(const TokenGroup& group, std::span<const std::uint64_t> future = {});

    const std::vector<StepRecord>& steps() const { return steps_; }
    const ChunkSums& chunks() const { return chunks_; }

private:
    struct LayerReads {
        std::uint32_t touched = 0, missed = 0, guessed = 0;
        StorageQueue::Group ahead = 0;
    };

    void look_up(const TokenGroup& group, std::span<const std::uint64_t> future);
    StepRecord decode(const TokenGroup& group);
    void guess(const TokenGroup& group);
    void read_ahead(const TokenGroup& group, std::size_t i);
    void run_layer(const ExpertLayer& layer, const LayerReads& reads, StepRecord& step);
    void compute(double seconds);
    void prefill(const TokenGroup& group);
    std::uint64_t requests(std::uint32_t experts);
    // A count whose mean is `expected`.
    std::uint64_t rounded_at_random(double expected);

    const StepCosts& costs_;
    const Runtime& runtime_;
    ExpertCache cache_;
    StorageQueue queue_;
    Rng rng_;
    std::size_t lookahead_;
    std::uint64_t positions_;
    std::vector<LayerReads> reads_;
    std::vector<StepRecord> steps_;
    ChunkSums chunks_;
    double clock_ = 0.0;
    double credit_ = 0.0;                 // seconds of computing that overlap has done in advance
    std::uint64_t turn_ = 0, before_ = 0; // of the prompt going by
};

} // namespace spillway
