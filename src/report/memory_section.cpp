#include "report/figures.h"
#include "report/input_paths.h"
#include "report/names.h"
#include "report/notes.h"
#include "report/report_sections.h"
#include "report/views.h"
#include "text/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace spillway {

namespace {

std::string gb_or_unknown(const std::optional<Bytes>& bytes) { return bytes ? gb(*bytes) : "unknown"; }

Sentence line_of(std::string text, int indent = 2, int hang = 4) {
    return {std::move(text), Tone::plain, indent, hang};
}

// --- pools ------------------------------------------------------------------------------------------------------

Sentence pool_line(const Report& report, std::size_t i) {
    const MemoryPool& pool = report.loaded.value.machine.memory[i];
    if (!pool.usable) return line_of(fmt::format("{}: {}, usable unknown", pool.name, print_gib(pool.capacity)));
    std::string text = fmt::format("{}: {}, usable {} = {}", pool.name, print_gib(pool.capacity),
                                   print_gib(*pool.usable), gb(*pool.usable));
    const auto& left_for_os = report.estimate.placement.left_for_os;
    if (i == 0 && left_for_os && left_for_os->value > 0.0)
        text += fmt::format(", {} left for the OS", gb(*left_for_os));
    return line_of(std::move(text));
}

// Which limit is counted, which one the machine starts with, and the command between them.
void add_limit(const Report& report, std::size_t i, DocumentSection& section) {
    const Case& c = report.loaded.value;
    const MemoryPool& pool = c.machine.memory[i];
    if (!pool.usable) return;
    const std::string_view basis = basis_of(report, pool_path(c, i, "usable"));
    if (pool.usable_default && *pool.usable_default != *pool.usable) {
        section.add(
            line_of(fmt::format("the limit is {} ({}); by default it is {} ({})", print_gib(*pool.usable), basis,
                                print_gib(*pool.usable_default), basis_of(report, pool_path(c, i, "usable_default"))),
                    4));
    }
    if (pool.limit_command.empty()) return;
    // The command holds the profile's own limit, not one that was given.
    const std::string_view what = basis == "given" ? "the profile's own limit is set with" : "set with";
    section.add(line_of(fmt::format("{}: {}", what, pool.limit_command), 4, 6));
}

// --- the table --------------------------------------------------------------------------------------------------

// Where a part lies goes without saying at a terminal where there is one pool.
Table memory_table(bool several_pools) {
    Table table;
    table.columns = {{"part", "part", Show::text, 30},
                     {"size", "size", Show::figure, 10, 0},
                     {"where", "where", Show::text, 0, 2, several_pools ? In::all : In::pages},
                     {"remark", "", Show::text}};
    table.heads = false;
    table.hang = 44;
    return table;
}

void add_parts(const Report& report, Table& table) {
    const Placement& p = report.estimate.placement;
    const bool several = p.tiers.size > 1;
    for (const PlacedPart& part : placed_parts(report)) {
        // At a terminal experts are told by the lines below, and what takes no memory by a sentence.
        const bool listed = part.part != Part::experts && part.pool >= 0;
        if (part.part == Part::experts && several && part.pool >= 0) continue;
        const bool working = part.part == Part::working_memory && part.pool == 0 && !several;
        TableRow row{label_of(part.part), gb_or_unknown(part.bytes), place_name(report.loaded.value.machine, part.pool),
                     working ? fmt::format("KV cache {}, scratch {}", gb(p.kv_cache), gb(p.scratch)) : ""};
        row.in = listed ? In::all : In::pages;
        table.rows.push_back(std::move(row));
    }
}

void add_pool_shares(const Report& report, Table& table) {
    const Placement& p = report.estimate.placement;
    if (p.tiers.size < 2) return;
    for (std::size_t i = 0; i < p.tiers.size; ++i) {
        const Tier& tier = p.tiers.items[i];
        const std::string_view access = tier.access == Access::in_place
                                            ? "computed there"
                                            : EnumNames<Access>::names[static_cast<std::size_t>(tier.access)];
        table.rows.push_back({fmt::format("  experts in {}", report.loaded.value.machine.memory[i].name),
                              gb(tier.expert_bytes), "",
                              fmt::format("{} of the pool, {}", percent(tier.expert_share), access)});
    }
}

void add_spill(const Report& report, Table& table) {
    const std::optional<Bytes> spilled = spilled_experts(report.estimate.placement);
    if (!spilled || spilled->value <= 0.0) return;
    const std::vector<Drive>& drives = report.loaded.value.machine.storage;
    table.rows.push_back(
        {"spills to storage", gb(*spilled), "", drives.empty() ? "there is no drive" : "drive " + drives.front().name});
}

void add_residency(const Report& report, Table& table) {
    const Placement& p = report.estimate.placement;
    const Scenario& s = report.loaded.value.scenario;
    if (p.sizes.moe_layers <= 0.0) {
        TableRow row{"no routed experts", "", "", "all weights are read for every token"};
        row.line = "  no routed experts: all weights are read for every token";
        table.rows.push_back(std::move(row));
        return;
    }
    table.rows.push_back({"expert budget", gb_or_unknown(p.expert_budget), "", s.expert_budget ? "forced" : ""});
    table.rows.push_back(
        {"expert pool", gb_or_unknown(p.expert_pool ? p.expert_pool : p.sizes.experts), "",
         p.pool_over_budget ? fmt::format("{} x the budget", significant(*p.pool_over_budget, 3)) : ""});
    add_pool_shares(report, table);
    if (!p.residency) {
        table.rows.push_back({"residency", "unknown", "", why_no_decode(report)});
        return;
    }
    const std::string forced = s.residency ? "forced; " : !s.residency_ranges.empty() ? "forced in some layers; " : "";
    table.rows.push_back({"residency", percent(*p.residency), "", forced + slots_text(report)});
    add_spill(report, table);
}

// Parts of the model that take no memory here.
void add_elsewhere(const Report& report, DocumentSection& section) {
    for (const int place : {kNotLoaded, kOnStorage}) {
        std::vector<std::string> words;
        for (const PlacedPart& part : placed_parts(report)) {
            if (part.pool != place || part.part == Part::experts) continue;
            words.push_back(fmt::format("{} {}", label_of(part.part), gb_or_unknown(part.bytes)));
        }
        if (words.empty()) continue;
        Sentence line = line_of(
            fmt::format("{}: {}", place == kNotLoaded ? "not loaded" : "read from storage", fmt::join(words, ", ")));
        line.in = In::text; // rows of the table in pages
        section.add(std::move(line));
    }
}

} // namespace

std::string slots_text(const Report& report) {
    return fmt::format("{:.1f} of {} experts per layer", report.estimate.placement.slots_per_layer.value_or(0.0),
                       count(experts_per_layer(report.loaded.value.model)));
}

void add_memory(const Report& report, Document& document) {
    const Placement& p = report.estimate.placement;
    const Machine& machine = report.loaded.value.machine;
    DocumentSection& section = document.add("memory");
    const auto pools = std::min(machine.memory.size(), static_cast<std::size_t>(p.pools_in_use));
    for (std::size_t i = 0; i < pools; ++i) {
        section.add(pool_line(report, i));
        add_limit(report, i, section);
    }
    Table table = memory_table(p.tiers.size > 1);
    add_parts(report, table);
    if (p.fits && !*p.fits) table.rows.push_back({"does not fit: short by", gb(p.short_by), "", ""});
    add_residency(report, table);
    if (p.page_cache) table.rows.push_back({"left for the page cache", gb(*p.page_cache), "", ""});
    section.add(std::move(table));
    add_elsewhere(report, section);
    if (p.load)
        section.add(
            line_of(fmt::format("reading everything resident from the drive once takes {}", print_short(*p.load))));
    if (const std::string flags = engine_flags(report); !flags.empty()) section.add(line_of("engine flags: " + flags));
}

} // namespace spillway
