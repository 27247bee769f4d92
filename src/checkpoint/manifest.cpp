#include "checkpoint/manifest.h"
#include "engine/params.h"

#include "checkpoint/classify.h"
#include "checkpoint/config.h"
#include "checkpoint/gguf_config.h"
#include "checkpoint/open.h"
#include "checkpoint/quantize.h"
#include "checkpoint/settle.h"
#include "io/json_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spillway {

namespace {

constexpr std::string_view kFormNames[] = {"GGUF", "safetensors", "config.json"};

std::string shown_file(const Checkpoint& checkpoint) {
    return checkpoint.files.empty() ? "checkpoint" : checkpoint.files.front().string();
}

std::optional<double> stated_params(const Checkpoint& checkpoint) {
    const auto value = [&](const char* key) {
        const auto found = checkpoint.metadata.find(key);
        return found == checkpoint.metadata.end() ? nlohmann::json()
                                                  : nlohmann::json::parse(found->second, nullptr, false);
    };
    for (const char* key : {"general.parameter_count", "total_parameters"}) {
        if (const auto count = value(key); count.is_number()) return count.get<double>();
    }
    const auto label = value("general.size_label");
    return label.is_string() ? size_label_params(label.get<std::string>()) : std::nullopt;
}

Declared declare(const Checkpoint& checkpoint, const PatternFile& patterns) {
    const std::string shown = shown_file(checkpoint);
    if (checkpoint.form == CheckpointForm::gguf) {
        Declared d = read_config(gguf_config(checkpoint), shown, patterns, gguf_key_names(checkpoint));
        d.parameters = stated_params(checkpoint);
        return d;
    }
    if (checkpoint.config_json.empty()) {
        throw InputError({{shown, "", "no config.json", "a config.json beside the tensors",
                           "cannot be imported without the model's configuration"}});
    }
    const std::string config = checkpoint.form == CheckpointForm::config_only
                                   ? shown
                                   : (checkpoint.files.front().parent_path() / "config.json").string();
    Problems problems;
    const auto json = parse_json(checkpoint.config_json, config, problems);
    throw_if_any(problems);
    Declared d = read_config(*json, config, patterns);
    d.parameters = stated_params(checkpoint);
    return d;
}

// "DeepSeek-V3-Q4_K_M-00001-of-00009.gguf" and a folder's config.json name their model by file and folder.
std::string name_of(const Checkpoint& checkpoint, const Declared& d, const std::string& asked) {
    if (!asked.empty()) return asked;
    if (!d.model.name.empty()) return d.model.name;
    if (checkpoint.files.empty()) return d.model_type;
    const std::filesystem::path file = std::filesystem::absolute(checkpoint.files.front());
    const std::string folder = file.parent_path().filename().string();
    return checkpoint.form == CheckpointForm::gguf || folder.empty() ? file.stem().string() : folder;
}

std::vector<PartRow> rows_of(const Classified& seen) {
    std::vector<PartRow> rows;
    const auto add = [&](const std::array<PartSum, kTensorParts>& sums, bool drafter) {
        for (std::size_t i = 0; i < kTensorParts; ++i) {
            const PartSum& sum = sums[i];
            if (sum.tensors == 0) continue;
            PartRow row{.part = std::string(tensor_part_name(static_cast<TensorPart>(i))),
                        .drafter = drafter,
                        .tensors = sum.tensors,
                        .weights = sum.weights,
                        .bytes = Bytes(sum.bytes),
                        .share = seen.bytes > 0.0 ? sum.bytes / seen.bytes : 0.0,
                        .bits = std::nullopt};
            if (sum.weights > 0.0) row.bits = 8.0 * sum.bytes / sum.weights;
            rows.push_back(std::move(row));
        }
    };
    add(seen.backbone, false);
    add(seen.drafter, true);
    std::stable_sort(rows.begin(), rows.end(), [](const PartRow& a, const PartRow& b) { return a.bytes > b.bytes; });
    return rows;
}

// Weights of the backbone as its shapes count them, from the tensors.
double backbone_weights(const Classified& seen) {
    double weights = 0.0;
    for (std::size_t i = 0; i < kTensorParts; ++i) {
        const auto c = static_cast<TensorPart>(i);
        const bool elsewhere = c == TensorPart::table || c == TensorPart::vision || c == TensorPart::audio;
        if (!elsewhere) weights += seen.backbone[i].weights;
    }
    return weights;
}

double difference(double a, double b) { return b > 0.0 ? std::abs(a / b - 1.0) : 0.0; }

std::string billions(double count) { return fmt::format("{:.4g} billion", count / 1e9); }

void compare_counts(Imported& imported, const std::string& shown) {
    const ParameterCounts& c = imported.counts;
    if (c.tensors && difference(c.shapes, *c.tensors) > kCountTolerance) {
        imported.warnings.push_back({shown, "", billions(c.shapes) + " by the shapes",
                                     billions(*c.tensors) + " by the tensors",
                                     "declares shapes whose parameters are not those of the tensors; bytes are exact, "
                                     "the parts' speed is not"});
    }
    const double known = c.tensors.value_or(c.shapes);
    if (c.declared && difference(*c.declared, known) > kCountTolerance) {
        imported.warnings.push_back({shown, "", billions(*c.declared) + " as stated",
                                     billions(known) + " by the " + (c.tensors ? "tensors" : "shapes"),
                                     "states another number of parameters than it has; what the tensors hold counts"});
    }
}

// A label names a width: compared with the bits of the part that is quantized.
void compare_label(const Declared& d, const Model& model, const Quantization& q, Problems& warnings) {
    const bool experts =
        std::any_of(model.blocks.begin(), model.blocks.end(), [](const Block& b) { return b.experts.has_value(); });
    const std::optional<double> label = experts && d.packing.expert_bits ? d.packing.expert_bits : d.packing.bits;
    std::optional<double> held = experts ? q.experts : q.rest;
    if (experts && q.experts && q.experts_down) held = (2.0 * *q.experts + *q.experts_down) / 3.0;
    if (!label || !held || (!experts && d.packing.experts_only) || !d.packing.overrides.empty()) return;
    if (difference(*held, *label) <= kCountTolerance) return;
    warnings.push_back({d.shown, "/quantization_config", fmt::format("{:.4g} bits per weight in the tensors", *held),
                        fmt::format("{:.4g} as \"{}\" has", *label, d.packing.label),
                        "names a format that the tensors do not have; their bytes count"});
}

void list_unmatched(const Classified& seen, const std::string& shown, Imported& imported) {
    double bytes = 0.0;
    for (const Tensor* tensor : seen.unmatched) {
        imported.unmatched.push_back(tensor->name);
        bytes += static_cast<double>(tensor->bytes);
    }
    if (seen.unmatched.empty()) return;
    imported.warnings.push_back(
        {shown, "",
         fmt::format("{} tensors, {:.0f} B, first \"{}\"", seen.unmatched.size(), bytes, seen.unmatched.front()->name),
         "names of models/import/tensor-patterns.json",
         "has tensors that no pattern names; they are counted as a part of their own"});
}

Source source(std::string of, Basis basis, std::string text) { return {std::move(of), basis, std::move(text)}; }

void add_quantization(Quantization q, Basis basis, const std::string& text, ModelFile& file) {
    for (const std::string_view name : {kImported, std::string_view("native")}) {
        q.name = name;
        file.model.quantizations.push_back(q);
        file.sources.push_back(source("quantizations." + q.name, basis, text));
    }
}

void add_sizes(const Checkpoint& checkpoint, Imported& imported) {
    const std::string form(imported.form);
    imported.file.file_sizes.push_back({"tensors of the imported " + form, imported.tensor_bytes, true,
                                        std::string(kImported), "file headers",
                                        fmt::format("files: {}", checkpoint.files.size())});
}

} // namespace

Imported import_checkpoint(const Checkpoint& checkpoint, const PatternFile& patterns, const std::string& name) {
    Imported imported;
    imported.warnings = checkpoint.warnings;
    imported.form = kFormNames[static_cast<std::size_t>(checkpoint.form)];
    imported.file_bytes =
        Bytes(std::accumulate(checkpoint.file_bytes.begin(), checkpoint.file_bytes.end(), 0.0,
                              [](double sum, std::uint64_t n) { return sum + static_cast<double>(n); }));
    Declared d = declare(checkpoint, patterns);
    d.model.name = name_of(checkpoint, d, name);
    std::optional<Classified> seen;
    if (!checkpoint.tensors.empty()) {
        seen = classify(checkpoint, patterns, d, imported.warnings);
        settle(d, *seen, imported.warnings);
        imported.parts = rows_of(*seen);
        imported.tensor_bytes = Bytes(seen->bytes);
        list_unmatched(*seen, shown_file(checkpoint), imported);
    }
    Problems problems;
    raise_conflicts(d, problems);
    if (d.model.vocabulary == 0)
        problems.push_back(
            {d.shown, "/vocab_size", "nothing", "a whole number above 0", "is missing: the vocabulary size"});
    throw_if_any(problems);
    imported.file = new_file<ModelFile>();
    imported.file.model = build_model(d, seen ? &*seen : nullptr);
    const Model& model = imported.file.model;
    imported.counts = {total_params(model), seen ? std::optional(backbone_weights(*seen)) : std::nullopt, d.parameters};
    if (imported.file.model.blocks.empty())
        throw InputError({{d.shown, "", "no layers", "at least one", "describes no model"}});
    const std::string from = seen ? "file headers" : "config.json";
    imported.file.sources.push_back(source("", seen ? Basis::measured : Basis::published, from));
    const Quantization q = seen ? measured_quantization(model, *seen) : declared_quantization(model, d.packing);
    if (seen) compare_label(d, model, q, imported.warnings);
    compare_counts(imported, d.shown);
    add_quantization(q, seen ? Basis::measured : Basis::derived, from, imported.file);
    if (seen) add_sizes(checkpoint, imported);
    return imported;
}

Imported import_path(const std::filesystem::path& path, const PatternFile& patterns, const std::string& name,
                     const ReadOptions& options) {
    return import_checkpoint(open_checkpoint(path, options), patterns, name);
}

} // namespace spillway
