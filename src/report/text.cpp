// The report for people: what was asked, the answer, then why, in the order in which somebody checks it.
#include "report/explain.h"
#include "report/figures.h"
#include "report/levers.h"
#include "report/names.h"
#include "report/notes.h"
#include "report/page.h"
#include "report/text_sections.h"
#include "report/views.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway {

namespace {

Paint paint_of(State state) {
    switch (state) {
    case State::holds: return Paint::good;
    case State::fails: return Paint::bad;
    case State::depends:
    case State::unknown: return Paint::warning;
    }
    return Paint::none;
}

// "fails 10", "holds 100"; the other two words do not take an object.
std::string judged(double target, State state) {
    const std::string_view word = name_of(state);
    const bool plain = state == State::holds || state == State::fails;
    return plain ? fmt::format("{} {}", word, count(target)) : fmt::format("target {}: {}", count(target), word);
}

void add_title(const Report& report, Page& page) {
    const Case& c = report.loaded.value;
    page.line(fmt::format("spillway estimate   {} ({}) on {}", c.model.name, c.quantization.name, c.machine.name), 20,
              Paint::heading);
    page.line(fmt::format("scenario {}: {}", report.loaded.scenario_id, scenario_text(c.scenario)));
    page.line("");
}

void add_decode_answer(const Report& report, Page& page) {
    const Decode& d = report.estimate.decode;
    const double target = report.loaded.value.scenario.target_decode;
    const State state = report.estimate.verdict.decode;
    if (!d.tokens_per_second) {
        page.line(fmt::format("  decode    unknown: {}", why_no_decode(report)), 12, paint_of(state));
        if (d.full_overlap)
            page.line(fmt::format("            reading alone keeps it below {} tok/s", speed(*d.full_overlap)), 12);
        return;
    }
    const std::string value = speed(*d.tokens_per_second, target) + " tok/s";
    page.line(fmt::format("  decode    {} {} limited by {}", left(value, 12), left(judged(target, state), 21),
                          d.limit ? label_of(*d.limit) : "unknown"),
              12, paint_of(state));
    if (report.loaded.value.scenario.sequences > 1.0 && d.tokens_per_second_total) {
        page.line(
            fmt::format("            per sequence; {} tok/s over all sequences", speed(*d.tokens_per_second_total)),
            12);
    }
    if (d.no_overlap && d.full_overlap && speed(*d.no_overlap) != speed(*d.full_overlap)) {
        page.line(fmt::format("            {} if reading and computing never overlap, {} if always",
                              speed(*d.no_overlap), speed(*d.full_overlap)),
                  12);
    }
}

void add_prefill_answer(const Report& report, Page& page) {
    const Prefill& p = report.estimate.prefill;
    const double target = report.loaded.value.scenario.target_prefill;
    const State state = report.estimate.verdict.prefill;
    if (!p.tokens_per_second) {
        const bool priced = p.total.has_value();
        page.line(fmt::format("  prefill   {}{}", priced ? "" : "unknown: ", why_no_prefill(report)), 12,
                  paint_of(state));
        if (p.storage_limit)
            page.line(fmt::format("            reading alone keeps it below {} tok/s", speed(*p.storage_limit, target)),
                      12);
        return;
    }
    const std::string value = speed(*p.tokens_per_second, target) + " tok/s";
    page.line(fmt::format("  prefill   {} {} limited by {}", left(value, 12), left(judged(target, state), 21),
                          p.limit ? label_of(*p.limit) : "unknown"),
              12, paint_of(state));
}

void add_break_even(const Report& report, Page& page) {
    page.heading("break-even");
    page.line("  " + break_even_text(report));
    if (report.estimate.cost_ratio) {
        page.line(fmt::format("  a byte read from storage costs as much time as {} from memory",
                              speed(*report.estimate.cost_ratio)));
    }
}

void add_alternatives(const Report& report, Page& page) {
    const auto& results = report.estimate.alternatives;
    const auto& profiles = report.loaded.value.alternatives;
    if (results.size == 0) return;
    page.heading("decode under measured routing of this model");
    for (std::size_t i = 0; i < std::min(results.size, profiles.size()); ++i) {
        const Alternative& a = results.items[i];
        const std::string rate = a.tokens_per_second ? speed(*a.tokens_per_second) + " tok/s" : "unknown";
        const std::string missed = a.miss_fraction ? percent(*a.miss_fraction) + " missed" : "";
        page.line(fmt::format("  {} {} {}", left(profiles[i].name, 44), right(rate, 14), right(missed, 15)));
        page.line(fmt::format("      {}; layers {}", profiles[i].workload, profiles[i].layers), 6);
    }
}

void add_influences(const Report& report, Page& page) {
    constexpr std::size_t kMost = 5;
    constexpr int kInputWidth = 57;
    if (report.influences.empty()) return;
    page.heading("what moves the answer most (effect of 1 % more)");
    page.line("  " + left("", kInputWidth) + right("decode", 9) + right("prefill", 10));
    for (std::size_t i = 0; i < std::min(kMost, report.influences.size()); ++i) {
        const Influence& influence = report.influences[i];
        const std::string input = fmt::format("{} = {} ({})", influence.path, value_text(report, influence.path),
                                              basis_of(report, influence.path));
        const std::string effects = right(influence.decode ? effect(*influence.decode) : "-", 9) +
                                    right(influence.prefill ? effect(*influence.prefill) : "-", 10);
        const bool long_input = columns(input) > kInputWidth;
        if (long_input) page.line("  " + input);
        page.line("  " + left(long_input ? "" : input, kInputWidth) + effects);
    }
    for (const std::string& guess : guess_sentences(report)) page.line("  " + guess, 6, Paint::warning);
}

void add_notes(const Report& report, Page& page) {
    if (report.estimate.notes.size == 0) return;
    page.heading("notes");
    for (const Note& note : report.estimate.notes) page.line("  - " + note_text(report, note));
}

} // namespace

std::string report_text(const Report& report, const TextOptions& options) {
    Page page(options.width, options.color);
    add_title(report, page);
    add_decode_answer(report, page);
    add_prefill_answer(report, page);
    page.line("  verdict   " + verdict_text(report), 12, paint_of(report.estimate.verdict.overall));
    if (!report.changes.empty()) page.line("  change    " + changes_text(report.loaded.value, report.changes), 12);
    add_memory(report, page);
    add_times(report, page);
    add_break_even(report, page);
    add_alternatives(report, page);
    add_influences(report, page);
    add_notes(report, page);
    std::string text = page.text();
    if (options.explain) text += "\nthe arithmetic\n" + explain_text(report, options.width);
    return text;
}

} // namespace spillway
