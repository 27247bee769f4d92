#include "checkpoint/classify.h"

#include <algorithm>

namespace spillway {

namespace {

// Vectors, and biases that are one per expert: model.h counts neither.
bool is_matrix(const Tensor& tensor) {
    const auto wide = std::count_if(tensor.shape.begin(), tensor.shape.end(), [](std::uint64_t n) { return n > 1; });
    return wide >= 2 && tensor.name.find("bias") == std::string::npos;
}

void add(PartSum& sum, double weights, double matrices, double bytes) {
    ++sum.tensors;
    sum.weights += weights;
    sum.matrices += matrices;
    sum.bytes += bytes;
}

class Classifier {
public:
    Classifier(const Checkpoint& checkpoint, const PatternFile& patterns, const Declared& declared, Problems& warnings)
        : checkpoint_(checkpoint), declared_(declared), matcher_(patterns, declared.family),
          unpacker_(checkpoint, declared.packing), warnings_(warnings) {}

    Classified run() {
        for (const Tensor& tensor : checkpoint_.tensors) take(tensor);
        return std::move(result_);
    }

private:
    void take(const Tensor& tensor) {
        NameMatch match = matcher_.match(tensor.name);
        const int layers = static_cast<int>(declared_.layers.size());
        if (match.layer >= layers && layers > 0) {
            result_.beyond = result_.beyond || (!match.drafter && declared_.drafter.empty());
            match.drafter = true;
            match.layer -= layers;
        }
        const double weights = match.scale ? 0.0 : unpacker_.weights(tensor, warnings_);
        const double matrices = !match.scale && is_matrix(tensor) ? weights : 0.0;
        const double bytes = static_cast<double>(tensor.bytes);
        auto& parts = match.drafter ? result_.drafter : result_.backbone;
        add(parts[static_cast<std::size_t>(match.component)], weights, matrices, bytes);
        result_.bytes += bytes;
        if (match.component == TensorPart::unmatched) result_.unmatched.push_back(&tensor);
        if (match.component == TensorPart::experts && !match.drafter) {
            add(match.matrix == Matrix::down ? result_.expert_down : result_.expert_rest, weights, matrices, bytes);
        }
        if (match.scale) return;
        if (match.layer >= 0)
            take_layer(tensor, match, matrices);
        else if (!match.drafter)
            take_outside(tensor, match, weights);
        if (match.component == TensorPart::table && !tensor.shape.empty())
            result_.table_rows += static_cast<double>(tensor.shape.front());
    }

    void take_layer(const Tensor& tensor, const NameMatch& match, double matrices) {
        LayerSeen& layer = (match.drafter ? result_.drafter_layers : result_.layers)[match.layer];
        const auto part = static_cast<std::size_t>(match.component);
        layer.matrices[part] += matrices;
        if (match.matrix == Matrix::down) layer.down[part] += matrices;
        if (match.component != TensorPart::experts) return;
        if (match.expert >= 0)
            layer.experts = std::max<Count>(layer.experts, match.expert + 1);
        else if (tensor.shape.size() >= 3)
            layer.experts = std::max(layer.experts, static_cast<Count>(tensor.shape.front()));
    }

    void take_outside(const Tensor& tensor, const NameMatch& match, double weights) {
        if (match.component != TensorPart::embedding || tensor.shape.size() != 2 || tensor.shape.front() == 0) return;
        result_.embedding_rows = static_cast<Count>(tensor.shape.front());
        result_.embedding_width = static_cast<Count>(weights / static_cast<double>(tensor.shape.front()));
    }

    const Checkpoint& checkpoint_;
    const Declared& declared_;
    NameMatcher matcher_;
    Unpacker unpacker_;
    Problems& warnings_;
    Classified result_;
};

} // namespace

Classified classify(const Checkpoint& checkpoint, const PatternFile& patterns, const Declared& declared,
                    Problems& warnings) {
    return Classifier(checkpoint, patterns, declared, warnings).run();
}

} // namespace spillway
