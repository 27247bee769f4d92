// The bits per weight that a name given to -q stands for: a quantization of the model's manifest, a weight format laid
// over the native one, or a bare number of bits.
#pragma once

#include "io/files.h"
#include "io/problem.h"
#include "io/provenance.h"

#include <optional>
#include <string>
#include <vector>

namespace spillway {

struct ChosenQuantization {
    Quantization quantization;
    Sources sources; // "quantization", "quantization.experts"
};

// Looks in this order: names of the manifest; names of `formats` (null: the catalogue has none); a number from 0.5 to
// 64. A format for experts and a number replace the experts' bits, or those of the backbone in a model without
// experts; a format for all parts replaces all but the lookup tables. `model_sources` are those of the model, with
// paths from "model".
std::optional<ChosenQuantization> choose_quantization(const Model& model, const Sources& model_sources,
                                                      const FormatsFile* formats, const std::string& name,
                                                      Problems& problems);

} // namespace spillway
