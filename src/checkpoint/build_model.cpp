// From settled layers to a Model.
#include "checkpoint/settle.h"

#include "io/write_files.h"

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

// All of a block but its layer numbers, as text that is equal for like layers.
std::string likeness(const Block& block) {
    Block copy = block;
    copy.layers.numbers.clear();
    return write_object(copy).dump();
}

// Stored copies of embedding and head beside a drafter. A model states both or none, and charges them at the width of
// its own embedding: one alone, or copies stored in another width, are counted as other parameters of the drafter.
void add_copies(const Classified& seen, Drafter& drafter) {
    const PartSum &embedding = seen.drafter_of(TensorPart::embedding), &head = seen.drafter_of(TensorPart::head);
    const PartSum &own_embedding = seen.of(TensorPart::embedding), &own_head = seen.of(TensorPart::head);
    const double copies = embedding.matrices + head.matrices, own = own_embedding.matrices + own_head.matrices;
    if (copies < 1.0) return;
    const double width = (embedding.bytes + head.bytes) / copies;
    const double own_width = own > 0.0 ? (own_embedding.bytes + own_head.bytes) / own : 0.0;
    constexpr double same = 1e-3;
    drafter.embedding_copies = embedding.tensors > 0 && head.tensors > 0 && std::abs(width / own_width - 1.0) < same;
    if (drafter.embedding_copies) return;
    drafter.extra_params += static_cast<Count>(std::llround(std::min(copies, kMaxCount)));
    drafter.extra_what += drafter.extra_what.empty() ? "copies of embedding or head" : "; copies of embedding or head";
}

std::optional<Drafter> build_drafter(const Declared& d, const Classified* seen) {
    const bool stored = seen != nullptr && (d.drafter_extra > 0 || seen->drafter_of(TensorPart::embedding).tensors > 0);
    if (d.drafter.empty() && !stored) return std::nullopt;
    Drafter drafter{.kind = d.drafter_kind,
                    .blocks = group_layers(d.drafter),
                    .extra_params = d.drafter_extra,
                    .extra_what = d.drafter_extra > 0 ? d.drafter_extra_what : "",
                    .in_checkpoint = true,
                    .embedding_copies = false,
                    .drafts_block = d.drafts_block};
    if (seen != nullptr) add_copies(*seen, drafter);
    return drafter;
}

void add_other(const Classified& seen, TensorPart c, const char* name, Model& model) {
    const PartSum &backbone = seen.of(c), &drafter = seen.drafter_of(c);
    if (backbone.tensors + drafter.tensors == 0) return;
    // Scales alone have bytes but no weights: one parameter carries them.
    const double weights = std::clamp(backbone.weights + drafter.weights, 1.0, kMaxCount);
    model.other_parts.push_back({name, static_cast<Count>(std::llround(weights))});
}

} // namespace

std::vector<Block> group_layers(const std::vector<Block>& layers) {
    std::vector<Block> groups;
    std::vector<std::string> keys;
    for (const Block& layer : layers) {
        const std::string key = likeness(layer);
        std::size_t at = 0;
        while (at < keys.size() && keys[at] != key) ++at;
        if (at == keys.size()) {
            keys.push_back(key);
            groups.push_back(layer);
            continue;
        }
        groups[at].layers.numbers.insert(groups[at].layers.numbers.end(), layer.layers.numbers.begin(),
                                         layer.layers.numbers.end());
    }
    return groups;
}

Model build_model(const Declared& d, const Classified* seen) {
    Model model = d.model;
    // Not said by the configuration alone: every model of today that leaves it out has a head of its own.
    model.tied_embedding = d.tied.value_or(false);
    model.blocks = group_layers(d.layers);
    model.drafter = build_drafter(d, seen);
    if (seen != nullptr) {
        add_other(*seen, TensorPart::vision, "vision", model);
        add_other(*seen, TensorPart::audio, "audio", model);
        add_other(*seen, TensorPart::unmatched, "unclassified tensors", model);
    } else {
        if (d.vision) model.other_parts.push_back({"vision", std::nullopt});
        if (d.audio) model.other_parts.push_back({"audio", std::nullopt});
    }
    return model;
}

} // namespace spillway
