// spillway break-even: for each lever the value that meets the target.
#include "cli/app.h"
#include "cli/asked_levers.h"
#include "cli/commands.h"
#include "cli/obtainable.h"
#include "explore/closed_form.h"
#include "io/json_text.h"
#include "io/output_file.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/levers.h"
#include "report/page.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace spillway {

namespace {

using nlohmann::ordered_json;

struct Options {
    OutputFlags output;
    CaseRequest request;
    std::vector<std::string> levers;
    bool explain = false;
};

struct Answers {
    const LoadedCase& loaded;
    std::vector<LeverAnswer> decode, prefill;
    std::optional<double> closed_form;
};

ordered_json as_json(const Answers& a) {
    ordered_json json = {
        {"format", 1}, {"kind", "break-even"}, {"version", SPILLWAY_VERSION}, {"data_digest", a.loaded.data_digest}};
    json["case"] = {{"model", a.loaded.model_id},
                    {"machine", a.loaded.machine_id},
                    {"quant", a.loaded.quantization_id},
                    {"scenario", a.loaded.scenario_id}};
    for (const auto& [name, list] : {std::pair{"decode", &a.decode}, std::pair{"prefill", &a.prefill}}) {
        json[name] = {{"target_tokens_per_second", list == &a.decode ? a.loaded.value.scenario.target_decode
                                                                     : a.loaded.value.scenario.target_prefill},
                      {"levers", ordered_json::array()}};
        for (const LeverAnswer& answer : *list) json[name]["levers"].push_back(lever_json(answer));
        const LeverAnswer* best = cheapest(*list);
        json[name]["cheapest"] = best ? ordered_json(lever_names(*best).code) : ordered_json();
        json[name]["ranking"] = ordered_json::array();
        for (const LeverAnswer* answer : ranked(*list)) json[name]["ranking"].push_back(lever_names(*answer).code);
    }
    json["decode"]["closed_form_residency"] = a.closed_form ? ordered_json(*a.closed_form) : ordered_json();
    return json;
}

// The residency line step by step, with the numbers of the case.
std::string explanation(const Answers& a) {
    const std::optional<ClosedForm> form = closed_form(a.loaded.value);
    if (!form) return "\nthe residency line has no closed form in this case; it was found by evaluating\n";
    const ClosedForm& f = *form;
    return fmt::format("\nthe residency line by its closed form\n"
                       "  time for a token           = 1 / {} tok/s = {} s\n"
                       "  left for reading           = {} s - {} s = {} s\n"
                       "  bytes that can be read     = {} s x {} B/s = {} B\n"
                       "  miss fraction at most      = {} B / {} B = {}\n"
                       "  residency at least         = 1 - {} = {}\n",
                       a.loaded.value.scenario.target_decode, f.token.value, f.token.value, f.resident.value,
                       f.left.value, f.left.value, f.rate.value, f.readable.value, f.readable.value, f.needed.value,
                       f.miss_fraction, f.miss_fraction, f.residency);
}

Table without_steps(Table table) {
    table.columns.pop_back();
    for (auto& row : table.rows) row.pop_back();
    return table;
}

void add_phase(const Answers& a, const std::vector<LeverAnswer>& list, bool decode, bool markdown, std::string& text) {
    const Scenario& s = a.loaded.value.scenario;
    Page page(80, false);
    page.heading(fmt::format("{} at {} tok/s, one lever at a time", decode ? "decode" : "prefill",
                             speed(decode ? s.target_decode : s.target_prefill)));
    text += page.text() +
            (markdown ? "\n" + table_markdown(lever_table(list)) + "\n" : table_text(without_steps(lever_table(list))));
    Page below(80, false);
    for (const LeverAnswer& answer : list) {
        if (markdown || !answer.step) continue;
        below.line(fmt::format("next {} that exists: {}, {}", lever_names(answer).label, *answer.step,
                               lever_value(answer.unit, *answer.step_value)));
    }
    std::string order;
    for (const LeverAnswer* answer : ranked(list))
        order += (order.empty() ? "" : ", ") + std::string(lever_names(*answer).label);
    if (!order.empty()) below.line("by relative change: " + order);
    const LeverAnswer* best = cheapest(list);
    if (best) below.line("smallest change: " + lever_sentence(a.loaded.value, *best));
    if (!list.empty() && list.front().holds_now)
        below.line("the target is met as it is: the values are what could be given up");
    text += below.text();
}

std::string as_text(const Answers& a, bool explain, bool markdown) {
    Page page(80, false);
    page.line(fmt::format("{}spillway estimate   break-even of {} ({}) on {}, scenario {}", markdown ? "### " : "",
                          a.loaded.model_id, a.loaded.quantization_id, a.loaded.machine_id, a.loaded.scenario_id));
    std::string text = page.text();
    add_phase(a, a.decode, true, markdown, text);
    add_phase(a, a.prefill, false, markdown, text);
    return explain ? text + explanation(a) : text;
}

std::string as_html(const Answers& a, const ResidencyCurve& curve) {
    std::vector<LeverSection> sections;
    for (const auto& [name, list] : {std::pair{"decode", &a.decode}, std::pair{"prefill", &a.prefill}}) {
        LeverSection section{fmt::format("{}, one lever at a time", name), lever_table(*list), {}};
        const LeverAnswer* best = cheapest(*list);
        if (best) section.sentences.push_back("Smallest change: " + lever_sentence(a.loaded.value, *best) + ".");
        sections.push_back(std::move(section));
    }
    return break_even_html(a.loaded, curve, sections, SPILLWAY_VERSION);
}

int run(const Options& o) {
    const LoadedCase loaded = load_requested(o.request, o.output);
    const Obtainables steps = obtainable(loaded, Catalogue(data_root(o.output.data)));
    const std::vector<InputRange> asked = asked_levers(o.levers, loaded.value);
    const Answers answers{loaded, lever_answers(loaded.value, Phase::decode, asked, steps),
                          lever_answers(loaded.value, Phase::prefill, asked, steps),
                          closed_form_residency(loaded.value)};
    const ResidencyLine line = residency_line(loaded.value);
    if (o.output.format == "html" && !o.output.json) {
        write_output(o.output.file, as_html(answers, residency_curve(loaded.value, line)));
        return 0;
    }
    const std::string text = o.output.wants_json() ? json_text(as_json(answers))
                                                   : as_text(answers, o.explain, o.output.format == "markdown");
    write_output(o.output.file, text);
    return 0;
}

} // namespace

Command break_even_command() {
    const auto o = std::make_shared<Options>();
    return {.name = "break-even",
            .help = "for each lever the value that meets the target",
            .flags = joined({case_flags(o->request),
                             output_flags(o->output, {"text", "json", "markdown", "html"}),
                             {{.names = "--lever",
                               .target = &o->levers,
                               .help = "only this input, searched over its range",
                               .type_name = "PATH[=FROM:TO]",
                               .rules = {.one_per_use = true}},
                              {"--explain", &o->explain, "the residency line step by step"}}}),
            .run = [o] { return run(*o); }};
}

} // namespace spillway
