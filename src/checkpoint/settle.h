// Makes one model of what a configuration declares and what tensors show. Where they differ in something that a shape
// proves, the tensors count and the difference is a warning.
#pragma once

#include "checkpoint/classify.h"
#include "checkpoint/config.h"

namespace spillway {

// Corrects `declared` by the tensors. Conflicting spellings become warnings where a shape decides between them.
void settle(Declared& declared, const Classified& seen, Problems& warnings);

// Raises the conflicting spellings that no tensor can settle: for a configuration without tensors, all of them.
void raise_conflicts(const Declared& declared, Problems& problems);

// Like layers as one block each, in the order of their first layer.
std::vector<Block> group_layers(const std::vector<Block>& layers);

// The model, but for its quantizations. `seen` is null for a configuration without tensors.
Model build_model(const Declared& declared, const Classified* seen);

} // namespace spillway
