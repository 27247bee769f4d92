#include "report/expression.h"
#include "report/figures.h"
#include "report/names.h"
#include "report/report_sections.h"
#include "report/views.h"
#include "text/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace spillway {

namespace {

Sentence line_of(std::string text) { return {std::move(text), Tone::plain, 2}; }

// --- bars -------------------------------------------------------------------------------------------------------

// What a term moves or does, before it is divided by a rate.
std::string amount_of(const Term& term) {
    switch (term.form) {
    case Form::ratio: return print_short(Bytes(term.a));
    case Form::product:
        return fmt::format("{} x {}", count(term.a), term.b > 0.0 ? print_short(Seconds(term.b)) : "unknown");
    case Form::work:
        return fmt::format("{} param", significant(term.a, 3).size() > 6
                                           ? fmt::format("{} G", significant(term.a / 1e9, 3))
                                           : significant(term.a, 3));
    case Form::given:
    case Form::scaling:
    case Form::negative: return {};
    }
    return {};
}

ChartBar bar_of(const Report& report, const Term& term, bool name_pool) {
    ChartBar bar;
    bar.label = label_of(term.id);
    bar.place = term_place(report.loaded.value.machine, term);
    if (name_pool && term.pool >= 0) bar.label += ", " + bar.place;
    if (term.seconds) bar.value = std::abs(term.seconds->value);
    bar.text = term.seconds ? print_short(*term.seconds) : "unknown";
    bar.amount = amount_of(term);
    bar.title = fmt::format("{}: {} = {}", bar.label, bar.text, expression_of(term));
    if (term.seconds && term.seconds->value < 0.0) bar.style = "hidden";
    return bar;
}

template <class Terms>
Bars bars_of(const Report& report, const Terms& terms, std::string id, std::string title) {
    Bars bars;
    bars.chart.id = std::move(id);
    bars.chart.title = std::move(title);
    const bool several = std::any_of(terms.begin(), terms.end(), [](const Term& term) { return term.pool > 0; });
    for (const Term& term : terms) bars.chart.bars.push_back(bar_of(report, term, several));
    return bars;
}

std::string speed_remark(const std::optional<double>& rate, double target) {
    return rate ? speed(*rate, target) + " tok/s" : "";
}

// Seconds far beyond the target would push it to the edge: bars end at 8 times the target, or at the third longest
// of them if that is longer.
std::optional<double> cap_of(const Bars& bars) {
    constexpr double kMost = 8.0;
    std::vector<double> values;
    for (const ChartBar& bar : bars.chart.bars) values.push_back(bar.value.value_or(0.0));
    values.push_back(bars.sum ? bars.sum->value.value_or(0.0) : 0.0);
    std::sort(values.rbegin(), values.rend());
    if (values.size() < 3) return std::nullopt;
    return std::max(kMost * *bars.chart.target, values[2]);
}

// --- decode -----------------------------------------------------------------------------------------------------

Bars step_bars(const Report& report) {
    const Decode& d = report.estimate.decode;
    const Scenario& s = report.loaded.value.scenario;
    Bars bars = bars_of(report, d.terms, "step", "Time of a decode step by what it is spent on");
    bars.chart.description =
        d.step ? fmt::format("The step takes {}.", print_short(*d.step)) : "The step's time is unknown.";
    const Seconds allowed = step_allowed(s);
    bars.chart.target = allowed.value;
    bars.chart.target_label = fmt::format("{} allowed for {} tok/s", print_short(allowed), count(s.target_decode));
    if (d.step)
        bars.sum = {"step", print_short(*d.step), speed_remark(d.tokens_per_second, s.target_decode), d.step->value};
    bars.chart.cap = cap_of(bars);
    return bars;
}

void add_reading(const Decode& d, DocumentSection& section) {
    if (d.expert_bytes_per_token && d.missed_bytes_per_token && d.miss_fraction &&
        d.expert_bytes_per_token->value > 0.0) {
        section.add(line_of(fmt::format("a token reads {} of experts, {} of them ({}) not from memory",
                                        print_short(*d.expert_bytes_per_token), print_short(*d.missed_bytes_per_token),
                                        percent(*d.miss_fraction))));
    }
    if (!d.storage_rate) return;
    section.add(line_of(fmt::format("the drive reads at {} with {} reads in flight", print_short(*d.storage_rate),
                                    significant(d.reads_in_flight, 3))));
    if (!d.missed_bytes_per_layer || !d.storage_per_layer || !d.resident_per_layer) return;
    section.add(line_of(fmt::format("per layer {} are missing: {} of reading against {} of the resident pass",
                                    print_short(*d.missed_bytes_per_layer), print_short(*d.storage_per_layer),
                                    print_short(*d.resident_per_layer))));
}

void add_decode(const Report& report, Document& document) {
    const Decode& d = report.estimate.decode;
    const double positions = report.loaded.value.scenario.positions;
    if (d.terms.size == 0) return;
    DocumentSection& section = document.add(
        positions > 1.0 ? fmt::format("decode, one step of {} positions", count(positions)) : "decode, one token");
    section.add(step_bars(report));
    add_reading(d, section);
}

// --- prefill ----------------------------------------------------------------------------------------------------

void add_chunk(const Report& report, DocumentSection& section) {
    const Prefill& p = report.estimate.prefill;
    const Scenario& s = report.loaded.value.scenario;
    const PrefillTerms terms = prefill_terms(p);
    Bars bars = bars_of(report, terms.chunk, "chunk", "Time of a prefill chunk by what it is spent on");
    if (!terms.tail.empty()) {
        section.add(std::move(bars));
        const double tail = static_cast<double>(report.loaded.value.model.prefill_tail_tokens);
        section.add(line_of(fmt::format("the last {} tokens through the layers that only decode runs:",
                                        count(std::min(tail, s.prompt)))));
        bars = bars_of(report, terms.tail, "tail", "Time of the prompt's end by what it is spent on");
    }
    if (p.total)
        bars.sum = {p.chunks > 1.0 ? fmt::format("prompt of {} chunks", count(p.chunks)) : "prompt",
                    print_short(*p.total), speed_remark(p.tokens_per_second, s.target_prefill)};
    section.add(std::move(bars));
}

void add_prefill(const Report& report, Document& document) {
    const Prefill& p = report.estimate.prefill;
    if (p.terms.size == 0) return;
    DocumentSection& section =
        document.add(fmt::format("prefill, {}chunk of {} tokens (arithmetic and memory at the same time)",
                                 p.chunks > 1.0 ? "first " : "one ", count(p.chunk_tokens)));
    add_chunk(report, section);
    if (p.read_bytes_per_chunk && p.read_bytes_per_chunk->value > 0.0 && p.storage_limit) {
        section.add(line_of(fmt::format("a chunk reads {} from storage: at most {} tok/s by reading alone",
                                        print_short(*p.read_bytes_per_chunk), speed(*p.storage_limit))));
    }
    if (p.time_to_first_token) section.add(line_of("time to first token " + print_short(*p.time_to_first_token)));
}

} // namespace

void add_times(const Report& report, Document& document) {
    add_decode(report, document);
    add_prefill(report, document);
}

} // namespace spillway
