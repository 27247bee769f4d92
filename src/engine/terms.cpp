#include "engine/terms.h"

#include "engine/placement.h"

#include <algorithm>

namespace spillway {

namespace {

using Operand = std::optional<double>;

template <int B, int S, int F>
Operand number(std::optional<Quantity<B, S, F>> quantity) {
    return quantity ? Operand(quantity->value) : std::nullopt;
}

struct Operands {
    Operand a, b = 1.0, c = 1.0, d = 1.0;
};

Term made(TermId id, Form form, int pool, const Operands& o) {
    Term term{id, form, o.a.value_or(0.0), o.b.value_or(0.0), o.c.value_or(0.0), o.d.value_or(0.0), pool, std::nullopt};
    if (o.a && o.b && o.c && o.d) term.seconds = seconds_of(form, *o.a, *o.b, *o.c, *o.d);
    return term;
}

bool is_nothing(const Term& term) {
    switch (term.form) {
    case Form::ratio:
    case Form::negative: return term.a == 0.0;
    case Form::scaling: return term.b == 1.0;
    case Form::product: return term.a == 0.0 || (term.b == 0.0 && term.seconds);
    case Form::given:
    case Form::work: return false;
    }
    return false;
}

} // namespace

Seconds seconds_of(Form form, double a, double b, double c, double d) {
    switch (form) {
    case Form::given: return Seconds(a);
    case Form::ratio: return Seconds(a * d / (b * c));
    case Form::product: return Seconds(a * b);
    case Form::work: return Seconds((2.0 * a * b + c) / d);
    case Form::negative: return Seconds(-a);
    case Form::scaling: return Seconds(a * (1.0 / b - 1.0));
    }
    return Seconds(0.0);
}

Term given_time(TermId id, int pool, Seconds time) { return made(id, Form::given, pool, {time.value}); }

Term transfer_time(TermId id, int pool, const Transfer& t) {
    return made(id, Form::ratio, pool, {t.bytes.value, number(t.rate), t.share, t.factor});
}

Term repeated_time(TermId id, int pool, double count, std::optional<Seconds> each) {
    return made(id, Form::product, pool, {count, number(each)});
}

Term work_time(TermId id, const Work& w) {
    return made(id, Form::work, 0, {w.params, w.tokens, w.attention.value, number(w.rate)});
}

Term hidden_time(Seconds time) { return made(TermId::hidden, Form::negative, kOnStorage, {time.value}); }

Term calibration_time(Seconds time, double factor) {
    return made(TermId::calibration, Form::scaling, 0, {time.value, factor});
}

void add(Terms& terms, const Term& term) {
    if (!is_nothing(term)) terms.add(term);
}

std::optional<Seconds> total(const Terms& terms, Limit limit) {
    return total(terms, [limit](TermId id) { return !is_correction(id) && info_of(id).limit == limit; });
}

Limit largest_limit(const Terms& terms) {
    std::array<double, kLimits> seconds{};
    for (const Term& term : terms) {
        if (is_correction(term.id) || !term.seconds) continue;
        seconds[static_cast<std::size_t>(info_of(term.id).limit)] += term.seconds->value;
    }
    const auto largest = std::max_element(seconds.begin(), seconds.end());
    return static_cast<Limit>(largest - seconds.begin());
}

} // namespace spillway
