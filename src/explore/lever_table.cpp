#include "explore/lever_table.h"

#include <algorithm>

namespace spillway {

namespace {

std::optional<double> residency_now(const Case&, const Estimate& own) { return own.placement.residency; }
std::optional<double> budget_now(const Case&, const Estimate& own) {
    return own.placement.expert_budget ? std::optional(own.placement.expert_budget->value) : std::nullopt;
}
std::optional<double> pass_now(const Case&, const Estimate& own) {
    return own.decode.resident ? std::optional(own.decode.resident->value) : std::nullopt;
}
std::optional<double> top_k_now(const Case& c, const Estimate&) {
    return c.scenario.active_experts.value_or(most_active(c));
}
std::optional<double> chunk_now(const Case& c, const Estimate&) { return chunk_tokens(c.scenario); }

bool reads_forced(const Scenario& s, Phase phase) { return phase == Phase::decode && states_misses(s); }
bool placement_forced(const Scenario& s, Phase phase) {
    return s.residency || s.expert_budget || reads_forced(s, phase);
}
bool time_forced(const Scenario& s, Phase phase) {
    return phase == Phase::decode ? s.resident_pass.has_value() : s.prefill_compute.has_value();
}
bool compute_forced(const Scenario& s, Phase) { return s.prefill_compute.has_value(); }

constexpr std::string_view kAllElse = "all else";
constexpr double kOwnTopK = 0.0; // stands for the model's own, which is not the same for every case

constexpr std::array<LeverInfo, kLeverCount> kLevers = {{
    {LeverId::residency, "residency", "residency", kAllElse, LeverUnit::ratio, true, "scenario.residency", 0.0, 1.0,
     false, true, true, true, false, residency_now, reads_forced},
    {LeverId::miss_fraction, "miss_fraction", "miss fraction", kAllElse, LeverUnit::ratio, false, "", 0.0, 1.0, false,
     true, false, true, false},
    {LeverId::expert_pool, "expert_pool", "expert pool", "bytes per token and top-k: the number of experts scales",
     LeverUnit::bytes, false, "", 0.0, 0.0, false, true, false, true, false},
    {LeverId::locality, "locality", "fewer misses than uniform", "all else; times", LeverUnit::factor, true, "", 0.0,
     0.0, false, true, false, true, false},
    {LeverId::expert_bits, "expert_bits", "bits per expert weight",
     "other weights; pool and bytes per token move together", LeverUnit::bits, false, "quantization.experts", 0.5, 32.0,
     true, true, true, true, true, nullptr, nullptr, &Obtainables::formats},
    {LeverId::expert_budget, "expert_budget", "expert budget", kAllElse, LeverUnit::bytes, true,
     "scenario.expert_budget", 1e6, 1e14, true, true, true, true, false, budget_now, reads_forced},
    {LeverId::memory, "memory", "usable memory", kAllElse, LeverUnit::bytes, true, "machine.memory.0.usable", 1e9, 1e14,
     true, true, true, false, true, nullptr, placement_forced, &Obtainables::memory_sizes},
    {LeverId::storage_rate, "storage_rate", "storage rate", "shape of the drive's curve", LeverUnit::bytes_per_second,
     true, "machine.storage.0.rate", 1e7, 1e12, true, true, true, false, true, nullptr, nullptr, &Obtainables::drives},
    {LeverId::memory_bandwidth, "memory_bandwidth", "memory bandwidth", kAllElse, LeverUnit::bytes_per_second, true,
     "machine.memory.0.bandwidth", 1e9, 1e14, true, true, true, false, true, nullptr, time_forced},
    {LeverId::resident_pass, "resident_pass", "resident pass", kAllElse, LeverUnit::seconds, false,
     "scenario.resident_pass", 1e-6, 10.0, true, true, false, false, false, pass_now},
    {LeverId::top_k, "top_k", "experts per token", "number of experts", LeverUnit::count, false,
     "scenario.active_experts", 1.0, kOwnTopK, false, true, false, true, true, top_k_now},
    {LeverId::compute_rate, "compute_rate", "arithmetic rate", kAllElse, LeverUnit::flops_per_second, true,
     "machine.compute.rate", 1e10, 1e17, true, false, true, false, true, nullptr, compute_forced},
    {LeverId::link_rate, "link_rate", "link rate", kAllElse, LeverUnit::bytes_per_second, true, "machine.links.0.rate",
     1e8, 1e12, true, true, true, false, true},
    {LeverId::chunk, "chunk", "prefill chunk", kAllElse, LeverUnit::count, true, "scenario.chunk", 32.0, 65536.0, true,
     false, true, false, true, chunk_now},
    {LeverId::drop_drafter, "drop_drafter", "drop the drafter", kAllElse, LeverUnit::count, true, "", 0.0, 0.0, false,
     true, true, false, true},
}};

consteval bool levers_in_order() {
    for (std::size_t i = 0; i < kLevers.size(); ++i) {
        if (static_cast<std::size_t>(kLevers[i].id) != i || kLevers[i].code.empty()) return false;
    }
    return true;
}
static_assert(levers_in_order(), "kLevers has a row for each LeverId, in the order of the enum");

} // namespace

const std::array<LeverInfo, kLeverCount>& lever_table() { return kLevers; }
const LeverInfo& lever_info(LeverId id) { return kLevers[static_cast<std::size_t>(id)]; }

double most_active(const Case& c) {
    double most = 1.0;
    for (const Block& block : c.model.blocks) {
        if (block.experts) most = std::max(most, static_cast<double>(block.experts->active));
    }
    return most;
}

} // namespace spillway
