// Classes of weight formats that share their kernels, so that what was measured with one says something about another
// of its class, and nothing about the next class. The only place that defines them. In: a quantization as chosen, by
// its name and, where the name says nothing, its width.
#pragma once

#include "inputs/model.h"

#include <array>
#include <string_view>

namespace spillway {

// f16: 16 bits and more; q8: 8-bit integers; fp8, fp4: small floats with shared scales; k_quant, q4_0 (with q4_1, q5_0,
// q5_1), i_quant: families of the GGUF format; grouped: integers with one scale per group (MLX, AWQ, GPTQ). Widths
// without a family are classed by their size.
enum class FormatClass { f16, q8, fp8, fp4, k_quant, q4_0, i_quant, grouped, near_6_bits, near_4_bits, near_2_bits };
template <>
struct EnumNames<FormatClass> {
    static constexpr std::array<std::string_view, 11> names = {"f16",         "q8",          "fp8",        "fp4",
                                                               "k-quant",     "q4_0",        "i-quant",    "grouped",
                                                               "near-6-bits", "near-4-bits", "near-2-bits"};
};

// Of the weights that most of a token's bytes are: experts where a model has them.
FormatClass format_class(const Quantization& quantization, bool experts);

} // namespace spillway
