#include "report/figures.h"
#include "report/input_paths.h"
#include "report/names.h"
#include "report/notes.h"
#include "report/text_sections.h"
#include "report/views.h"
#include "text/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace spillway {

namespace {

constexpr int kLabelWidth = 30;
constexpr int kSizeWidth = 10;

std::string gb_or_unknown(const std::optional<Bytes>& bytes) { return bytes ? gb(*bytes) : "unknown"; }

void row(Page& page, std::string_view label, const std::string& size, const std::string& remark = "") {
    page.line(fmt::format("  {}{}  {}", left(label, kLabelWidth), right(size, kSizeWidth), remark),
              2 + kLabelWidth + kSizeWidth + 2);
}

void add_pool_line(const Report& report, std::size_t i, Page& page) {
    const MemoryPool& pool = report.loaded.value.machine.memory[i];
    if (!pool.usable) {
        page.line(fmt::format("  {}: {}, usable unknown", pool.name, print_gib(pool.capacity)));
        return;
    }
    std::string text = fmt::format("  {}: {}, usable {} = {}", pool.name, print_gib(pool.capacity),
                                   print_gib(*pool.usable), gb(*pool.usable));
    const auto& left_for_os = report.estimate.placement.left_for_os;
    if (i == 0 && left_for_os && left_for_os->value > 0.0)
        text += fmt::format(", {} left for the OS", gb(*left_for_os));
    page.line(text);
}

// Which limit is counted, which one the machine starts with, and the command between them.
void add_limit(const Report& report, std::size_t i, Page& page) {
    const Case& c = report.loaded.value;
    const MemoryPool& pool = c.machine.memory[i];
    if (!pool.usable) return;
    const std::string_view basis = basis_of(report, pool_path(c, i, "usable"));
    if (pool.usable_default && *pool.usable_default != *pool.usable) {
        page.line(fmt::format("    the limit is {} ({}); by default it is {} ({})", print_gib(*pool.usable), basis,
                              print_gib(*pool.usable_default), basis_of(report, pool_path(c, i, "usable_default"))));
    }
    if (pool.limit_command.empty()) return;
    // The command holds the profile's own limit, not one that was given.
    const std::string_view what = basis == "given" ? "the profile's own limit is set with" : "set with";
    page.line(fmt::format("    {}: {}", what, pool.limit_command), 6);
}

std::string remark_on(const Report& report, const PlacedPart& part, bool several_pools) {
    const Placement& p = report.estimate.placement;
    std::string remark = several_pools ? place_name(report.loaded.value.machine, part.pool) : "";
    if (part.part == Part::working_memory && part.pool == 0 && !several_pools) {
        remark = fmt::format("KV cache {}, scratch {}", gb(p.kv_cache), gb(p.scratch));
    }
    return remark;
}

void add_parts(const Report& report, Page& page) {
    const bool several = report.estimate.placement.tiers.size > 1;
    const std::vector<PlacedPart> parts = placed_parts(report);
    for (const PlacedPart& part : parts) {
        if (part.part == Part::experts || part.pool < 0) continue;
        row(page, label_of(part.part), gb_or_unknown(part.bytes), remark_on(report, part, several));
    }
}

// Parts of the model that take no memory here.
void add_elsewhere(const Report& report, Page& page) {
    for (const int place : {kNotLoaded, kOnStorage}) {
        std::vector<std::string> words;
        for (const PlacedPart& part : placed_parts(report)) {
            if (part.pool != place || part.part == Part::experts) continue;
            words.push_back(fmt::format("{} {}", label_of(part.part), gb_or_unknown(part.bytes)));
        }
        if (words.empty()) continue;
        page.line(
            fmt::format("  {}: {}", place == kNotLoaded ? "not loaded" : "read from storage", fmt::join(words, ", ")));
    }
}

void add_pool_shares(const Report& report, Page& page) {
    const Placement& p = report.estimate.placement;
    if (p.tiers.size < 2) return;
    for (std::size_t i = 0; i < p.tiers.size; ++i) {
        const Tier& tier = p.tiers.items[i];
        const bool in_place = tier.access == Access::in_place;
        row(page, fmt::format("  experts in {}", report.loaded.value.machine.memory[i].name), gb(tier.expert_bytes),
            fmt::format("{} of the pool, {}", percent(tier.expert_share),
                        in_place ? "computed there" : EnumNames<Access>::names[static_cast<std::size_t>(tier.access)]));
    }
}

void add_residency(const Report& report, Page& page) {
    const Placement& p = report.estimate.placement;
    const Scenario& s = report.loaded.value.scenario;
    if (p.sizes.moe_layers <= 0.0) {
        page.line("  no routed experts: all weights are read for every token");
        return;
    }
    row(page, "expert budget", gb_or_unknown(p.expert_budget), s.expert_budget ? "forced" : "");
    row(page, "expert pool", gb_or_unknown(p.expert_pool ? p.expert_pool : p.sizes.experts),
        p.pool_over_budget ? fmt::format("{} x the budget", significant(*p.pool_over_budget, 3)) : "");
    add_pool_shares(report, page);
    if (!p.residency) {
        row(page, "residency", "unknown", why_no_decode(report));
        return;
    }
    const std::string forced = s.residency ? "forced; " : !s.residency_ranges.empty() ? "forced in some layers; " : "";
    row(page, "residency", percent(*p.residency),
        fmt::format("{}{:.1f} of {} experts per layer", forced, p.slots_per_layer.value_or(0.0),
                    count(experts_per_layer(report.loaded.value.model))));
    const std::optional<Bytes> spilled = spilled_experts(p);
    if (!spilled || spilled->value <= 0.0) return;
    const std::vector<Drive>& drives = report.loaded.value.machine.storage;
    row(page, "spills to storage", gb(*spilled), drives.empty() ? "there is no drive" : "drive " + drives.front().name);
}

} // namespace

void add_memory(const Report& report, Page& page) {
    const Placement& p = report.estimate.placement;
    const Machine& machine = report.loaded.value.machine;
    page.heading("memory");
    const auto pools = std::min(machine.memory.size(), static_cast<std::size_t>(p.pools_in_use));
    for (std::size_t i = 0; i < pools; ++i) {
        add_pool_line(report, i, page);
        add_limit(report, i, page);
    }
    add_parts(report, page);
    if (p.fits && !*p.fits) row(page, "does not fit: short by", gb(p.short_by));
    add_residency(report, page);
    if (p.page_cache) row(page, "left for the page cache", gb(*p.page_cache));
    add_elsewhere(report, page);
    if (p.load)
        page.line(fmt::format("  reading everything resident from the drive once takes {}", print_short(*p.load)));
    if (const std::string flags = engine_flags(report); !flags.empty()) page.line("  engine flags: " + flags);
}

} // namespace spillway
