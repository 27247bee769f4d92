// What the engine says a step costs, cut into layers for the event simulation: every second comes from the terms of
// decode_timing() and ChunkPrice, every read rate from storage_read(). Nothing is priced here a second time.
#pragma once

#include "engine/estimate.h"
#include "inputs/scenario.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace spillway {

// One layer with routed experts.
struct ExpertLayer {
    int number = 0; // in the model
    bool decodes = true, prefills = true;
    std::uint32_t experts = 0; // E
    std::uint32_t active = 0;  // experts per token that run
    std::uint32_t slots = 0;   // of its own cache
    double kept = 0.0;         // slots before rounding down
    double bytes = 0.0;        // of one expert
};

// Shares of one decode step, in seconds.
struct DecodeCosts {
    double per_layer = 0.0;       // resident time but experts and sync, spread evenly over all layers
    double per_layer_sync = 0.0;  // of a layer whose experts may miss
    double per_expert_byte = 0.0; // of experts touched, wherever they lie
    double lookup = 0.0;          // lookup rows, once per step
    double other_layers = 0.0;    // layers without experts
};

class StepCosts {
public:
    // Slots: the placement's, rounded down per layer, or so many in every layer (at most E). Throws InputError for what
    // cannot be simulated: no experts, not placed, several sequences, operands of decode unknown.
    StepCosts(const Case& c, std::optional<std::uint32_t> slots);

    // With the residency that the whole slots hold.
    const Case& simulated() const { return case_; }
    const Placement& placement() const { return placement_; }
    const std::vector<ExpertLayer>& layers() const { return layers_; }
    const DecodeCosts& decode() const { return decode_; }
    double kept_share() const { return kept_share_; }

    // Realised rate of the drive, with so many reads of so many bytes in flight.
    double rate(double piece, double in_flight) const;
    // The engine's time of a chunk of so many tokens behind `before` others, all experts in memory and nothing hidden;
    // empty if unknown.
    std::optional<double> chunk_resident(double before, double tokens) const;
    // The engine's time of the same chunk as it is.
    std::optional<double> chunk_seconds(double before, double tokens) const;
    double prefill_layers() const { return prefill_layers_; }

private:
    void list_layers(std::optional<std::uint32_t> slots);
    void price_decode();

    Case case_;
    Sizes sizes_;
    Placement placement_;
    std::vector<ExpertLayer> layers_;
    DecodeCosts decode_;
    double kept_share_ = 0.0;
    double prefill_layers_ = 0.0;
    Case resident_case_; // for chunk_resident
    Placement resident_placement_;
};

} // namespace spillway
