// Sums over the named terms of a step.
#pragma once

#include "engine/estimate.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>

namespace spillway::test {

// Seconds of the terms with one of these names, of one pool if it is given. Unknown seconds throw.
inline double seconds(const Terms& terms, std::initializer_list<TermId> ids, std::optional<int> pool = {}) {
    double sum = 0.0;
    for (const Term& term : terms) {
        const bool named = std::find(ids.begin(), ids.end(), term.id) != ids.end();
        if (named && (!pool || *pool == term.pool)) sum += term.seconds.value().value;
    }
    return sum;
}
inline double seconds(const Terms& terms, TermId id, std::optional<int> pool = {}) {
    return seconds(terms, {id}, pool);
}

inline double sum(const Terms& terms) {
    double all = 0.0;
    for (const Term& term : terms) all += term.seconds.value().value;
    return all;
}

inline const Note* find_note(const Estimate& e, NoteId id) {
    const auto found = std::find_if(e.notes.begin(), e.notes.end(), [id](const Note& note) { return note.id == id; });
    return found == e.notes.end() ? nullptr : found;
}

// Equal but for rounding: 1e-9 of the larger, or `margin`.
inline bool same(double a, double b, double margin = 1e-15) {
    return std::abs(a - b) <= margin + 1e-9 * std::max(std::abs(a), std::abs(b));
}

} // namespace spillway::test
