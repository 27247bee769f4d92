#include "report/explain.h"

#include "engine/drive.h"
#include "report/explain_inputs.h"
#include "report/expression.h"
#include "report/figures.h"
#include "report/names.h"
#include "report/page.h"
#include "report/views.h"
#include "text/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace spillway {

namespace {

using Lines = std::vector<ExplainLine>;

std::string in_pool(std::string_view name, const std::string& pool) {
    return fmt::format("{}[{}]", name, printable(pool));
}

// What a pool holds beside experts, part by part.
ExplainLine fixed_line(const Report& report, std::size_t pool) {
    const Case& c = report.loaded.value;
    ExplainLine line{in_pool("placement/fixed", c.machine.memory[pool].name), "",
                     report.estimate.placement.tiers.items[pool].fixed.value, "B"};
    std::vector<std::string> summands;
    for (const PlacedPart& part : placed_parts(report)) {
        if (part.pool != static_cast<int>(pool) || part.part == Part::experts || !part.bytes) continue;
        summands.push_back(number(part.bytes->value, "B"));
    }
    line.expression = sum_of(summands);
    return line;
}

ExplainLine pool_budget_line(const Report& report, std::size_t pool) {
    const Case& c = report.loaded.value;
    const MemoryPool& memory = c.machine.memory[pool];
    const Tier& tier = report.estimate.placement.tiers.items[pool];
    const std::string usable = number(memory.usable ? std::optional(memory.usable->value) : std::nullopt, "B");
    const std::string fixed = number(tier.fixed.value, "B");
    ExplainLine line{in_pool("placement/expert_budget", memory.name), "", std::nullopt, "B"};
    if (tier.expert_budget) line.value = tier.expert_budget->value;
    const double cache_share = c.scenario.runtime.page_cache_share;
    if (pool == 0 && cache_share > 0.0) {
        line.expression = fmt::format("max(0 B, min({} - {}, {} x (1 - {}) - {}))", usable, fixed,
                                      number(memory.capacity.value, "B"), number(cache_share), fixed);
    } else {
        line.expression = fmt::format("max(0 B, {} - {})", usable, fixed);
    }
    return line;
}

void add_budget(const Report& report, Lines& lines) {
    const Placement& p = report.estimate.placement;
    std::vector<std::string> budgets;
    for (std::size_t i = 0; i < p.tiers.size; ++i) {
        lines.push_back(fixed_line(report, i));
        lines.push_back(pool_budget_line(report, i));
        const auto& budget = p.tiers.items[i].expert_budget;
        budgets.push_back(number(budget ? std::optional(budget->value) : std::nullopt, "B"));
    }
    if (const auto& forced = report.loaded.value.scenario.expert_budget) {
        lines.push_back({"placement/expert_budget (forced)", number(forced->value, "B"), forced->value, "B"});
    } else if (p.tiers.size > 1) {
        lines.push_back({"placement/expert_budget", sum_of(budgets),
                         p.expert_budget ? std::optional(p.expert_budget->value) : std::nullopt, "B"});
    }
}

void add_residency(const Report& report, Lines& lines) {
    const Placement& p = report.estimate.placement;
    const Scenario& s = report.loaded.value.scenario;
    if (!p.residency || !p.expert_pool || p.expert_pool->value <= 0.0) return;
    if (s.residency && s.residency_ranges.empty()) {
        lines.push_back({"placement/residency (forced)", number(*s.residency), *s.residency, ""});
        return;
    }
    std::vector<std::string> held;
    for (const Tier& tier : p.tiers) held.push_back(number(tier.expert_bytes.value, "B"));
    const std::string sum = held.size() == 1 ? held.front() : '(' + sum_of(held) + ')';
    const std::string name =
        s.residency_ranges.empty() ? "placement/residency" : "placement/residency (forced in some layers)";
    lines.push_back({name, sum + " / " + number(p.expert_pool->value, "B"), *p.residency, ""});
}

void add_storage(const Report& report, Lines& lines) {
    const Case& c = report.loaded.value;
    const Decode& d = report.estimate.decode;
    if (report.estimate.cost_ratio) {
        const MemoryPool& pool = c.machine.memory.front();
        const auto ceiling = ceiling_rate(c.machine.storage.front());
        lines.push_back({"storage/cost_ratio",
                         fmt::format("{} x {} / {}", number(pool.bandwidth->value, "B/s"), number(*pool.sustained),
                                     number(ceiling->value, "B/s")),
                         *report.estimate.cost_ratio, ""});
    }
    if (d.expert_bytes_per_token && d.missed_bytes_per_token && d.expert_bytes_per_token->value > 0.0) {
        lines.push_back(
            {"routing/miss_fraction",
             number(d.missed_bytes_per_token->value, "B") + " / " + number(d.expert_bytes_per_token->value, "B"),
             d.miss_fraction, ""});
    }
    if (d.storage_rate) {
        lines.push_back({"storage/reads_in_flight", number(d.reads_in_flight), d.reads_in_flight, ""});
    }
}

} // namespace

std::vector<ExplainLine> arithmetic_lines(const Report& report) {
    Lines lines;
    add_budget(report, lines);
    add_residency(report, lines);
    add_storage(report, lines);
    add_decode_lines(report, lines);
    add_prefill_lines(report, lines);
    return lines;
}

std::vector<ExplainLine> explain_lines(const Report& report) {
    Lines lines = arithmetic_lines(report);
    find_inputs(report, lines);
    return lines;
}

std::vector<std::string> explained_paths(const std::vector<ExplainLine>& lines) {
    std::vector<std::string> paths;
    for (const ExplainLine& line : lines) {
        for (const std::string& path : line.paths) {
            if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
        }
    }
    return paths;
}

namespace {

std::string rounded(const ExplainLine& line) {
    if (!line.value) return "unknown";
    if (line.unit == "s") return print_short(Seconds(*line.value));
    if (line.unit == "B") return gb(Bytes(*line.value));
    return significant(*line.value, 3) + (line.unit.empty() ? "" : " " + line.unit);
}

std::string with_bases(const Report& report, const std::vector<std::string>& paths) {
    std::vector<std::string> words;
    for (const std::string& path : paths) {
        const std::string_view basis = basis_of(report, path);
        words.push_back(basis.empty() ? path : fmt::format("{} ({})", path, basis));
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

// The inputs of a line that no line above it has named.
std::vector<std::string> unnamed(const ExplainLine& line, const std::vector<std::string>& named) {
    std::vector<std::string> paths;
    std::copy_if(line.paths.begin(), line.paths.end(), std::back_inserter(paths), [&named](const std::string& path) {
        return std::find(named.begin(), named.end(), path) == named.end();
    });
    return paths;
}

} // namespace

std::string explain_text(const Report& report, int width) {
    Page page(width, false);
    const Lines lines = explain_lines(report);
    std::vector<std::string> named;
    for (const ExplainLine& line : lines) {
        page.line(left("  " + line.name, width - 14) + right(rounded(line), 14));
        page.line("    = " + line.expression, 8);
        if (line.value) page.line("    = " + number(*line.value, line.unit), 8);
        const std::vector<std::string> paths = line.combines ? unnamed(line, named) : line.paths;
        if (!paths.empty()) page.line("    from " + with_bases(report, paths), 9);
        named.insert(named.end(), paths.begin(), paths.end());
    }
    page.heading("where the inputs come from");
    for (const std::string& path : explained_paths(lines)) {
        const std::string value = value_text(report, path);
        const std::string_view basis = basis_of(report, path);
        page.line(fmt::format("  {}{}{}", path, value.empty() ? "" : " = " + value,
                              basis.empty() ? "" : fmt::format(" ({})", basis)));
        if (const std::string source = source_text(report, path); !source.empty()) page.line("      " + source, 6);
    }
    return page.text();
}

} // namespace spillway
