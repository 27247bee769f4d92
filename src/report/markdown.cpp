// The report as compact Markdown tables.
#include "report/explain.h"
#include "report/figures.h"
#include "report/levers.h"
#include "report/names.h"
#include "report/notes.h"
#include "report/page.h"
#include "report/views.h"
#include "text/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace spillway {

namespace {

// Text from files must not become markup.
std::string cell(std::string_view raw) {
    std::string safe;
    for (const char c : printable(raw)) {
        if (c == '<') {
            safe += "&lt;";
        } else {
            if (c == '|' || c == '*' || c == '_' || c == '[' || c == '`' || c == '\\') safe += '\\';
            safe += c;
        }
    }
    return safe;
}

std::string speed_cell(const std::optional<double>& rate, double target, const std::string& why) {
    return rate ? speed(*rate, target) + " tok/s" : why;
}

std::string limit_text(const std::optional<Limit>& limit) { return limit ? std::string(label_of(*limit)) : "unknown"; }

std::string answers(const Report& report) {
    const Estimate& e = report.estimate;
    const Scenario& s = report.loaded.value.scenario;
    const bool priced = e.prefill.total.has_value();
    const std::string no_prefill =
        (priced ? "" : "unknown: ") + (e.prefill.tokens_per_second ? "" : why_no_prefill(report));
    const std::string no_decode = "unknown: " + (e.decode.tokens_per_second ? "" : why_no_decode(report));
    std::string out = "| estimate | value | target | verdict | limited by |\n|---|---:|---:|---|---|\n";
    out += fmt::format("| decode | {} | {} | {} | {} |\n",
                       cell(speed_cell(e.decode.tokens_per_second, s.target_decode, no_decode)), count(s.target_decode),
                       name_of(e.verdict.decode), limit_text(e.decode.limit));
    out += fmt::format("| prefill | {} | {} | {} | {} |\n",
                       cell(speed_cell(e.prefill.tokens_per_second, s.target_prefill, no_prefill)),
                       count(s.target_prefill), name_of(e.verdict.prefill), limit_text(e.prefill.limit));
    return out;
}

std::string memory(const Report& report) {
    const Placement& p = report.estimate.placement;
    const Scenario& s = report.loaded.value.scenario;
    std::string out = "\n| memory | size | where |\n|---|---:|---|\n";
    for (const PlacedPart& part : placed_parts(report)) {
        out += fmt::format("| {} | {} | {} |\n", label_of(part.part), part.bytes ? gb(*part.bytes) : "unknown",
                           cell(place_name(report.loaded.value.machine, part.pool)));
    }
    if (p.sizes.moe_layers > 0.0) {
        out += fmt::format("| expert budget | {} | {} |\n", p.expert_budget ? gb(*p.expert_budget) : "unknown",
                           s.expert_budget ? "forced" : "");
        const std::optional<Bytes> pool = p.expert_pool ? p.expert_pool : p.sizes.experts;
        out += fmt::format("| expert pool | {} | {} |\n", pool ? gb(*pool) : "unknown",
                           p.pool_over_budget ? significant(*p.pool_over_budget, 3) + " x the budget" : "");
        const bool forced = s.residency || !s.residency_ranges.empty();
        out += fmt::format("| residency | {} | {} |\n", p.residency ? percent(*p.residency) : "unknown",
                           forced ? "forced" : "");
    }
    return out;
}

std::string term_rows(const Report& report, std::string_view phase, const std::vector<Term>& terms) {
    std::string out;
    for (const Term& term : terms) {
        out += fmt::format("| {} | {} | {} | {} |\n", phase, label_of(term.id),
                           cell(term_place(report.loaded.value.machine, term)),
                           term.seconds ? print_short(*term.seconds) : "unknown");
    }
    return out;
}

std::string times(const Report& report) {
    const Estimate& e = report.estimate;
    if (e.decode.terms.size == 0) return {};
    const PrefillTerms prefill = prefill_terms(e.prefill);
    std::string out = "\n| phase | time | where | |\n|---|---|---|---:|\n";
    out += term_rows(report, "decode step", std::vector<Term>(e.decode.terms.begin(), e.decode.terms.end()));
    if (e.decode.step) out += fmt::format("| decode step | **sum** | | {} |\n", print_short(*e.decode.step));
    out += term_rows(report, "prefill chunk", prefill.chunk);
    out += term_rows(report, "prompt's end", prefill.tail);
    if (e.prefill.total) out += fmt::format("| prefill | **whole prompt** | | {} |\n", print_short(*e.prefill.total));
    return out;
}

std::string alternatives(const Report& report) {
    const auto& results = report.estimate.alternatives;
    const auto& profiles = report.loaded.value.alternatives;
    if (results.size == 0) return {};
    std::string out = "\n| measured routing | workload | layers | missed | decode |\n|---|---|---|---:|---:|\n";
    for (std::size_t i = 0; i < std::min(results.size, profiles.size()); ++i) {
        const Alternative& a = results.items[i];
        out += fmt::format("| {} | {} | {} | {} | {} |\n", cell(profiles[i].name), cell(profiles[i].workload),
                           cell(profiles[i].layers), a.miss_fraction ? percent(*a.miss_fraction) : "unknown",
                           a.tokens_per_second ? speed(*a.tokens_per_second) + " tok/s" : "unknown");
    }
    return out;
}

std::string influences_table(const Report& report) {
    constexpr std::size_t kMost = 5;
    if (report.influences.empty()) return {};
    std::string out = "\n| 1 % more of | value | basis | decode | prefill |\n|---|---|---|---:|---:|\n";
    for (std::size_t i = 0; i < std::min(kMost, report.influences.size()); ++i) {
        const Influence& influence = report.influences[i];
        out +=
            fmt::format("| {} | {} | {} | {} | {} |\n", cell(influence.path), cell(value_text(report, influence.path)),
                        basis_of(report, influence.path), influence.decode ? effect(*influence.decode) : "-",
                        influence.prefill ? effect(*influence.prefill) : "-");
    }
    return out;
}

std::string remarks(const Report& report) {
    std::string out = fmt::format("\n- break-even: {}\n", cell(break_even_text(report)));
    for (const std::string& guess : guess_sentences(report)) out += fmt::format("- {}\n", cell(guess));
    if (const std::string flags = engine_flags(report); !flags.empty())
        out += fmt::format("- engine flags: {}\n", cell(flags));
    for (const Note& note : report.estimate.notes) out += fmt::format("- {}\n", cell(note_text(report, note)));
    return out;
}

} // namespace

std::string report_markdown(const Report& report, bool explain) {
    const Case& c = report.loaded.value;
    std::string out = fmt::format("### spillway estimate: {} ({}) on {}\n\n", cell(c.model.name),
                                  cell(c.quantization.name), cell(c.machine.name));
    out += fmt::format("scenario {}: {}\n\n", cell(report.loaded.scenario_id), cell(scenario_text(c.scenario)));
    out += answers(report);
    out += fmt::format("\n**{}**\n", cell(verdict_text(report)));
    if (!report.changes.empty()) out += fmt::format("\n{}\n", cell(changes_text(report.loaded.value, report.changes)));
    out += memory(report) + times(report) + alternatives(report) + influences_table(report) + remarks(report);
    if (explain) out += "\n```text\n" + explain_text(report, 100) + "```\n";
    return out;
}

} // namespace spillway
