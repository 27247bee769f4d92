#include "engine/kv.h"

#include "engine/params.h"

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

double window_cells(const Attention& attention, const Scenario& s, double context) {
    const double batch = s.runtime.kv_window_holds_batch ? s.runtime.micro_batch : 0.0;
    const double multiple = s.runtime.kv_cell_multiple;
    const double cells = std::ceil((static_cast<double>(attention.window) + batch) / multiple) * multiple;
    return std::min(context, cells);
}

Bytes kv_of(const std::vector<Block>& blocks, const Scenario& s, double context) {
    Bytes total;
    for (const Block& block : blocks) {
        if (block.attention) total += layer_count(block) * kv_layer_bytes(*block.attention, s, context);
    }
    return total;
}

} // namespace

Bytes kv_layer_bytes(const Attention& a, const Scenario& s, double context) {
    const double elements = kv_elements_per_token(a) * context + kv_window_elements(a) * window_cells(a, s, context);
    // Drafts can be rolled back only from copies of the state (docs/physics.md 2.5).
    const Bytes state = s.positions * state_bytes(a);
    return s.sequences * (Bytes(elements * kv_bytes_per_element(s.kv_format)) + state);
}

Bytes kv_cache_bytes(const Model& model, const Scenario& s, double context) {
    Bytes total = kv_of(model.blocks, s, context);
    if (model.drafter && s.positions > 1.0) total += kv_of(model.drafter->blocks, s, context);
    return total;
}

} // namespace spillway
