#include "checkpoint/unpack.h"

#include <array>

namespace spillway {

namespace {

constexpr double kWordBits = 32.0;

bool is_packed_type(std::string_view type) {
    return type == "U8" || type == "I8" || type == "U32" || type == "I32" || type == "I16";
}

// Ends of names of packed weights; what precedes is the module's path.
constexpr std::array<std::string_view, 6> kWeightEnds = {".weight", ".qweight",          ".weight_packed",
                                                         "_blocks", ".weight_quantized", ".trellis"};

std::string_view module_of(std::string_view name) {
    for (const std::string_view end : kWeightEnds) {
        if (name.ends_with(end)) return name.substr(0, name.size() - end.size());
    }
    return {};
}

double last(const Tensor& tensor) { return tensor.shape.empty() ? 0.0 : static_cast<double>(tensor.shape.back()); }
double stored(const Tensor& tensor) { return static_cast<double>(tensor.elements); }

} // namespace

Unpacker::Unpacker(const Checkpoint& checkpoint, const Packing& packing) : checkpoint_(checkpoint), packing_(packing) {
    if (checkpoint.form != CheckpointForm::safetensors) return;
    for (const Tensor& t : checkpoint.tensors) packs_ = packs_ || is_packed_type(t.type);
    if (!packs_) return;
    constexpr std::array<std::string_view, 3> ends = {".scale", ".scales", ".weight_scale"};
    for (const Tensor& t : checkpoint.tensors) {
        const std::string_view name = t.name;
        for (const std::string_view end : ends) {
            if (name.ends_with(end)) scales_.emplace(name, &t);
        }
    }
}

const Tensor* Unpacker::scale_of(std::string_view base, std::initializer_list<std::string_view> ends) const {
    for (const std::string_view end : ends) {
        const auto found = scales_.find(std::string(base) + std::string(end));
        if (found != scales_.end()) return found->second;
    }
    return nullptr;
}

// 32-bit words: MLX, GPTQ, AWQ, compressed-tensors. The scales say how wide a row is, which beats what the
// configuration calls the format.
double Unpacker::packed_words(const Tensor& tensor, std::string_view module, Problems& warnings) {
    if (tensor.name.ends_with(".weight_packed")) {
        const Tensor* const scale = scale_of(module, {".weight_scale"});
        if (scale != nullptr && packing_.group > 0.0 && last(*scale) > 0.0 && last(tensor) > 0.0) {
            return stored(tensor) / last(tensor) * last(*scale) * packing_.group;
        }
    }
    const std::optional<double> bits = packing_.bits_of(module);
    if (bits && *bits >= 1.0) return stored(tensor) * kWordBits / *bits;
    if (!warned_) {
        warnings.push_back({checkpoint_.files.empty() ? "" : checkpoint_.files.front().string(), "", tensor.name,
                            "quantization in config.json",
                            "packs weights, but nothing says how many: counted as stored"});
        warned_ = true;
    }
    return stored(tensor);
}

// Bytes: two 4-bit weights, or one of 8 bits. One scale per 16 or 32 weights (8 or 16 bytes) means 4 bits.
double Unpacker::packed_bytes(const Tensor& tensor, std::string_view module) const {
    if (tensor.type == "U8")
        return packing_.bits_of(module).value_or(4.0) == 8.0 && packing_.label == "bitsandbytes" ? stored(tensor)
                                                                                                 : 2.0 * stored(tensor);
    const Tensor* const scale = scale_of(module, {".scale", ".weight_scale", ".scales"});
    if (scale == nullptr || last(*scale) <= 0.0 || scale->type == "BF16" || scale->type == "F16" ||
        scale->type == "F32")
        return stored(tensor);
    const double bytes_per_scale = last(tensor) / last(*scale);
    return bytes_per_scale == 8.0 || bytes_per_scale == 16.0 ? 2.0 * stored(tensor) : stored(tensor);
}

double Unpacker::weights(const Tensor& tensor, Problems& warnings) {
    if (!packs_ || !is_packed_type(tensor.type)) return stored(tensor);
    const std::string_view module = module_of(tensor.name);
    if (module.empty()) return stored(tensor); // tables of indices and the like
    if (tensor.type == "U32" || tensor.type == "I32") return packed_words(tensor, module, warnings);
    if (tensor.type == "I16") { // EXL3: 16 x 16 tiles of 16 x bits words each
        return tensor.name.ends_with(".trellis") && tensor.shape.size() == 3
                   ? static_cast<double>(tensor.shape[0] * tensor.shape[1]) * 256.0
                   : stored(tensor);
    }
    return packed_bytes(tensor, module);
}

} // namespace spillway
