#include "engine/prefill.h"

#include "engine/chunk_sums.h"

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

// Arithmetic and memory run side by side; which of them was longer the listed terms say.
Limit limit_of(const PromptSums& sums, const Terms& terms) {
    if (sums.storage >= sums.compute && sums.storage >= sums.link) return Limit::storage;
    if (sums.link >= sums.compute) return Limit::link;
    double arithmetic = 0.0, memory = 0.0;
    for (const Term& term : terms) {
        if (!term.seconds) continue;
        if (info_of(term.id).limit == Limit::compute) arithmetic += term.seconds->value;
        if (info_of(term.id).limit == Limit::memory) memory += term.seconds->value;
    }
    return arithmetic >= memory ? Limit::compute : Limit::memory;
}

bool has_tail(const Case& c) {
    return c.model.prefill_tail_tokens > 0 && !c.scenario.prefill_all_layers &&
           std::any_of(c.model.blocks.begin(), c.model.blocks.end(),
                       [](const Block& b) { return b.phases == Phases::decode; });
}

// A chunk whose terms nobody asks for.
ChunkTime chunk_time(const PlacedCase& placed, const Chunk& chunk) {
    Terms unlisted;
    return ChunkPrice(placed, chunk, unlisted).time(chunk.before);
}

void add_tail(const PlacedCase& placed, Prefill& prefill, PromptSums& sums) {
    const double prompt = placed.c.scenario.prompt;
    const double tokens = std::min(static_cast<double>(placed.c.model.prefill_tail_tokens), prompt);
    const double before = placed.c.scenario.depth + prompt - tokens;
    sums.add(ChunkPrice(placed, {tokens, before, true}, prefill.terms).time(before));
}

} // namespace

Prefill prefill_timing(const PlacedCase& placed) {
    Prefill prefill;
    const Scenario& s = placed.c.scenario;
    const double size = std::min(chunk_tokens(s), s.prompt);
    prefill.chunk_tokens = size;
    prefill.chunks = std::ceil(s.prompt / size);
    const double whole = std::floor(s.prompt / size);
    PromptSums sums;
    const ChunkPrice chunk(placed, {size, s.depth}, prefill.terms);
    const ChunkTime first = chunk.time(s.depth);
    if (s.calibration_prefill && first.total)
        add(prefill.terms, calibration_time(*first.total, *s.calibration_prefill));
    prefill.compute_per_chunk = first.compute;
    prefill.storage_per_chunk = first.read;
    prefill.read_bytes_per_chunk = chunk.read_bytes();
    add_chunks(chunk, {s.depth, size, static_cast<std::int64_t>(whole)}, sums);
    const double rest = s.prompt - whole * size;
    if (rest > 0.0) sums.add(chunk_time(placed, {rest, s.depth + whole * size}));
    if (has_tail(placed.c)) add_tail(placed, prefill, sums);
    prefill.total = sums.total;
    if (s.calibration_prefill && prefill.total) {
        *prefill.total += *calibration_time(*prefill.total, *s.calibration_prefill).seconds;
    }
    if (sums.read && sums.read->value > 0.0) prefill.storage_limit = s.prompt / sums.read->value;
    if (prefill.total && prefill.total->value > 0.0) {
        prefill.tokens_per_second = s.prompt / prefill.total->value;
        prefill.limit = limit_of(sums, prefill.terms);
    }
    return prefill;
}

} // namespace spillway
