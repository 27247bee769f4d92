#include "io/check_case.h"

#include "engine/estimate.h"
#include "text/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace spillway {

namespace {

template <class T>
void check_names(const std::vector<T>& list, std::string_view at, Findings& findings) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string place = fmt::format("{}/{}/name", at, i);
        const std::string& name = list[i].name;
        if (name.empty()) {
            findings.push_back({place, "\"\"", "a name", "must not be empty: paths use it"});
        } else if (std::any_of(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(i),
                               [&](const T& other) { return other.name == name; })) {
            findings.push_back({place, '"' + name + '"', "a name of its own", "is the name of an earlier entry"});
        }
    }
}

void check_limit(const MemoryPool& pool, const std::optional<Bytes>& limit, std::string place, Findings& findings) {
    if (!limit || *limit <= pool.capacity) return;
    findings.push_back({std::move(place), print_exact(*limit), "at most " + print_exact(pool.capacity),
                        "is more than the pool's capacity"});
}

void check_curve(const Drive& drive, std::size_t index, Findings& findings) {
    for (std::size_t i = 0; i < drive.curve.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const RatePoint &a = drive.curve[i], &b = drive.curve[j];
            if (a.piece != b.piece || a.in_flight != b.in_flight) continue;
            findings.push_back({fmt::format("/storage/{}/curve/{}", index, i),
                                fmt::format("{} with {} in flight", print_exact(a.piece), a.in_flight),
                                "each piece size and number in flight once",
                                fmt::format("is the same point as number {}", j)});
            break;
        }
    }
}

// Members that an attention kind computes with: 0 would price the layer at nothing.
using Member = std::pair<std::string_view, Count Attention::*>;
std::vector<Member> needed_members(const Attention& a) {
    const std::vector<Member> grouped = {
        {"heads", &Attention::heads}, {"kv_heads", &Attention::kv_heads}, {"head_dim_k", &Attention::head_dim_k}};
    std::vector<Member> needed;
    switch (a.kind) {
    case AttentionKind::gqa: return grouped;
    case AttentionKind::swa:
    case AttentionKind::chunked:
        needed = grouped;
        needed.emplace_back("window", &Attention::window);
        return needed;
    case AttentionKind::mla:
    case AttentionKind::dsa:
        return {{"heads", &Attention::heads},
                {"head_dim_k", &Attention::head_dim_k},
                {"kv_lora_rank", &Attention::kv_lora_rank}};
    case AttentionKind::csa: return {{"heads", &Attention::heads}, {"head_dim_k", &Attention::head_dim_k}};
    case AttentionKind::linear: return {};
    }
    return needed;
}

void check_attention(const Attention& attention, const std::string& at, Findings& findings) {
    const std::string_view kind = EnumNames<AttentionKind>::names[static_cast<std::size_t>(attention.kind)];
    for (const auto& [name, member] : needed_members(attention)) {
        if (attention.*member > 0) continue;
        findings.push_back(
            {fmt::format("{}/{}", at, name), "0", "1 or more", fmt::format("is needed by attention of kind {}", kind)});
    }
    if (attention.kind == AttentionKind::linear && attention.form == LinearForm::none) {
        findings.push_back(
            {at + "/form", "\"none\"", "one of kda, gdn, mamba2", "is needed by attention of kind linear"});
    }
}

void check_block(const Block& block, const std::string& at, Findings& findings) {
    if (block.experts && block.experts->active > block.experts->count) {
        findings.push_back({at + "/experts/active", fmt::format("{}", block.experts->active),
                            fmt::format("at most {}", block.experts->count), "is more than the number of experts"});
    }
    if (block.attention) check_attention(*block.attention, at + "/attention", findings);
}

// Layer -> block that has it. A layer in two blocks is a finding.
std::map<int, std::size_t> check_blocks(const std::vector<Block>& blocks, const std::string& at, Findings& findings) {
    std::map<int, std::size_t> owner;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::string place = fmt::format("{}/{}", at, i);
        check_block(blocks[i], place, findings);
        for (const int layer : blocks[i].layers.numbers) {
            const auto [entry, is_new] = owner.emplace(layer, i);
            if (is_new) continue;
            findings.push_back({place + "/layers", fmt::format("layer {}", layer), "each layer in one block",
                                fmt::format("overlaps with block {}", entry->second)});
            break;
        }
    }
    return owner;
}

void check_no_gap(const std::map<int, std::size_t>& owner, Findings& findings) {
    int next = 0;
    for (const auto& [layer, block] : owner) {
        if (layer != next) {
            const std::string what =
                next == 0 ? "layers must start at 0" : fmt::format("layer {} is in no block", next);
            findings.push_back({fmt::format("/blocks/{}/layers", block), fmt::format("layer {}", layer),
                                fmt::format("layer {} before it", next), what});
            return;
        }
        ++next;
    }
}

} // namespace

namespace {

// Nothing is faster than the slot it sits in: such a rate was read from a cache, or is of another slot.
template <class Device>
void check_pcie(const Device& device, const std::string& at, Findings& findings) {
    if (!device.rate || device.pcie_generation <= 0.0 || device.pcie_lanes <= 0.0) return;
    const BytesPerSecond most = pcie_bandwidth(device.pcie_generation, device.pcie_lanes);
    if (*device.rate <= most) return;
    findings.push_back({at, print_exact(*device.rate), fmt::format("at most {}, or null", print_short(most)),
                        fmt::format("is more than PCIe Gen{} x{} carries", device.pcie_generation, device.pcie_lanes)});
}

} // namespace

Findings check_machine(const Machine& machine) {
    Findings findings;
    if (machine.memory.empty())
        findings.push_back({"/memory", "an empty list", "at least one memory pool", "must not be empty"});
    if (machine.memory.size() > kMaxPools) {
        findings.push_back({"/memory", fmt::format("{} pools", machine.memory.size()),
                            fmt::format("at most {}", kMaxPools), "has too many pools"});
    }
    check_names(machine.memory, "/memory", findings);
    check_names(machine.storage, "/storage", findings);
    check_names(machine.links, "/links", findings);
    for (std::size_t i = 0; i < machine.memory.size(); ++i) {
        const MemoryPool& pool = machine.memory[i];
        check_limit(pool, pool.usable, fmt::format("/memory/{}/usable", i), findings);
        check_limit(pool, pool.usable_default, fmt::format("/memory/{}/usable_default", i), findings);
    }
    for (std::size_t i = 0; i < machine.storage.size(); ++i) check_curve(machine.storage[i], i, findings);
    for (std::size_t i = 0; i < machine.storage.size(); ++i) {
        check_pcie(machine.storage[i], fmt::format("/storage/{}/rate", i), findings);
    }
    for (std::size_t i = 0; i < machine.links.size(); ++i) {
        check_pcie(machine.links[i], fmt::format("/links/{}/rate", i), findings);
    }
    return findings;
}

Findings check_model(const Model& model) {
    Findings findings;
    if (model.blocks.empty())
        findings.push_back({"/blocks", "an empty list", "at least one block of layers", "must not be empty"});
    check_no_gap(check_blocks(model.blocks, "/blocks", findings), findings);
    if (model.drafter) check_blocks(model.drafter->blocks, "/drafter/blocks", findings);
    check_names(model.tables, "/tables", findings);
    check_names(model.other_parts, "/other_parts", findings);
    check_names(model.quantizations, "/quantizations", findings);
    return findings;
}

// What at most one field may force: where the experts lie, and what of them misses.
static void check_forced(const Scenario& s, Findings& findings) {
    const std::array<std::pair<const char*, bool>, 5> places = {
        {{"/expert_budget", s.expert_budget.has_value()},
         {"/residency_ranges", !s.residency_ranges.empty()},
         {"/first_pool_experts", s.first_pool_experts.has_value()},
         {"/cpu_moe_layers", s.cpu_moe_layers.has_value()},
         {"/residency", s.residency.has_value()}}};
    const auto forced = std::count_if(places.begin(), places.end(), [](const auto& place) { return place.second; });
    if (forced > 1) {
        const auto last = std::find_if(places.rbegin(), places.rend(), [](const auto& place) { return place.second; });
        findings.push_back({last->first, fmt::format("{} of them", forced),
                            "one of expert_budget, residency, residency_ranges, first_pool_experts, cpu_moe_layers",
                            "forces what another field forces too"});
    }
    if (s.hit_rate && s.missed_bytes) {
        findings.push_back(
            {"/missed_bytes", "both", "one of hit_rate, missed_bytes", "states what hit_rate states too"});
    }
}

Findings check_scenario(const Scenario& s) {
    Findings findings;
    check_forced(s, findings);
    if (s.accepted > s.positions) {
        findings.push_back({"/accepted", fmt::format("{}", s.accepted), fmt::format("at most {}", s.positions),
                            "is more than the positions per step"});
    }
    if (s.depth > s.context) {
        findings.push_back(
            {"/depth", fmt::format("{}", s.depth), fmt::format("at most {}", s.context), "is more than the context"});
    }
    std::map<int, std::size_t> owner;
    for (std::size_t i = 0; i < s.residency_ranges.size(); ++i) {
        for (const int layer : s.residency_ranges[i].layers.numbers) {
            if (owner.emplace(layer, i).second) continue;
            findings.push_back({fmt::format("/residency_ranges/{}/layers", i), fmt::format("layer {}", layer),
                                "each layer once", "is in an earlier range too"});
            break;
        }
    }
    return findings;
}

Findings check_runtime(const Runtime& runtime, bool replaced) {
    const std::string expected = "one of working_memory, working_memory_share";
    if (runtime.working_memory && runtime.working_memory_share) {
        return {{"/working_memory_share", "both", expected,
                 "says what working_memory says too; leave one out or set it to null"}};
    }
    if (!runtime.working_memory && !runtime.working_memory_share && !replaced) {
        return {{"/working_memory", "neither", expected, "is missing: scratch and staging, absolute or as a share"}};
    }
    return {};
}

Findings check_locality(const Locality& locality) {
    Findings findings;
    const std::vector<MissPoint>& points = locality.points;
    if (locality.kind != LocalityKind::table) return findings;
    if (points.empty())
        findings.push_back({"/points", "no points", "at least one point", "must not be empty: the curve is a table"});
    for (std::size_t i = 1; i < points.size(); ++i) {
        if (points[i].residency <= points[i - 1].residency) {
            findings.push_back({fmt::format("/points/{}/residency", i), fmt::format("{}", points[i].residency),
                                fmt::format("more than {}", points[i - 1].residency), "must rise from point to point"});
        }
        if (points[i].miss_fraction > points[i - 1].miss_fraction) {
            findings.push_back({fmt::format("/points/{}/miss_fraction", i), fmt::format("{}", points[i].miss_fraction),
                                fmt::format("at most {}", points[i - 1].miss_fraction),
                                "must not rise from point to point"});
        }
    }
    return findings;
}

Findings check_together(const Model& model, const Scenario& scenario) {
    Findings findings;
    if (!scenario.active_experts) return findings;
    for (const Block& block : model.blocks) {
        if (!block.experts || *scenario.active_experts <= static_cast<double>(block.experts->count)) continue;
        findings.push_back({"/active_experts", fmt::format("{}", *scenario.active_experts),
                            fmt::format("at most {}", block.experts->count), "is more than the model has experts"});
        break;
    }
    return findings;
}

Findings check_pools(const Machine& machine, const Scenario& s) {
    if (!s.cpu_moe_layers && !s.first_pool_experts) return {};
    const std::string at = s.cpu_moe_layers ? "/cpu_moe_layers" : "/first_pool_experts";
    const std::string message = "puts experts into a second memory pool, which this case does not use";
    if (machine.memory.size() < 2) return {{at, "one pool", "a machine with two memory pools", message}};
    if (!s.runtime.spills) return {{at, s.runtime.name, "a runtime that spills, as llama.cpp-cuda-ram", message}};
    return {};
}

} // namespace spillway
