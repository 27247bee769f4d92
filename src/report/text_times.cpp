#include "report/figures.h"
#include "report/names.h"
#include "report/text_sections.h"
#include "report/views.h"
#include "text/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace spillway {

namespace {

constexpr int kLabelWidth = 36;
constexpr int kAmountWidth = 15;
constexpr int kTimeWidth = 9;
constexpr double kBarLength = 12.0;

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
    case Form::negative: return {};
    }
    return {};
}

bool in_several_pools(const std::vector<Term>& terms) {
    return std::any_of(terms.begin(), terms.end(), [](const Term& term) { return term.pool > 0; });
}

void add_term(const Report& report, const Term& term, bool name_pool, double longest, Page& page) {
    std::string label = "  " + std::string(label_of(term.id));
    if (name_pool && term.pool >= 0) label += ", " + term_place(report.loaded.value.machine, term);
    const std::string time = term.seconds ? print_short(*term.seconds) : "unknown";
    const double share = term.seconds && longest > 0.0 ? std::abs(term.seconds->value) / longest : 0.0;
    const std::string bar(static_cast<std::size_t>(std::lround(kBarLength * share)),
                          term.form == Form::negative ? '-' : '#');
    const std::string figures = right(amount_of(term), kAmountWidth) + right(time, kTimeWidth) + "  " + bar;
    if (columns(label) > kLabelWidth) {
        page.line(label);
        label.clear();
    }
    page.line(left(label, kLabelWidth) + figures);
}

void add_terms(const Report& report, const std::vector<Term>& terms, Page& page) {
    double longest = 0.0;
    for (const Term& term : terms) {
        if (term.seconds) longest = std::max(longest, std::abs(term.seconds->value));
    }
    const bool name_pool = in_several_pools(terms);
    for (const Term& term : terms) add_term(report, term, name_pool, longest, page);
}

void add_sum(std::string_view label, const std::optional<Seconds>& time, const std::string& remark, Page& page) {
    if (!time) return;
    page.line(left(fmt::format("  = {}", label), kLabelWidth + kAmountWidth) + right(print_short(*time), kTimeWidth) +
                  "  " + remark,
              6);
}

void add_reading(const Decode& d, Page& page) {
    if (!d.storage_rate) return;
    page.line(fmt::format("  the drive reads at {} with {} reads in flight", print_short(*d.storage_rate),
                          significant(d.reads_in_flight, 3)));
    if (!d.missed_bytes_per_layer || !d.storage_per_layer || !d.resident_per_layer) return;
    page.line(fmt::format("  per layer {} are missing: {} of reading against {} of the resident pass",
                          print_short(*d.missed_bytes_per_layer), print_short(*d.storage_per_layer),
                          print_short(*d.resident_per_layer)));
}

void add_decode(const Report& report, Page& page) {
    const Decode& d = report.estimate.decode;
    const Scenario& s = report.loaded.value.scenario;
    if (d.terms.size == 0) return;
    page.heading(s.positions > 1.0 ? fmt::format("decode, one step of {} positions", count(s.positions))
                                   : "decode, one token");
    add_terms(report, std::vector<Term>(d.terms.begin(), d.terms.end()), page);
    add_sum("step", d.step, d.tokens_per_second ? speed(*d.tokens_per_second, s.target_decode) + " tok/s" : "", page);
    if (d.expert_bytes_per_token && d.missed_bytes_per_token && d.miss_fraction &&
        d.expert_bytes_per_token->value > 0.0) {
        page.line(fmt::format("  a token reads {} of experts, {} of them ({}) not from memory",
                              print_short(*d.expert_bytes_per_token), print_short(*d.missed_bytes_per_token),
                              percent(*d.miss_fraction)));
    }
    add_reading(d, page);
}

void add_prefill(const Report& report, Page& page) {
    const Prefill& p = report.estimate.prefill;
    if (p.terms.size == 0) return;
    const PrefillTerms terms = prefill_terms(p);
    page.heading(fmt::format("prefill, {}chunk of {} tokens (arithmetic and memory at the same time)",
                             p.chunks > 1.0 ? "first " : "one ", count(p.chunk_tokens)));
    add_terms(report, terms.chunk, page);
    if (!terms.tail.empty()) {
        const double tail = static_cast<double>(report.loaded.value.model.prefill_tail_tokens);
        page.line(fmt::format("  the last {} tokens through the layers that only decode runs:",
                              count(std::min(tail, report.loaded.value.scenario.prompt))));
        add_terms(report, terms.tail, page);
    }
    add_sum(p.chunks > 1.0 ? fmt::format("prompt of {} chunks", count(p.chunks)) : "prompt", p.total,
            p.tokens_per_second ? speed(*p.tokens_per_second, report.loaded.value.scenario.target_prefill) + " tok/s"
                                : "",
            page);
    if (p.read_bytes_per_chunk && p.read_bytes_per_chunk->value > 0.0 && p.storage_limit) {
        page.line(fmt::format("  a chunk reads {} from storage: at most {} tok/s by reading alone",
                              print_short(*p.read_bytes_per_chunk), speed(*p.storage_limit)));
    }
    if (p.time_to_first_token) page.line(fmt::format("  time to first token {}", print_short(*p.time_to_first_token)));
}

} // namespace

void add_times(const Report& report, Page& page) {
    add_decode(report, page);
    add_prefill(report, page);
}

} // namespace spillway
