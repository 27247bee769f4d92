// Arithmetic of attention in a prefill chunk. In: the attention of a layer, the chunk's place in the prompt. Out:
// FLOPs. See docs/physics.md 8.2.
#pragma once

#include "inputs/model.h"

namespace spillway {

// Tokens that a query at mean position `seen` attends to.
double attended(const Attention& attention, double seen);

// Scores and weighted sums of `tokens` queries behind `before` others, in one layer:
// 2 x heads x (key width + value width) x tokens x attended, which is 4 x heads x head dim where both are equal.
Flops attention_flops(const Attention& attention, double tokens, double before);

} // namespace spillway
