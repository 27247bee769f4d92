// The document of a report: what was asked, the answer, then why, in the order in which somebody checks it.
#include "report/compare.h"
#include "report/explain.h"
#include "report/figures.h"
#include "report/levers.h"
#include "report/names.h"
#include "report/nearby.h"
#include "report/notes.h"
#include "report/report.h"
#include "report/report_sections.h"
#include "report/residency_chart.h"
#include "report/views.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway {

namespace {

constexpr int kExplainWidth = 80;

// "fails 10", "holds 100"; the other two words do not take an object.
std::string judged(double target, State state) {
    const std::string_view word = name_of(state);
    const bool plain = state == State::holds || state == State::fails;
    return plain ? fmt::format("{} {}", word, count(target)) : fmt::format("target {}: {}", count(target), word);
}

std::string limited_by(const std::optional<Limit>& limit) {
    return fmt::format("limited by {}", limit ? label_of(*limit) : "unknown");
}

std::string below_by_reading(const std::string& rate) {
    return fmt::format("reading alone keeps it below {} tok/s", rate);
}

Headline decode_answer(const Report& report) {
    const Decode& d = report.estimate.decode;
    const Scenario& s = report.loaded.value.scenario;
    const State state = report.estimate.verdict.decode;
    Headline answer{
        .label = "decode", .figure = "unknown", .judged = judged(s.target_decode, state), .tone = tone_of(state)};
    if (!d.tokens_per_second) {
        answer.why = why_no_decode(report);
        if (d.full_overlap) answer.remarks.push_back(below_by_reading(speed(*d.full_overlap)));
        return answer;
    }
    answer.figure = speed(*d.tokens_per_second, s.target_decode);
    answer.unit = "tok/s";
    answer.limit = limited_by(d.limit);
    if (s.sequences > 1.0 && d.tokens_per_second_total)
        answer.remarks.push_back(
            fmt::format("per sequence; {} tok/s over all sequences", speed(*d.tokens_per_second_total)));
    if (d.no_overlap && d.full_overlap && speed(*d.no_overlap) != speed(*d.full_overlap))
        answer.remarks.push_back(fmt::format("{} if reading and computing never overlap, {} if always",
                                             speed(*d.no_overlap), speed(*d.full_overlap)));
    return answer;
}

Headline prefill_answer(const Report& report) {
    const Prefill& p = report.estimate.prefill;
    const double target = report.loaded.value.scenario.target_prefill;
    const State state = report.estimate.verdict.prefill;
    Headline answer{.label = "prefill", .figure = "unknown", .judged = judged(target, state), .tone = tone_of(state)};
    if (!p.tokens_per_second) {
        if (p.total) answer.figure = "no limit";
        answer.why = why_no_prefill(report);
        if (p.storage_limit) answer.remarks.push_back(below_by_reading(speed(*p.storage_limit, target)));
        return answer;
    }
    answer.figure = speed(*p.tokens_per_second, target);
    answer.unit = "tok/s";
    answer.limit = limited_by(p.limit);
    return answer;
}

// Text has it in the section on memory.
std::optional<Headline> residency_answer(const Report& report) {
    const Placement& p = report.estimate.placement;
    if (p.sizes.moe_layers <= 0.0) return std::nullopt;
    Headline answer{.label = "residency", .figure = "unknown", .judged = "", .in = In::pages};
    if (!p.residency) {
        answer.why = why_no_decode(report);
        return answer;
    }
    answer.figure = percent(*p.residency);
    if (report.line.residency && report.line.answer == Answer::found)
        answer.judged =
            fmt::format("{} tok/s needs {}", count(report.line.target), percent_at_least(*report.line.residency));
    answer.remarks.push_back(slots_text(report));
    const std::optional<Bytes> spilled = spilled_experts(p);
    if (spilled && spilled->value > 0.0) answer.remarks.push_back(gb(*spilled) + " of experts spill to storage");
    return answer;
}

void add_head(const Report& report, Document& document) {
    DocumentSection& head = document.add("");
    const Scenario& s = report.loaded.value.scenario;
    head.line(fmt::format("scenario {}: {}", report.loaded.scenario_id, scenario_text(s)), Tone::soft);
    head.line("");
    Headlines answers{{decode_answer(report), prefill_answer(report)}};
    if (const auto residency = residency_answer(report)) answers.list.push_back(*residency);
    head.add(std::move(answers));
    head.add(Judgement{verdict_text(report), tone_of(report.estimate.verdict.overall), "verdict   ", 2, 12});
    if (!report.changes.empty()) head.add(Facts{{{"change", changes_text(report.loaded.value, report.changes)}}});
}

void add_break_even(const Report& report, Document& document) {
    DocumentSection& section = document.add("break-even");
    section.early = true;
    section.line(break_even_text(report), Tone::plain, 2);
    if (report.curve) add_residency_curve(*report.curve, section);
    if (report.estimate.cost_ratio)
        section.line(fmt::format("a byte read from storage costs as much time as {} from memory",
                                 speed(*report.estimate.cost_ratio)),
                     Tone::plain, 2);
}

void add_alternatives(const Report& report, Document& document) {
    const auto& results = report.estimate.alternatives;
    const auto& profiles = report.loaded.value.alternatives;
    if (results.size == 0) return;
    Table table;
    table.columns = {{"locality", "routing", Show::text, 44},
                     {"workload", "workload", Show::text, 0, 2, In::pages},
                     {"layers", "layers", Show::text, 0, 2, In::pages},
                     {"decode", "decode", Show::figure, 14, 1},
                     {"missed", "missed", Show::figure, 15, 1, In::all, " missed"}};
    table.heads = false;
    for (std::size_t i = 0; i < std::min(results.size, profiles.size()); ++i) {
        const Alternative& a = results.items[i];
        TableRow row{profiles[i].name, profiles[i].workload, profiles[i].layers,
                     a.tokens_per_second ? speed(*a.tokens_per_second) + " tok/s" : "unknown",
                     a.miss_fraction ? percent(*a.miss_fraction) : ""};
        row.note = fmt::format("{}; layers {}", profiles[i].workload, profiles[i].layers);
        table.rows.push_back(std::move(row));
    }
    document.add("decode under measured routing of this model").add(std::move(table));
}

void add_influences(const Report& report, Document& document) {
    constexpr std::size_t kMost = 5;
    if (report.influences.empty()) return;
    Table table;
    table.columns = {{"input", "", Show::text, 57, 2, In::text},      {"path", "input", Show::text, 0, 2, In::pages},
                     {"value", "value", Show::text, 0, 2, In::pages}, {"basis", "basis", Show::text, 0, 2, In::pages},
                     {"decode", "decode", Show::figure, 9, 0},        {"prefill", "prefill", Show::figure, 10, 0}};
    for (std::size_t i = 0; i < std::min(kMost, report.influences.size()); ++i) {
        const Influence& influence = report.influences[i];
        const std::string value = value_text(report, influence.path);
        const std::string_view basis = basis_of(report, influence.path);
        table.rows.push_back({fmt::format("{} = {} ({})", influence.path, value, basis), influence.path, value, basis,
                              influence.decode ? effect(*influence.decode) : "-",
                              influence.prefill ? effect(*influence.prefill) : "-"});
    }
    DocumentSection& section = document.add("what moves the answer most (effect of 1 % more)");
    section.add(std::move(table));
    for (const std::string& guess : guess_sentences(report)) section.line(guess, Tone::warning, 2, 6);
}

void add_notes(const Report& report, Document& document) {
    Items notes;
    for (const Note& note : report.estimate.notes) notes.items.push_back(note_text(report, note));
    if (!notes.items.empty()) document.add("notes").add(std::move(notes));
}

void add_nearby(const Report& report, Document& document) {
    if (report.nearby) document.add("what others measured").add(Items{nearby_texts(*report.nearby)});
}

} // namespace

Document report_document(const Report& report, bool explain) {
    const Case& c = report.loaded.value;
    Document document{.kind = "estimate",
                      .title = fmt::format("{} ({}) on {}", c.model.name, c.quantization.name, c.machine.name),
                      .lead = "spillway estimate   ",
                      .hang = 20,
                      .sections = {},
                      .data = figures_table(report),
                      .version = report.version,
                      .data_digest = report.loaded.data_digest};
    add_head(report, document);
    add_memory(report, document);
    add_times(report, document);
    add_break_even(report, document);
    add_alternatives(report, document);
    add_influences(report, document);
    add_nearby(report, document);
    add_notes(report, document);
    if (explain) document.add("the arithmetic").add(Preformatted{explain_text(report, kExplainWidth)});
    return document;
}

} // namespace spillway
