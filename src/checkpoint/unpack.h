// How many weights a stored tensor stands for: packed formats hold several in one element, and scales, zero points and
// codebooks hold none. Their bytes belong to the weights they scale.
#pragma once

#include "checkpoint/checkpoint.h"
#include "checkpoint/packing.h"
#include "checkpoint/patterns.h"

#include <string_view>
#include <unordered_map>

namespace spillway {

class Unpacker {
public:
    Unpacker(const Checkpoint& checkpoint, const Packing& packing);

    // Weights of a tensor that is no scale. A packed tensor whose width is stated nowhere counts as stored, with a
    // warning that names its form once.
    double weights(const Tensor& tensor, Problems& warnings);

private:
    const Tensor* scale_of(std::string_view base, std::initializer_list<std::string_view> ends) const;
    double packed_words(const Tensor& tensor, std::string_view module, Problems& warnings);
    double packed_bytes(const Tensor& tensor, std::string_view module) const;

    const Checkpoint& checkpoint_;
    const Packing& packing_;
    bool packs_ = false; // whether any tensor has a type that packs
    bool warned_ = false;
    std::unordered_map<std::string_view, const Tensor*> scales_;
};

} // namespace spillway
