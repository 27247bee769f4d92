// Bits per weight of each part such that model_bytes() gives the bytes of the tensors.
#pragma once

#include "checkpoint/classify.h"
#include "checkpoint/config.h"

namespace spillway {

// From tensors. Norms, biases and scales are bytes of the part they belong to, but not weights of its shapes: the bits
// carry them. Layers that differ in width are averaged, so that sums are exact and single layers need not be.
Quantization measured_quantization(const Model& model, const Classified& seen);

// From what a configuration says of its format, without tensors.
Quantization declared_quantization(const Model& model, const Packing& packing);

} // namespace spillway
