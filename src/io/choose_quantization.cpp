#include "io/choose_quantization.h"

#include "text/near.h"
#include "text/path_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace spillway {

namespace {

constexpr std::string_view kNative = "native";
constexpr double kLowestBits = 0.5, kHighestBits = 64.0;

const Quantization* find_quantization(const Model& model, std::string_view name) {
    const auto found = std::find_if(model.quantizations.begin(), model.quantizations.end(),
                                    [&](const auto& q) { return q.name == name; });
    return found == model.quantizations.end() ? nullptr : &*found;
}

const WeightFormat* find_format(const FormatsFile* formats, std::string_view name) {
    if (formats == nullptr) return nullptr;
    const auto found =
        std::find_if(formats->formats.begin(), formats->formats.end(), [&](const auto& f) { return f.name == name; });
    return found == formats->formats.end() ? nullptr : &*found;
}

bool has_experts(const Model& model) {
    return std::any_of(model.blocks.begin(), model.blocks.end(),
                       [](const Block& block) { return block.experts.has_value(); });
}

std::optional<double> number_of_bits(std::string_view text) {
    double bits = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return bits;
}

// What the model's file says about a named quantization, and about itself as a whole.
Sources named_sources(Sources model_sources, const std::string& name) {
    // Of equal paths the last counts: what is said about more goes first.
    const auto shorter = [](const auto& a, const auto& b) { return a.first.size() < b.first.size(); };
    std::stable_sort(model_sources.begin(), model_sources.end(), shorter);
    const std::string named = "model.quantizations." + name;
    Sources sources;
    for (const auto& [path, provenance] : model_sources) {
        if (path_after(named, path))
            sources.emplace_back("quantization", provenance);
        else if (const auto below = path_after(path, named))
            sources.emplace_back(path_join("quantization", *below), provenance);
    }
    return sources;
}

void replace(ChosenQuantization& chosen, std::optional<double> Quantization::*part, std::string_view path, double bits,
             const Provenance& why) {
    chosen.quantization.*part = bits;
    drop_sources(chosen.sources, path);
    chosen.sources.emplace_back(path, why);
}

// The experts only; in a model without them the backbone's weights, embedding and head left as they are.
void replace_experts(ChosenQuantization& chosen, bool experts, double bits, const Provenance& why) {
    if (!experts) return replace(chosen, &Quantization::rest, "quantization.rest", bits, why);
    replace(chosen, &Quantization::experts, "quantization.experts", bits, why);
    chosen.quantization.experts_down.reset();
    drop_sources(chosen.sources, "quantization.experts_down");
}

void replace_all(ChosenQuantization& chosen, double bits, const Provenance& why) {
    replace(chosen, &Quantization::experts, "quantization.experts", bits, why);
    replace(chosen, &Quantization::rest, "quantization.rest", bits, why);
    replace(chosen, &Quantization::embedding, "quantization.embedding", bits, why);
    replace(chosen, &Quantization::other, "quantization.other", bits, why);
    replace(chosen, &Quantization::drafter_experts, "quantization.drafter_experts", bits, why);
    replace(chosen, &Quantization::drafter_rest, "quantization.drafter_rest", bits, why);
    chosen.quantization.experts_down.reset();
    drop_sources(chosen.sources, "quantization.experts_down");
}

Problem unknown(const Model& model, const FormatsFile* formats, const std::string& name) {
    std::vector<std::string> known;
    for (const Quantization& q : model.quantizations) known.push_back(q.name);
    if (formats != nullptr) {
        for (const WeightFormat& f : formats->formats) known.push_back(f.name);
    }
    const std::string hint = did_you_mean(name, known);
    return {"-q", "", '"' + name + '"',
            fmt::format("one of {}, or bits per weight from 0.5 to 64", name_list(known, 40)),
            fmt::format("there is no quantization \"{}\" of {}{}{}", name, model.name, hint.empty() ? "" : "; ", hint)};
}

} // namespace

std::optional<ChosenQuantization> choose_quantization(const Model& model, const Sources& model_sources,
                                                      const FormatsFile* formats, const std::string& name,
                                                      Problems& problems) {
    if (const Quantization* named = find_quantization(model, name)) {
        return ChosenQuantization{*named, named_sources(model_sources, name)};
    }
    const WeightFormat* const format = find_format(formats, name);
    const std::optional<double> bits = number_of_bits(name);
    if (format == nullptr && !bits) {
        problems.push_back(unknown(model, formats, name));
        return std::nullopt;
    }
    if (format == nullptr && !(*bits >= kLowestBits && *bits <= kHighestBits)) {
        problems.push_back({"-q", "", name, "bits per weight from 0.5 to 64", "must be between 0.5 and 64"});
        return std::nullopt;
    }
    const Quantization* const native = find_quantization(model, kNative);
    if (native == nullptr) {
        problems.push_back({"-q", "", '"' + name + '"', "a quantization that the model's file names",
                            fmt::format("{} has no quantization \"native\" to start from", model.name)});
        return std::nullopt;
    }
    ChosenQuantization chosen{*native, named_sources(model_sources, native->name)};
    const bool experts = has_experts(model);
    const std::string_view part = experts ? "experts" : "backbone";
    chosen.quantization.name = name;
    if (format == nullptr) {
        replace_experts(chosen, experts, *bits, Provenance{Basis::given, "-q"});
        chosen.quantization.note = fmt::format("{} bits for the {}, the rest native", name, part);
    } else if (format->applies_to == AppliesTo::experts) {
        replace_experts(chosen, experts, format->bits, Provenance{Basis::published, format->source});
        chosen.quantization.note = fmt::format("{} for the {}, the rest native", name, part);
    } else {
        replace_all(chosen, format->bits, Provenance{Basis::published, format->source});
        chosen.quantization.note = fmt::format("{} for all weights but lookup tables", name);
    }
    return chosen;
}

} // namespace spillway
