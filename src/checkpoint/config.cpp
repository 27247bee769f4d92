#include "checkpoint/config.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway {

namespace {

constexpr Count kMostLayers = 10000; // field_value.h; a header's claim is not worth more memory

// The type that names the family: the text model's, which may be special, else the file's own.
std::string model_type(const ConfigReader& config, const nlohmann::json& root) {
    const std::string nested = config.text("model_type");
    if (!nested.empty()) return nested;
    const auto own = root.find("model_type");
    return own != root.end() && own->is_string() ? own->get<std::string>() : std::string();
}

// Layers by count, or by a pattern with one letter per layer.
Count count_layers(ConfigReader& config) {
    const std::string pattern = config.text("hybrid_override_pattern");
    if (const auto stated = config.get(ConfigField::layers)) return *stated;
    if (!pattern.empty()) return static_cast<Count>(pattern.size());
    if (const auto types = config.words("layers_block_type"); !types.empty()) return static_cast<Count>(types.size());
    return config.need(ConfigField::layers);
}

Count count_drafter_layers(ConfigReader& config, const Family& family) {
    if (const std::string pattern = config.text("mtp_hybrid_override_pattern"); !pattern.empty()) {
        return config.get_or_zero(ConfigField::drafter_layers) > 0 ? static_cast<Count>(pattern.size()) : 0;
    }
    return config.get(ConfigField::drafter_layers).value_or(family.drafter_layers);
}

// A list with one number per layer must have that many, with or without the drafter's layers.
void check_list(ConfigReader& config, ConfigField field, Count layers, Count drafter) {
    const auto length = static_cast<Count>(config.list_length(field));
    if (length <= 1 || length == layers || length == layers + drafter) return;
    config.add_problem(config.spelling(field), fmt::format("{} numbers", length),
                       drafter > 0 ? fmt::format("{} or {}", layers, layers + drafter) : fmt::format("{}", layers),
                       fmt::format("does not have one number per layer ({})", field_words(field)));
}

void read_layers(ConfigReader& config, const std::vector<LayerRole>& roles, Declared& d, Count layers) {
    const bool compressed = has_compressed_attention(config);
    for (int i = 0; i < static_cast<int>(layers); ++i) {
        const LayerRole& role = roles[static_cast<std::size_t>(i)];
        Block block;
        block.layers.numbers = {i};
        block.attention = compressed ? std::optional(read_compressed_attention(config, i))
                                     : read_attention(config, d.family, role.mixing, i);
        read_feed_forward(config, d.family, role.feed_forward, i, block);
        d.layers.push_back(std::move(block));
    }
    // The last layers of some models reuse the cache of an earlier one of their kind.
    const Count shared = config.count("num_kv_shared_layers").value_or(0);
    for (Count i = std::max<Count>(0, layers - shared); i < layers; ++i) {
        Block& block = d.layers[static_cast<std::size_t>(i)];
        if (block.attention) block.attention->shares_kv = true;
    }
}

bool describes(const nlohmann::json& root, const char* key) {
    const auto found = root.find(key);
    return found != root.end() && found->is_object() && !found->empty();
}

} // namespace

Declared read_config(const nlohmann::json& root, const std::string& shown, const PatternFile& patterns,
                     const KeyNames& names) {
    if (!root.is_object()) throw InputError({{shown, "", "no object", "an object", "is not a model's configuration"}});
    ConfigReader config(root, shown, names);
    Declared d;
    d.shown = shown;
    d.model_type = model_type(config, root);
    d.family = family_of(patterns, d.model_type);
    d.model.name = config.text("model_name");
    d.model.hidden = config.need(ConfigField::hidden);
    d.model.vocabulary = config.get_or_zero(ConfigField::vocabulary);
    d.tied = config.flag("tie_word_embeddings");
    d.vision = describes(root, "vision_config") || describes(root, "vit_config");
    d.audio = describes(root, "audio_config");
    d.packing = read_packing(root);
    const Count layers = count_layers(config), drafter = count_drafter_layers(config, d.family);
    if (layers > kMostLayers || drafter > kMostLayers) {
        config.add_problem(config.spelling(ConfigField::layers), fmt::format("{}", std::max(layers, drafter)),
                           fmt::format("at most {}", kMostLayers), "is more than any model has");
    }
    if (!has_compressed_attention(config) || config.get_or_zero(ConfigField::heads) == 0) {
        if (config.list_length(ConfigField::heads) == 0) config.need(ConfigField::heads);
    }
    check_list(config, ConfigField::kv_heads, layers, drafter);
    check_list(config, ConfigField::heads, layers, drafter);
    check_list(config, ConfigField::ffn_width, layers, drafter);
    throw_if_any(config.problems);
    const std::vector<LayerRole> roles =
        layer_roles(config, d.family, static_cast<int>(layers), static_cast<int>(layers + drafter));
    read_layers(config, roles, d, layers);
    read_drafter(config, roles, d);
    read_extras(config, d);
    throw_if_any(config.problems);
    d.conflicts = config.conflicts;
    return d;
}

} // namespace spillway
