#include "engine/attention.h"

#include <algorithm>

namespace spillway {

namespace {

double window_of(const Attention& a, double seen) { return std::min(static_cast<double>(a.window), seen); }
double picked_of(const Attention& a, double seen) {
    return a.index ? std::min(static_cast<double>(a.index->topk), seen) : seen;
}

} // namespace

double attended(const Attention& a, double seen) {
    switch (a.kind) {
    case AttentionKind::gqa:
    case AttentionKind::mla:
    case AttentionKind::dsa: return picked_of(a, seen);
    case AttentionKind::swa:
    case AttentionKind::chunked: return window_of(a, seen);
    case AttentionKind::csa:
        if (a.compress_ratio == 0) return window_of(a, seen);
        return window_of(a, seen) + picked_of(a, seen / static_cast<double>(a.compress_ratio));
    case AttentionKind::linear: return 0.0;
    }
    return seen;
}

Flops attention_flops(const Attention& a, double tokens, double before) {
    const bool latent = a.kind == AttentionKind::mla || a.kind == AttentionKind::dsa;
    const double key = static_cast<double>(a.head_dim_k + (latent ? a.rope_dim : 0));
    const double width = static_cast<double>(a.heads) * (key + static_cast<double>(a.head_dim_v));
    return Flops(2.0 * width * tokens * attended(a, before + tokens / 2.0));
}

} // namespace spillway
