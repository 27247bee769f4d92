#include "checkpoint/quantize.h"

#include "engine/sizes.h"

#include <cmath>

namespace spillway {

namespace {

constexpr double kLowestBits = 0.5, kHighestBits = 64.0; // model.h

std::optional<double> bits_for(double bytes, double params) {
    return params > 0.0 ? std::optional(8.0 * bytes / params) : std::nullopt;
}

// Parameters of a part, from the one function that charges them: at 8 bits a byte is a parameter.
struct PartParams {
    double rest = 0.0, embedding = 0.0, drafter_experts = 0.0, drafter_rest = 0.0, drafter_copies = 0.0, other = 0.0,
           tables = 0.0;
};

double value_of(const std::optional<Bytes>& bytes) { return bytes ? bytes->value : 0.0; }

PartParams part_params(const Model& model) {
    Quantization q;
    q.experts = q.rest = q.embedding = q.other = q.tables = 8.0;
    const ModelBytes all = model_bytes(model, q);
    PartParams params{.rest = value_of(all.layers) + value_of(all.outside),
                      .embedding = value_of(all.table) + value_of(all.head),
                      .other = value_of(all.other),
                      .tables = value_of(all.tables)};
    const auto drafter_at = [&](double experts, double rest, double embedding) {
        Quantization only = q;
        only.drafter_experts = experts;
        only.drafter_rest = rest;
        only.embedding = embedding;
        return value_of(model_bytes(model, only).drafter);
    };
    params.drafter_experts = drafter_at(8.0, 0.0, 0.0);
    params.drafter_rest = drafter_at(0.0, 8.0, 0.0);
    params.drafter_copies = drafter_at(0.0, 0.0, 8.0);
    return params;
}

bool is_other(TensorPart c) { return c == TensorPart::vision || c == TensorPart::audio || c == TensorPart::unmatched; }

// Bytes of every backbone part that `rest` stands for.
double rest_bytes(const Classified& seen) {
    double bytes = 0.0;
    for (std::size_t i = 0; i < kTensorParts; ++i) {
        const auto c = static_cast<TensorPart>(i);
        const bool elsewhere =
            c == TensorPart::experts || c == TensorPart::embedding || c == TensorPart::head || c == TensorPart::table;
        if (!elsewhere && !is_other(c)) bytes += seen.backbone[i].bytes;
    }
    return bytes;
}

double drafter_bytes_but_experts(const Classified& seen) {
    double bytes = 0.0;
    for (std::size_t i = 0; i < kTensorParts; ++i) {
        const auto c = static_cast<TensorPart>(i);
        if (c != TensorPart::experts && c != TensorPart::table && !is_other(c)) bytes += seen.drafter[i].bytes;
    }
    return bytes;
}

double other_bytes(const Classified& seen) {
    double bytes = 0.0;
    for (std::size_t i = 0; i < kTensorParts; ++i) {
        if (is_other(static_cast<TensorPart>(i))) bytes += seen.backbone[i].bytes + seen.drafter[i].bytes;
    }
    return bytes;
}

void set_expert_bits(const Classified& seen, Quantization& q) {
    const auto upper = bits_for(seen.expert_rest.bytes, seen.expert_rest.matrices);
    const auto down = bits_for(seen.expert_down.bytes, seen.expert_down.matrices);
    constexpr double same = 1e-9;
    if (upper && down && std::abs(*upper - *down) > same) {
        q.experts = upper;
        q.experts_down = down;
    } else {
        q.experts = bits_for(seen.expert_rest.bytes + seen.expert_down.bytes,
                             seen.expert_rest.matrices + seen.expert_down.matrices);
    }
}

} // namespace

Quantization measured_quantization(const Model& model, const Classified& seen) {
    const PartParams params = part_params(model);
    Quantization q;
    q.rest = bits_for(rest_bytes(seen), params.rest);
    q.embedding = bits_for(seen.of(TensorPart::embedding).bytes + seen.of(TensorPart::head).bytes, params.embedding);
    set_expert_bits(seen, q);
    if (!q.experts) q.experts = q.rest; // a dense model: nothing is read with it
    if (model.drafter) {
        q.drafter_experts = bits_for(seen.drafter_of(TensorPart::experts).bytes, params.drafter_experts);
        // Copies are charged at the embedding's bits; what they differ by goes to the rest, so that the sum holds.
        const double copies = params.drafter_copies * q.embedding.value_or(0.0) / 8.0;
        const auto rest = bits_for(drafter_bytes_but_experts(seen) - copies, params.drafter_rest);
        if (rest && *rest >= kLowestBits && *rest <= kHighestBits) q.drafter_rest = rest;
    }
    q.other = bits_for(other_bytes(seen), params.other);
    q.tables = bits_for(seen.of(TensorPart::table).bytes + seen.drafter_of(TensorPart::table).bytes, params.tables);
    q.note = "bytes of the tensors per part; norms, biases and scales are in the bits, differing layers are averaged";
    return q;
}

Quantization declared_quantization(const Model& model, const Packing& packing) {
    Quantization q;
    const double stored = packing.stored_bits;
    q.rest = packing.experts_only ? stored : packing.bits.value_or(stored);
    q.experts = packing.expert_bits ? packing.expert_bits : packing.bits.value_or(stored);
    q.embedding = stored;
    if (!model.other_parts.empty()) q.other = stored;
    if (!packing.label.empty() && !packing.bits) { // a format without a known width
        q.rest.reset();
        q.experts.reset();
    }
    q.note = packing.label.empty() ? "as config.json states the type of weights"
                                   : "as config.json names the format: " + packing.label;
    return q;
}

} // namespace spillway
