#include "report/html.h"

#include "report/expression.h"
#include "report/figures.h"
#include "report/html_page.h"
#include "report/names.h"
#include "report/notes.h"
#include "report/residency_chart.h"
#include "report/svg.h"
#include "report/views.h"
#include "text/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

std::string case_title(const LoadedCase& loaded) {
    const Case& c = loaded.value;
    return fmt::format("{} ({}) on {}", c.model.name, c.quantization.name, c.machine.name);
}

std::string header(const LoadedCase& loaded) {
    return fmt::format("<header>\n<h1>{}</h1>\n", markup(case_title(loaded))) +
           html_paragraph(fmt::format("Scenario {}: {}", loaded.scenario_id, scenario_text(loaded.value.scenario)),
                          "soft") +
           "</header>\n";
}

std::string footer(const std::string& version, const std::string& digest) {
    const std::string data = digest.empty() ? "" : fmt::format(", data {}", digest);
    return fmt::format("<footer>spillway {}{}. Every figure is an estimate.</footer>\n", markup(version), markup(data));
}

// --- cards ------------------------------------------------------------------------------------------------------

struct Remark {
    std::string text;
    std::string style = "";
};

std::string card(std::string_view title, const std::string& figure, std::string_view unit,
                 const std::vector<Remark>& remarks) {
    std::string html = fmt::format("<div class=\"card\">\n<h3>{}</h3>\n<p class=\"figure\">{} <small>{}</small></p>\n",
                                   title, markup(figure), markup(unit));
    for (const Remark& remark : remarks) html += html_paragraph(remark.text, remark.style);
    return html + "</div>\n";
}

Remark judged(double target, State state) {
    return {fmt::format("target {}: {}", count(target), name_of(state)), std::string(name_of(state))};
}

std::string limited_by(const std::optional<Limit>& limit) {
    return fmt::format("limited by {}", limit ? label_of(*limit) : "unknown");
}

std::string decode_card(const Report& report) {
    const Decode& d = report.estimate.decode;
    const Scenario& s = report.loaded.value.scenario;
    std::vector<Remark> remarks = {judged(s.target_decode, report.estimate.verdict.decode)};
    if (!d.tokens_per_second) {
        remarks.push_back({why_no_decode(report)});
        if (d.full_overlap)
            remarks.push_back({fmt::format("reading alone keeps it below {} tok/s", speed(*d.full_overlap))});
        return card("decode", "unknown", "", remarks);
    }
    remarks.push_back({limited_by(d.limit), "soft"});
    if (s.sequences > 1.0 && d.tokens_per_second_total)
        remarks.push_back({fmt::format("per sequence; {} tok/s over all", speed(*d.tokens_per_second_total)), "soft"});
    if (d.no_overlap && d.full_overlap && speed(*d.no_overlap) != speed(*d.full_overlap))
        remarks.push_back({fmt::format("{} if reading and computing never overlap, {} if always", speed(*d.no_overlap),
                                       speed(*d.full_overlap)),
                           "soft"});
    return card("decode", speed(*d.tokens_per_second, s.target_decode), "tok/s", remarks);
}

std::string prefill_card(const Report& report) {
    const Prefill& p = report.estimate.prefill;
    const double target = report.loaded.value.scenario.target_prefill;
    std::vector<Remark> remarks = {judged(target, report.estimate.verdict.prefill)};
    if (!p.tokens_per_second) {
        if (p.storage_limit)
            remarks.push_back({fmt::format("reading alone keeps it below {} tok/s", speed(*p.storage_limit, target))});
        remarks.insert(remarks.begin() + 1, {why_no_prefill(report)});
        return card("prefill", p.total ? "no limit" : "unknown", "", remarks);
    }
    remarks.push_back({limited_by(p.limit), "soft"});
    if (p.time_to_first_token)
        remarks.push_back({fmt::format("first token after {}", print_short(*p.time_to_first_token)), "soft"});
    return card("prefill", speed(*p.tokens_per_second, target), "tok/s", remarks);
}

std::string residency_card(const Report& report) {
    const Placement& p = report.estimate.placement;
    if (p.sizes.moe_layers <= 0.0) return {};
    if (!p.residency) return card("residency", "unknown", "", {{why_no_decode(report), "soft"}});
    std::vector<Remark> remarks;
    if (report.line.residency && report.line.answer == Answer::found)
        remarks.push_back(
            {fmt::format("{} tok/s needs {}", count(report.line.target), percent_at_least(*report.line.residency))});
    remarks.push_back({fmt::format("{:.1f} of {} experts per layer", p.slots_per_layer.value_or(0.0),
                                   count(experts_per_layer(report.loaded.value.model))),
                       "soft"});
    const std::optional<Bytes> spilled = spilled_experts(p);
    if (spilled && spilled->value > 0.0) remarks.push_back({gb(*spilled) + " of experts spill to storage", "soft"});
    return card("residency", percent(*p.residency), "", remarks);
}

std::string answer(const Report& report) {
    const State overall = report.estimate.verdict.overall;
    return fmt::format("<p class=\"verdict {}\">{}</p>\n<div class=\"cards\">\n", name_of(overall),
                       markup(verdict_text(report))) +
           decode_card(report) + prefill_card(report) + residency_card(report) + "</div>\n";
}

std::string break_even(const Report& report, const ResidencyCurve& curve) {
    std::string html = html_heading("Break-even") + html_paragraph(break_even_text(report));
    html += residency_figure(curve);
    if (report.estimate.cost_ratio)
        html += html_paragraph(fmt::format("A byte read from storage costs as much time as {} from memory.",
                                           speed(*report.estimate.cost_ratio)));
    return html + residency_table(curve);
}

// --- times ------------------------------------------------------------------------------------------------------

std::string term_label(const Report& report, const Term& term, bool name_place) {
    std::string label(label_of(term.id));
    if (name_place && term.pool >= 0) label += ", " + term_place(report.loaded.value.machine, term);
    return label;
}

ChartBar term_bar(const Report& report, const Term& term, bool name_place) {
    ChartBar bar;
    bar.label = term_label(report, term, name_place);
    if (term.seconds) bar.value = std::abs(term.seconds->value);
    bar.text = term.seconds ? print_short(*term.seconds) : "unknown";
    bar.title = fmt::format("{}: {} = {}", bar.label, bar.text, expression_of(term));
    if (term.form == Form::negative) bar.style = "hidden";
    return bar;
}

BarChart step_chart(const Report& report, bool narrow) {
    const Decode& d = report.estimate.decode;
    const Scenario& s = report.loaded.value.scenario;
    const bool several = std::any_of(d.terms.begin(), d.terms.end(), [](const Term& term) { return term.pool > 0; });
    BarChart chart;
    chart.id = narrow ? "step-narrow" : "step-wide";
    chart.title = "Time of a decode step by what it is spent on";
    chart.description =
        d.step ? fmt::format("The step takes {}.", print_short(*d.step)) : "The step's time is unknown.";
    chart.width = narrow ? 380.0 : 720.0;
    chart.labels_above = narrow;
    const Seconds allowed = step_allowed(s);
    chart.target = allowed.value;
    chart.target_label = fmt::format("{} allowed for {} tok/s", print_short(allowed), count(s.target_decode));
    for (const Term& term : d.terms) chart.bars.push_back(term_bar(report, term, several));
    ChartBar sum{"whole step", std::nullopt, "unknown", "", "sum"};
    if (d.step) {
        sum.value = d.step->value;
        sum.text = print_short(*d.step);
        if (d.tokens_per_second)
            sum.title = fmt::format("whole step: {}, {} tok/s", sum.text, speed(*d.tokens_per_second, s.target_decode));
    }
    chart.bars.push_back(sum);
    return chart;
}

// Seconds far beyond the target would push it to the edge: bars end at 8 times the target, or at the second longest
// bar if that is longer.
void cap(BarChart& chart) {
    constexpr double kMost = 8.0;
    std::vector<double> values;
    for (const ChartBar& bar : chart.bars) values.push_back(bar.value.value_or(0.0));
    std::sort(values.rbegin(), values.rend());
    if (chart.target && values.size() > 2) chart.cap = std::max(kMost * *chart.target, values[2]);
}

std::string reading(const Decode& d) {
    std::vector<std::string> lines;
    if (d.expert_bytes_per_token && d.missed_bytes_per_token && d.miss_fraction &&
        d.expert_bytes_per_token->value > 0.0) {
        lines.push_back(fmt::format("A token reads {} of experts, {} of them ({}) not from memory.",
                                    print_short(*d.expert_bytes_per_token), print_short(*d.missed_bytes_per_token),
                                    percent(*d.miss_fraction)));
    }
    if (d.storage_rate)
        lines.push_back(fmt::format("The drive reads at {} with {} reads in flight.", print_short(*d.storage_rate),
                                    significant(d.reads_in_flight, 3)));
    if (d.storage_rate && d.missed_bytes_per_layer && d.storage_per_layer && d.resident_per_layer)
        lines.push_back(fmt::format("Per layer {} are missing: {} of reading against {} of the resident pass.",
                                    print_short(*d.missed_bytes_per_layer), print_short(*d.storage_per_layer),
                                    print_short(*d.resident_per_layer)));
    return lines.empty() ? "" : html_paragraph(fmt::format("{}", fmt::join(lines, " ")));
}

std::string step(const Report& report) {
    const Decode& d = report.estimate.decode;
    const Scenario& s = report.loaded.value.scenario;
    if (d.terms.size == 0) return {};
    BarChart wide = step_chart(report, false), narrow = step_chart(report, true);
    cap(wide);
    cap(narrow);
    return html_heading(s.positions > 1.0 ? fmt::format("Decode: one step of {} positions", count(s.positions))
                                          : "Decode: one token") +
           html_figure(bar_chart(wide), bar_chart(narrow), "") + reading(d);
}

void add_rows(const Report& report, std::string_view phase, const std::vector<Term>& terms, HtmlTable& table) {
    for (const Term& term : terms) {
        table.rows.push_back({std::string(phase), std::string(label_of(term.id)),
                              term_place(report.loaded.value.machine, term),
                              term.seconds ? print_short(*term.seconds) : "unknown"});
    }
}

std::string prefill(const Report& report) {
    const Prefill& p = report.estimate.prefill;
    if (p.terms.size == 0) return {};
    const PrefillTerms terms = prefill_terms(p);
    HtmlTable table;
    table.heads = {"phase", "time", "where", ""};
    table.numbers = {false, false, false, true};
    const std::string chunk =
        fmt::format("{}chunk of {} tokens", p.chunks > 1.0 ? "first " : "", count(p.chunk_tokens));
    add_rows(report, chunk, terms.chunk, table);
    add_rows(report, "prompt's end", terms.tail, table);
    if (p.total) {
        table.rows.push_back({p.chunks > 1.0 ? fmt::format("{} chunks", count(p.chunks)) : "prompt", "whole prompt", "",
                              print_short(*p.total)});
        table.last_is_sum = true;
    }
    std::string html = html_heading("Prefill") + html_paragraph("Arithmetic and memory run at the same time.", "soft") +
                       html_table(table);
    if (p.read_bytes_per_chunk && p.read_bytes_per_chunk->value > 0.0 && p.storage_limit)
        html += html_paragraph(fmt::format("A chunk reads {} from storage: at most {} tok/s by reading alone.",
                                           print_short(*p.read_bytes_per_chunk), speed(*p.storage_limit)));
    return html;
}

// --- memory and the rest ----------------------------------------------------------------------------------------

std::vector<std::string> memory_lines(const Report& report) {
    const Placement& p = report.estimate.placement;
    const std::vector<MemoryPool>& memory = report.loaded.value.machine.memory;
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < std::min(memory.size(), static_cast<std::size_t>(p.pools_in_use)); ++i) {
        const MemoryPool& pool = memory[i];
        std::string line = fmt::format("{}: {}, usable {}", pool.name, print_gib(pool.capacity),
                                       pool.usable ? print_gib(*pool.usable) + " = " + gb(*pool.usable) : "unknown");
        if (i == 0 && p.left_for_os && p.left_for_os->value > 0.0)
            line += fmt::format(", {} left for the OS", gb(*p.left_for_os));
        if (!pool.limit_command.empty()) line += "; the profile's limit is set with: " + pool.limit_command;
        lines.push_back(line);
    }
    if (p.fits && !*p.fits) lines.push_back("does not fit: short by " + gb(p.short_by));
    if (p.page_cache) lines.push_back("left for the page cache: " + gb(*p.page_cache));
    if (p.load) lines.push_back("reading everything resident from the drive once takes " + print_short(*p.load));
    if (const std::string flags = engine_flags(report); !flags.empty()) lines.push_back("engine flags: " + flags);
    return lines;
}

std::string memory(const Report& report) {
    const Placement& p = report.estimate.placement;
    const Scenario& s = report.loaded.value.scenario;
    HtmlTable table;
    table.heads = {"part", "where", "size"};
    table.numbers = {false, false, true};
    for (const PlacedPart& part : placed_parts(report)) {
        table.rows.push_back({std::string(label_of(part.part)), place_name(report.loaded.value.machine, part.pool),
                              part.bytes ? gb(*part.bytes) : "unknown"});
    }
    if (p.sizes.moe_layers > 0.0) {
        const std::optional<Bytes> pool = p.expert_pool ? p.expert_pool : p.sizes.experts;
        const std::string forced = s.expert_budget ? "forced" : "";
        table.rows.push_back({"expert budget", forced, p.expert_budget ? gb(*p.expert_budget) : "unknown"});
        table.rows.push_back({"expert pool",
                              p.pool_over_budget ? significant(*p.pool_over_budget, 3) + " x the budget" : "",
                              pool ? gb(*pool) : "unknown"});
    }
    return html_heading("Memory") + html_table(table) + html_list(memory_lines(report));
}

std::string alternatives(const Report& report) {
    const auto& results = report.estimate.alternatives;
    const auto& profiles = report.loaded.value.alternatives;
    if (results.size == 0) return {};
    HtmlTable table;
    table.heads = {"routing", "workload", "layers", "missed", "decode"};
    table.numbers = {false, false, false, true, true};
    for (std::size_t i = 0; i < std::min(results.size, profiles.size()); ++i) {
        const Alternative& a = results.items[i];
        table.rows.push_back({profiles[i].name, profiles[i].workload, profiles[i].layers,
                              a.miss_fraction ? percent(*a.miss_fraction) : "unknown",
                              a.tokens_per_second ? speed(*a.tokens_per_second) + " tok/s" : "unknown"});
    }
    return html_heading("Decode under measured routing of this model") + html_table(table);
}

std::string influences(const Report& report) {
    constexpr std::size_t kMost = 5;
    if (report.influences.empty()) return {};
    HtmlTable table;
    table.heads = {"1 % more of", "value", "basis", "decode", "prefill"};
    table.numbers = {false, false, false, true, true};
    for (std::size_t i = 0; i < std::min(kMost, report.influences.size()); ++i) {
        const Influence& influence = report.influences[i];
        table.rows.push_back(
            {influence.path, value_text(report, influence.path), std::string(basis_of(report, influence.path)),
             influence.decode ? effect(*influence.decode) : "-", influence.prefill ? effect(*influence.prefill) : "-"});
    }
    return html_heading("What moves the answer most") + html_table(table) + html_list(guess_sentences(report));
}

std::string notes(const Report& report) {
    std::vector<std::string> texts;
    for (const Note& note : report.estimate.notes) texts.push_back(note_text(report, note));
    return texts.empty() ? "" : html_heading("Notes") + html_list(texts);
}

} // namespace

std::string report_html(const Report& report, const ResidencyCurve& curve) {
    return html_page("spillway: " + case_title(report.loaded),
                     header(report.loaded) + answer(report) + break_even(report, curve) + step(report) +
                         prefill(report) + memory(report) + alternatives(report) + influences(report) + notes(report) +
                         footer(report.version, report.loaded.data_digest));
}

std::string break_even_html(const LoadedCase& loaded, const ResidencyCurve& curve,
                            const std::vector<LeverSection>& sections, const std::string& version) {
    std::string body = header(loaded);
    if (has_chart(curve)) {
        body += html_heading("Decode speed over residency") + residency_figure(curve) + residency_table(curve);
    }
    for (const LeverSection& section : sections) {
        body += html_heading(section.title) + html_table(html_table_of(section.table));
        for (const std::string& sentence : section.sentences) body += html_paragraph(sentence);
    }
    return html_page("spillway break-even: " + case_title(loaded), body + footer(version, loaded.data_digest));
}

} // namespace spillway
