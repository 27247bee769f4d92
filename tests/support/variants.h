// Cases at random over everything that a case can be: one to three pools and how they are used, prefetch, page cache,
// insertion, drafters, lookup tables, each kind of attention, several sequences, forced values. For rapidcheck
// properties: draws inside rc::check only.
#pragma once

#include "inputs/scenario.h"

namespace spillway::variants {

// A number, a whole number (both ends included), an answer that is true in one of `n` draws.
double real(double low, double high);
int whole(int low, int high);
bool one_in(int n);

Locality any_locality();
Attention any_attention(AttentionKind kind);

// Everything is known, and no part but experts is too large, except that layers may have to move to later pools.
Case any_case();

} // namespace spillway::variants
