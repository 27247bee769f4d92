// Which part of a model a tensor belongs to, by its name: a table of name patterns per family of models, data in
// models/import/tensor-patterns.json. Nothing here knows a model; a new family is a few lines in that file.
#pragma once

#include "io/catalogue.h"
#include "io/files.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace spillway {

// The parts that an import tells apart. mixer: residual mixers outside attention and experts (hyper-connections);
// latent: projections into the experts' width; drafter: what only a drafter has (its input projection, its heads);
// table_projection: weights that bring a lookup table's rows into the model, read for every token.
enum class TensorPart {
    experts,
    shared,
    router,
    attention,
    indexer,
    dense,
    embedding,
    head,
    norm,
    mixer,
    latent,
    drafter,
    table,
    table_projection,
    vision,
    audio,
    unmatched
};
template <>
struct EnumNames<TensorPart> {
    static constexpr std::array<std::string_view, 17> names = {
        "experts", "shared", "router",  "attention", "indexer",          "dense",  "embedding", "head",     "norm",
        "mixer",   "latent", "drafter", "table",     "table_projection", "vision", "audio",     "unmatched"};
};
inline constexpr std::size_t kTensorParts = EnumNames<TensorPart>::names.size();
constexpr std::string_view tensor_part_name(TensorPart c) {
    return EnumNames<TensorPart>::names[static_cast<std::size_t>(c)];
}

// Which matrix of a feed-forward network; `none` for everything else.
enum class Matrix { none, gate, up, gate_up, down };
template <>
struct EnumNames<Matrix> {
    static constexpr std::array<std::string_view, 5> names = {"none", "gate", "up", "gate_up", "down"};
};

// One pattern. In `name`, '*' stands for any letters, {layer}, {expert} and {n} for a whole number between dots,
// {block} at its start for each of the file's block prefixes.
struct NamePattern {
    std::string name;
    TensorPart component = TensorPart::unmatched;
    Matrix matrix = Matrix::none;
};
template <class Visitor>
void fields(Visitor& visit, NamePattern& p) {
    visit("name", p.name, FieldInfo{"pattern of a tensor's name"});
    visit("component", p.component, FieldInfo{"part of the model"});
    visit("matrix", p.matrix, optional_field("which matrix of a feed-forward network"));
}

// Facts of a family that its configuration leaves to the code, and patterns that hold for it alone.
struct Family {
    std::string name;
    std::vector<std::string> match; // of config.json's model_type or GGUF's general.architecture
    Count full_attention_every = 0; // window or chunk layers between: every n-th layer has full attention
    Count window = 0;               // of those layers, where the configuration does not say
    bool chunked = false;           // their window is a fixed chunk
    Gate gate = Gate::none;         // output gate of full attention
    bool shared_is_ffn = false;     // the dense network of the config runs beside the experts
    bool dense_first_width = false; // intermediate_size is the experts' width, intermediate_size_mlp the dense one's
    bool two_matrices = false;      // feed-forward networks without a gate
    Count mixer_rows = 0;           // rows of one hyper-connection mixer per stream, two mixers per layer
    Count drafter_layers = 0;       // where the configuration does not say: 0, none declared
    std::vector<NamePattern> patterns;
};
template <class Visitor>
void fields(Visitor& visit, Family& f) {
    visit("name", f.name, FieldInfo{"name for people"});
    visit("match", f.match, FieldInfo{"model types, with '*' and '?'"});
    visit("full_attention_every", f.full_attention_every,
          optional_field("every n-th layer has full attention", 0, 1000));
    visit("window", f.window, optional_field("window of the other layers", 0, kMaxCount));
    visit("chunked", f.chunked, optional_field("whether the window is a fixed chunk"));
    visit("gate", f.gate, optional_field("output gate of full attention"));
    visit("shared_is_ffn", f.shared_is_ffn, optional_field("the dense network runs beside the experts"));
    visit("dense_first_width", f.dense_first_width, optional_field("intermediate_size is the experts' width"));
    visit("two_matrices", f.two_matrices, optional_field("feed-forward networks have no gate"));
    visit("mixer_rows", f.mixer_rows, optional_field("rows of a hyper-connection mixer per stream", 0, 1000));
    visit("drafter_layers", f.drafter_layers, optional_field("drafter layers that go undeclared", 0, 100));
    visit("patterns", f.patterns, optional_field("name patterns of this family"));
}

struct PatternFile {
    Header header;
    std::vector<std::string> scales;  // tensors that only scale others: bytes, no weights of their own
    std::vector<std::string> drafter; // tensors of a drafter
    std::vector<std::string> blocks;  // how the names of a layer's tensors begin
    std::vector<Family> families;
};
template <class Visitor>
void fields(Visitor& visit, PatternFile& f) {
    fields(visit, f.header);
    visit("scales", f.scales, FieldInfo{"names of scales, zero points and codebooks"});
    visit("drafter", f.drafter, FieldInfo{"names of a drafter's tensors"});
    visit("blocks", f.blocks, FieldInfo{"how names of a layer's tensors begin"});
    visit("families", f.families, FieldInfo{"families, special ones first"});
}

// Reads the catalogue's pattern file. Throws InputError if it is missing or wrong.
PatternFile load_patterns(const Catalogue& catalogue);

// What the file says of a model type: hints of all families that match (the first that sets one counts).
Family family_of(const PatternFile& file, const std::string& model_type);

// What a name says of its tensor. `layer` and `expert` are -1 where the name holds none.
struct NameMatch {
    TensorPart component = TensorPart::unmatched;
    Matrix matrix = Matrix::none;
    int layer = -1;
    int expert = -1;
    bool drafter = false; // by name; layers beyond the last are the classifier's business
    bool scale = false;
};

// Matches names against a family's patterns. Names that differ in numbers only are matched once, so that a checkpoint
// of 100,000 tensors costs some hundred matches.
class NameMatcher {
public:
    NameMatcher(const PatternFile& file, const Family& family);
    NameMatch match(std::string_view name);

private:
    // What all names of one form share: which of their numbers are layer and expert (-1: none).
    struct Form {
        NameMatch match;
        int layer_number = -1;
        int expert_number = -1;
    };
    Form find_form(const std::string& form) const;

    std::vector<NamePattern> patterns_;
    std::vector<std::string> scales_, drafter_, blocks_;
    std::unordered_map<std::string, Form> forms_;
};

} // namespace spillway
