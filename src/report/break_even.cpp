#include "report/break_even.h"

#include "report/figures.h"
#include "report/levers.h"
#include "report/names.h"
#include "report/residency_chart.h"
#include "report/views.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace spillway {

namespace {

using nlohmann::ordered_json;

// One phase of the two.
struct Side {
    std::string_view name;
    const std::vector<LeverAnswer>& levers;
    double target;
};

std::vector<Side> sides(const BreakEvenAnswer& a) {
    const Scenario& s = a.loaded.value.scenario;
    return {{"decode", a.decode, s.target_decode}, {"prefill", a.prefill, s.target_prefill}};
}

// The residency line step by step, with the numbers of the case.
void add_explanation(const LoadedCase& loaded, Document& document) {
    const std::optional<ClosedForm> form = closed_form(loaded.value);
    if (!form) {
        DocumentSection& end = document.sections.back();
        end.line("");
        end.line("the residency line has no closed form in this case; it was found by evaluating");
        return;
    }
    const ClosedForm& f = *form;
    document.add("the residency line by its closed form")
        .add(
            Preformatted{fmt::format("  time for a token           = 1 / {} tok/s = {} s\n"
                                     "  left for reading           = {} s - {} s = {} s\n"
                                     "  bytes that can be read     = {} s x {} B/s = {} B\n"
                                     "  miss fraction at most      = {} B / {} B = {}\n"
                                     "  residency at least         = 1 - {} = {}\n",
                                     loaded.value.scenario.target_decode, f.token.value, f.token.value,
                                     f.resident.value, f.left.value, f.left.value, f.rate.value, f.readable.value,
                                     f.readable.value, f.needed.value, f.miss_fraction, f.miss_fraction, f.residency)});
}

// Pages name the case in full; a terminal has the names that were typed in the title.
void add_case(const LoadedCase& loaded, Document& document) {
    const Case& c = loaded.value;
    DocumentSection& head = document.add("");
    head.in = In::pages;
    head.line(fmt::format("{} ({}) on {}", c.model.name, c.quantization.name, c.machine.name), Tone::soft);
    head.line(fmt::format("scenario {}: {}", loaded.scenario_id, scenario_text(c.scenario)), Tone::soft);
}

std::string names_of(const std::vector<const LeverAnswer*>& levers) {
    std::vector<std::string_view> names;
    for (const LeverAnswer* lever : levers) names.push_back(lever_names(*lever).label);
    return fmt::format("{}", fmt::join(names, ", "));
}

void add_phase(const BreakEvenAnswer& a, const Side& side, Document& document) {
    DocumentSection& section =
        document.add(fmt::format("{} at {} tok/s, one lever at a time", side.name, speed(side.target)));
    section.add(lever_table(side.levers));
    for (const LeverAnswer& lever : side.levers) {
        if (!lever.step) continue;
        section.add(Sentence{.text = fmt::format("next {} that exists: {}", lever_names(lever).label, step_text(lever)),
                             .in = In::text}); // a column of the table in pages
    }
    if (const std::string order = names_of(ranked(side.levers)); !order.empty())
        section.line("by relative change: " + order);
    if (const LeverAnswer* best = cheapest(side.levers))
        section.line("smallest change: " + lever_sentence(a.loaded.value, *best));
    if (!side.levers.empty() && side.levers.front().holds_now)
        section.line("the target is met as it is: the values are what could be given up", Tone::good);
}

// Every lever, unrounded.
Table data_of(const BreakEvenAnswer& a) {
    Table table;
    for (const char* name : {"phase", "target_tokens_per_second", "lever", "answer", "forced", "value", "whole",
                             "current", "change", "best_tokens_per_second", "step", "step_value", "holds_fixed"})
        table.columns.push_back({name, name});
    for (const Side& side : sides(a)) {
        for (const LeverAnswer& lever : side.levers) {
            table.rows.push_back({side.name, side.target, lever_names(lever).code, name_of(lever.answer), lever.forced,
                                  lever.value, lever.whole, lever.current, lever.change, lever.best,
                                  lever.step ? Cell(*lever.step) : Cell(), lever.step_value, lever_names(lever).fixed});
        }
    }
    return table;
}

} // namespace

Document break_even_document(const BreakEvenAnswer& a, bool explain) {
    Document document{.kind = "estimate",
                      .title = fmt::format("break-even of {} ({}) on {}, scenario {}", a.loaded.model_id,
                                           a.loaded.quantization_id, a.loaded.machine_id, a.loaded.scenario_id),
                      .lead = "spillway estimate   ",
                      .sections = {},
                      .data = data_of(a),
                      .version = a.version,
                      .data_digest = a.loaded.data_digest};
    add_case(a.loaded, document);
    if (a.curve && !a.curve->lines.empty()) {
        DocumentSection section{.heading = "decode speed over residency", .early = true, .in = In::pages};
        add_residency_curve(*a.curve, section);
        document.sections.push_back(std::move(section));
    }
    for (const Side& side : sides(a)) add_phase(a, side, document);
    if (explain) add_explanation(a.loaded, document);
    return document;
}

ordered_json break_even_json(const BreakEvenAnswer& a) {
    ordered_json json = {
        {"format", 1}, {"kind", "break-even"}, {"version", a.version}, {"data_digest", a.loaded.data_digest}};
    json["case"] = {{"model", a.loaded.model_id},
                    {"machine", a.loaded.machine_id},
                    {"quant", a.loaded.quantization_id},
                    {"scenario", a.loaded.scenario_id}};
    for (const Side& side : sides(a)) {
        ordered_json phase = {{"target_tokens_per_second", side.target}, {"levers", ordered_json::array()}};
        for (const LeverAnswer& lever : side.levers) phase["levers"].push_back(lever_json(lever));
        const LeverAnswer* best = cheapest(side.levers);
        phase["cheapest"] = best ? ordered_json(lever_names(*best).code) : ordered_json();
        phase["ranking"] = ordered_json::array();
        for (const LeverAnswer* lever : ranked(side.levers)) phase["ranking"].push_back(lever_names(*lever).code);
        json[std::string(side.name)] = std::move(phase);
    }
    json["decode"]["closed_form_residency"] = a.closed_form ? ordered_json(*a.closed_form) : ordered_json();
    return json;
}

} // namespace spillway
