#include "simulate/step_costs.h"
#include "engine/params.h"

#include "engine/chunk.h"
#include "engine/reading.h"
#include "engine/traffic.h"
#include "io/problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spillway {

namespace {

[[noreturn]] void refuse(const char* pointer, std::string found, std::string expected, std::string message) {
    throw InputError({{"simulate", pointer, std::move(found), std::move(expected), std::move(message)}});
}

std::optional<double> seconds(const std::optional<Seconds>& time) {
    return time ? std::optional(time->value) : std::nullopt;
}

double seconds(const Terms& terms, TermId id) {
    double sum = 0.0;
    for (const Term& term : terms) {
        if (term.id == id) sum += term.seconds.value_or(Seconds(0.0)).value;
    }
    return sum;
}

// A slot more than a rounding error below a whole number is that number.
std::uint32_t whole(double slots) { return static_cast<std::uint32_t>(std::max(0.0, slots + 1e-9)); }

void check(const Case& c, const Placement& p) {
    if (!p.fits.value_or(true)) refuse("", "", "a case that fits", "what is not an expert does not fit into memory");
    if (!p.residency) refuse("", "", "known sizes and memory", "how many experts stay in memory is not known");
    if (c.scenario.calibration_decode || c.scenario.calibration_prefill) {
        refuse("scenario.calibration_decode", "a calibration", "none",
               "own runs calibrate the estimate, not what a trace and a cache do");
    }
    if (c.scenario.sequences != 1.0) {
        refuse("scenario.sequences", std::to_string(c.scenario.sequences), "1", "a trace is one sequence at a time");
    }
}

} // namespace

StepCosts::StepCosts(const Case& c, std::optional<std::uint32_t> slots)
    : case_(c), sizes_(sizes_of(c.model, c.quantization)), placement_(place(c, sizes_)) {
    check(case_, placement_);
    list_layers(slots);
    // Whole slots hold a little less than the placement; both sides of the comparison use what is simulated. Ranges
    // stay as they are: one number cannot say them.
    if (slots || case_.scenario.residency_ranges.empty()) {
        case_.scenario.expert_budget.reset();
        case_.scenario.residency_ranges.clear();
        case_.scenario.residency = kept_share_;
        placement_ = place(case_, sizes_);
    }
    price_decode();
    resident_case_ = case_;
    resident_case_.scenario.residency_ranges.clear();
    resident_case_.scenario.runtime.overlap_prefill = 0.0;
    resident_placement_ = placement_;
    resident_placement_.residency = 1.0;
    resident_placement_.unforced_residency = 1.0;
}

void StepCosts::list_layers(std::optional<std::uint32_t> slots) {
    double held = 0.0, pool = 0.0;
    for (const Block& block : case_.model.blocks) {
        if (runs_in_prefill(block) || case_.scenario.prefill_all_layers) prefill_layers_ += layer_count(block);
        if (!block.experts) continue;
        const auto bytes = expert_bytes(*block.experts, case_.quantization);
        if (!bytes) refuse("quantization.experts", "", "bits per weight", "the size of an expert is not known");
        ExpertLayer layer;
        layer.decodes = runs_in_decode(block);
        layer.prefills = runs_in_prefill(block) || case_.scenario.prefill_all_layers;
        layer.experts = static_cast<std::uint32_t>(block.experts->count);
        layer.active = static_cast<std::uint32_t>(std::lround(active_experts(*block.experts, case_.scenario)));
        layer.bytes = bytes->value;
        layer.kept =
            block_residency(block, case_.scenario, placement_.unforced_residency) * static_cast<double>(layer.experts);
        layer.slots = std::min(layer.experts, slots ? *slots : whole(layer.kept));
        if (slots) layer.kept = layer.slots;
        for (const auto number : block.layers.numbers) {
            layer.number = static_cast<int>(number);
            layers_.push_back(layer);
            held += layer.slots * layer.bytes;
            pool += layer.experts * layer.bytes;
        }
    }
    if (layers_.empty())
        refuse("model", case_.model.name, "a model with routed experts", "the model has no routed experts");
    std::sort(layers_.begin(), layers_.end(),
              [](const ExpertLayer& a, const ExpertLayer& b) { return a.number < b.number; });
    kept_share_ = held / pool;
}

void StepCosts::price_decode() {
    const Scenario& s = case_.scenario;
    const PlacedCase placed{case_, sizes_, placement_};
    const StepTraffic t = traffic(placed, s.locality, {s.positions, s.sequences, false, false});
    const Decode d = decode_timing(placed, s.locality);
    if (!d.resident) {
        refuse("", "", "see spillway report", "the time of a step with all experts in memory is not known");
    }
    const double sync = seconds(d.terms, TermId::sync);
    const double experts = seconds(d.terms, TermId::read_experts) + seconds(d.terms, TermId::link_experts);
    decode_.per_layer = (d.resident->value - sync - experts) / t.layers;
    if (t.missing_layers > 0.0) decode_.per_layer_sync = sync / t.missing_layers;
    if (t.experts.value > 0.0) decode_.per_expert_byte = experts / t.experts.value;
    decode_.lookup = seconds(d.terms, TermId::lookup);
    decode_.other_layers = t.layers - t.moe_layers;
    if (kept_share_ < 1.0 && std::isinf(rate(layers_.front().bytes / s.runtime.pieces, 1.0))) {
        refuse("machine.storage.0.rate", "null", "a rate, as --set machine.storage.0.rate=\"6 GB/s\"",
               "there is no drive whose rate is known");
    }
}

double StepCosts::rate(double piece, double in_flight) const {
    const double experts = in_flight / case_.scenario.runtime.pieces;
    const StorageRead read = storage_read(case_, placement_, {Bytes(piece * in_flight), experts, 1.0});
    // Only where everything stays in memory (price_decode checks), so that first uses cost nothing.
    return read.rate ? read.rate->value : std::numeric_limits<double>::infinity();
}

std::optional<double> StepCosts::chunk_resident(double before, double tokens) const {
    Terms terms;
    const ChunkPrice price({resident_case_, sizes_, resident_placement_}, {tokens, before}, terms);
    return seconds(price.time(before).total);
}

std::optional<double> StepCosts::chunk_seconds(double before, double tokens) const {
    Terms terms;
    const ChunkPrice price({case_, sizes_, placement_}, {tokens, before}, terms);
    return seconds(price.time(before).total);
}

} // namespace spillway
