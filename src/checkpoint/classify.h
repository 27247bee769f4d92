// Sums up a checkpoint's tensors by part of the model and by layer. Every tensor is counted once; what no pattern
// names is a part of its own and listed.
#pragma once

#include "checkpoint/checkpoint.h"
#include "checkpoint/config.h"
#include "checkpoint/unpack.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace spillway {

// Tensors of one part. `matrices` leaves out norms, biases and other vectors, as the shapes of model.h do.
struct PartSum {
    Count tensors = 0;
    double weights = 0.0;
    double matrices = 0.0;
    double bytes = 0.0;
};

// One layer: matrices by part, and what its feed-forward networks look like.
struct LayerSeen {
    std::array<double, kTensorParts> matrices{};
    std::array<double, kTensorParts> down{}; // of those, down projections
    Count experts = 0;                       // routed experts that have tensors
    double of(TensorPart c) const { return matrices[static_cast<std::size_t>(c)]; }
    double down_of(TensorPart c) const { return down[static_cast<std::size_t>(c)]; }
};

struct Classified {
    std::array<PartSum, kTensorParts> backbone{}, drafter{};
    PartSum expert_down, expert_rest;        // routed experts of the backbone
    std::map<int, LayerSeen> layers;         // backbone
    std::map<int, LayerSeen> drafter_layers; // from 0
    Count embedding_rows = 0, embedding_width = 0;
    double table_rows = 0.0;
    std::vector<const Tensor*> unmatched;
    bool beyond = false; // layers beyond the declared ones that no name calls a drafter's
    double bytes = 0.0;

    const PartSum& of(TensorPart c) const { return backbone[static_cast<std::size_t>(c)]; }
    const PartSum& drafter_of(TensorPart c) const { return drafter[static_cast<std::size_t>(c)]; }
};

// `layers`: of the backbone, as declared. What cannot be unpacked is counted as stored, with a warning.
Classified classify(const Checkpoint& checkpoint, const PatternFile& patterns, const Declared& declared,
                    Problems& warnings);

} // namespace spillway
