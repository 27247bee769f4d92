#include "report/expression.h"

#include "report/names.h"
#include "report/page.h"
#include "report/views.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace spillway {

namespace {

using Lines = std::vector<ExplainLine>;

std::optional<double> seconds(const std::optional<Seconds>& time) {
    return time ? std::optional(time->value) : std::nullopt;
}

std::string time_text(const std::optional<Seconds>& time) { return number(seconds(time), "s"); }

std::string operand(const Operand& o) { return number(o.known ? std::optional(o.value) : std::nullopt, o.unit); }

ExplainLine term_line(const Report& report, std::string_view phase, const Term& term) {
    const std::string place = printable(term_place(report.loaded.value.machine, term));
    return {fmt::format("{}/{}[{}]", phase, name_of(term.id), place), expression_of(term), seconds(term.seconds), "s"};
}

Limit limit_of(const Term& term) { return info_of(term.id).limit; }

std::vector<std::string> times_of(const Terms& terms, bool resident) {
    std::vector<std::string> list;
    for (const Term& term : terms) {
        if (!is_correction(term.id) && (limit_of(term) != Limit::storage) == resident)
            list.push_back(time_text(term.seconds));
    }
    return list;
}

// The parts of a prefill pass, as expressions.
struct Pass {
    std::vector<std::string> arithmetic, memory, link, read;
};

Pass pass_of(const std::vector<Term>& terms) {
    Pass pass;
    for (const Term& term : terms) {
        if (is_correction(term.id)) continue;
        const Limit limit = limit_of(term);
        auto& list = limit == Limit::storage   ? pass.read
                     : limit == Limit::link    ? pass.link
                     : limit == Limit::compute ? pass.arithmetic
                                               : pass.memory;
        list.push_back(time_text(term.seconds));
    }
    return pass;
}

std::string busy_of(const Pass& pass) {
    const std::string arithmetic = sum_of(pass.arithmetic);
    return pass.memory.empty() ? arithmetic : fmt::format("max({}, {})", arithmetic, sum_of(pass.memory));
}

std::string total_of(const Pass& pass, double overlap) {
    const std::string busy = busy_of(pass);
    if (pass.link.empty() && pass.read.empty()) return busy;
    std::vector<std::string> both = pass.link;
    both.insert(both.end(), pass.read.begin(), pass.read.end());
    const std::string moved = both.size() == 1 ? both.front() : '(' + sum_of(both) + ')';
    if (overlap <= 0.0) return busy + " + " + moved;
    return fmt::format("{} + {} - {} x min({}, {})", busy, moved, number(overlap), busy, moved);
}

void add_speeds(const Report& report, Lines& lines) {
    const Scenario& s = report.loaded.value.scenario;
    const Decode& d = report.estimate.decode;
    if (!d.tokens_per_second) return;
    lines.push_back({"decode/tokens_per_second", number(s.accepted) + " / " + time_text(d.step), *d.tokens_per_second,
                     "tok/s", true});
    if (s.sequences <= 1.0) return;
    lines.push_back({"decode/tokens_per_second_total",
                     number(s.sequences) + " x " + number(*d.tokens_per_second, "tok/s"), d.tokens_per_second_total,
                     "tok/s", true});
}

} // namespace

std::string number(std::optional<double> value, std::string_view unit) {
    const std::string digits = value ? fmt::format("{}", *value) : "unknown";
    return unit.empty() ? digits : fmt::format("{} {}", digits, unit);
}

std::string sum_of(const std::vector<std::string>& summands) {
    return summands.empty() ? "0" : fmt::format("{}", fmt::join(summands, " + "));
}

std::string expression_of(const Term& term) {
    const std::vector<Operand> o = operands_of(term);
    switch (term.form) {
    case Form::given: return operand(o[0]);
    case Form::ratio: {
        const std::string moved = term.d != 1.0 ? fmt::format("{} x {}", operand(o[0]), number(term.d)) : operand(o[0]);
        const bool shared = term.c != 1.0;
        if (!shared) return fmt::format("{} / {}", moved, operand(o[1]));
        return fmt::format("{} / ({} x {})", moved, operand(o[1]), operand(o[2]));
    }
    case Form::product: return fmt::format("{} x {}", operand(o[0]), operand(o[1]));
    case Form::work:
        return fmt::format("(2 x {} x {} + {}) / {}", operand(o[0]), operand(o[1]), operand(o[2]), operand(o[3]));
    case Form::negative: return fmt::format("-{}", operand(o[0]));
    case Form::scaling: return fmt::format("{} x (1 / {} - 1)", operand(o[0]), operand(o[1]));
    }
    return {};
}

void add_decode_lines(const Report& report, Lines& lines) {
    const Decode& d = report.estimate.decode;
    if (d.terms.size == 0) return;
    std::string hidden;
    for (const Term& term : d.terms) {
        lines.push_back(term_line(report, "decode", term));
        if (term.id == TermId::hidden) hidden = " - " + number(term.a, "s");
        if (term.id == TermId::calibration && term.seconds) {
            const double more = term.seconds->value;
            hidden += (more < 0.0 ? " - " : " + ") + number(std::abs(more), "s");
        }
    }
    lines.push_back({"decode/resident_seconds", sum_of(times_of(d.terms, true)), seconds(d.resident), "s", true});
    lines.push_back({"decode/storage_seconds", sum_of(times_of(d.terms, false)), seconds(d.storage), "s", true});
    lines.push_back({"decode/seconds_per_step", time_text(d.resident) + " + " + time_text(d.storage) + hidden,
                     seconds(d.step), "s", true});
    add_speeds(report, lines);
}

void add_prefill_lines(const Report& report, Lines& lines) {
    const Prefill& p = report.estimate.prefill;
    const Scenario& s = report.loaded.value.scenario;
    if (p.terms.size == 0) return;
    const PrefillTerms terms = prefill_terms(p);
    for (const Term& term : terms.chunk) lines.push_back(term_line(report, "prefill", term));
    for (const Term& term : terms.tail) lines.push_back(term_line(report, "prefill/tail", term));
    const Pass chunk = pass_of(terms.chunk);
    lines.push_back({"prefill/compute_seconds_per_chunk", busy_of(chunk), seconds(p.compute_per_chunk), "s", true});
    lines.push_back({"prefill/storage_seconds_per_chunk", sum_of(chunk.read), seconds(p.storage_per_chunk), "s", true});
    std::string total = total_of(chunk, s.runtime.overlap_prefill);
    if (!terms.tail.empty()) total += " + " + total_of(pass_of(terms.tail), s.runtime.overlap_prefill);
    if (s.calibration_prefill) total = fmt::format("({}) / {}", total, number(*s.calibration_prefill));
    // The chunks after the first are not listed one by one, so their sum has no expression.
    lines.push_back(
        {"prefill/total_seconds", p.chunks <= 1.0 ? total : time_text(p.total), seconds(p.total), "s", true});
    if (p.tokens_per_second) {
        lines.push_back({"prefill/tokens_per_second", number(s.prompt) + " / " + time_text(p.total),
                         *p.tokens_per_second, "tok/s", true});
    }
    if (p.time_to_first_token) {
        lines.push_back({"prefill/time_to_first_token_seconds",
                         time_text(p.total) + " + " + time_text(report.estimate.decode.step),
                         p.time_to_first_token->value, "s", true});
    }
}

} // namespace spillway
