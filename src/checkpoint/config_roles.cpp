// Which layers attend to everything, which to a window, which keep a state; which hold experts.
#include "checkpoint/config.h"

#include <algorithm>
#include <charconv>

namespace spillway {

namespace {

using Mixings = std::vector<Mixing>;

bool contains(const std::vector<Count>& list, Count value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

Mixing mixing_of(const std::string& word) {
    if (word == "sliding_attention" || word == "sliding" || word == "local" || word == "hybrid_sliding")
        return Mixing::window;
    if (word == "chunked_attention") return Mixing::chunk;
    if (word == "linear_attention" || word == "kda" || word == "gated_delta_net") return Mixing::linear;
    if (word == "mamba" || word == "mamba2") return Mixing::mamba;
    if (word == "conv" || word == "moe" || word == "mlp") return Mixing::none;
    return Mixing::full; // "full_attention", "sparse_attention", "deepseek_sparse_attention", "attention", ...
}

// "MEM*-": Mamba, experts, attention, dense network, one per layer.
std::optional<LayerRole> role_of(char letter) {
    switch (letter) {
    case 'M': return LayerRole{Mixing::mamba, FeedForward::none};
    case 'E': return LayerRole{Mixing::none, FeedForward::experts};
    case '*': return LayerRole{Mixing::full, FeedForward::none};
    case '-': return LayerRole{Mixing::none, FeedForward::dense};
    default: return std::nullopt;
    }
}

std::vector<LayerRole> pattern_roles(ConfigReader& config, std::string_view key) {
    std::vector<LayerRole> roles;
    const std::string letters = config.text(key);
    for (const char letter : letters) {
        const std::optional<LayerRole> role = role_of(letter);
        if (role) {
            roles.push_back(*role);
        } else if (letter != '|') {
            config.add_problem(std::string(key), '"' + letters + '"', "letters M, E, * and -",
                               "has a letter that is not known");
            return {};
        }
    }
    return roles;
}

std::vector<LayerRole> block_type_roles(const ConfigReader& config) {
    std::vector<LayerRole> roles;
    for (const std::string& word : config.words("layers_block_type")) {
        if (word == "mamba")
            roles.push_back({Mixing::mamba, FeedForward::none});
        else if (word == "moe")
            roles.push_back({Mixing::none, FeedForward::experts});
        else if (word == "mlp")
            roles.push_back({Mixing::none, FeedForward::dense});
        else
            roles.push_back({Mixing::full, FeedForward::none});
    }
    return roles;
}

// Lists of layers with a state and with full attention, from 0 or from 1.
Mixings listed_linear(const ConfigReader& config, std::size_t count) {
    const ConfigReader::json* const nested = config.find("linear_attn_config");
    if (nested == nullptr || !nested->is_object()) return {};
    const auto read = [&](const char* key) {
        std::vector<Count> list;
        const auto found = nested->find(key);
        if (found == nested->end() || !found->is_array()) return list;
        for (const auto& value : *found) list.push_back(whole_number(value).value_or(0));
        return list;
    };
    const std::vector<Count> full = read("full_attn_layers"), linear = read("kda_layers");
    if (full.empty() && linear.empty()) return {};
    const Count first = contains(full, 0) || contains(linear, 0) ? 0 : 1;
    Mixings mixings(count, full.empty() ? Mixing::full : Mixing::linear);
    for (const Count layer : linear) {
        if (layer >= first && static_cast<std::size_t>(layer - first) < count)
            mixings[static_cast<std::size_t>(layer - first)] = Mixing::linear;
    }
    for (const Count layer : full) {
        if (layer >= first && static_cast<std::size_t>(layer - first) < count)
            mixings[static_cast<std::size_t>(layer - first)] = Mixing::full;
    }
    return mixings;
}

Mixings every_nth(std::size_t count, Count interval, Mixing others) {
    Mixings mixings(count, Mixing::full);
    for (std::size_t i = 0; i < count; ++i) {
        if (interval > 0 && (static_cast<Count>(i) + 1) % interval != 0) mixings[i] = others;
    }
    return mixings;
}

Mixings from_list(const std::vector<Count>& list, std::size_t count, Mixing where_one, Mixing where_zero) {
    Mixings mixings(count, list.back() != 0 ? where_one : where_zero);
    for (std::size_t i = 0; i < std::min(count, list.size()); ++i) mixings[i] = list[i] != 0 ? where_one : where_zero;
    return mixings;
}

// Windows and chunks where no list names the layers' types.
Mixings window_mixings(ConfigReader& config, const Family& family, std::size_t count) {
    if (const auto list = config.numbers("hybrid_layer_pattern"); !list.empty())
        return from_list(list, count, Mixing::window, Mixing::full);
    if (const auto list = config.numbers("sliding_window_pattern"); !list.empty())
        return from_list(list, count, Mixing::window, Mixing::full);
    if (const auto ids = config.numbers("local_layer_ids"); !ids.empty()) {
        Mixings mixings(count, Mixing::full);
        for (std::size_t i = 0; i < count; ++i)
            mixings[i] = contains(ids, static_cast<Count>(i)) ? Mixing::window : Mixing::full;
        return mixings;
    }
    if (family.chunked) {
        // 1: rotary positions inside a chunk; 0: none, attention to everything.
        if (const auto list = config.numbers("no_rope_layers"); !list.empty())
            return from_list(list, count, Mixing::chunk, Mixing::full);
        return every_nth(count, config.count("no_rope_layer_interval").value_or(family.full_attention_every),
                         Mixing::chunk);
    }
    const Count window = config.get_or_zero(ConfigField::window);
    const bool unused = !config.flag("use_sliding_window").value_or(config.find("max_window_layers") == nullptr);
    if (window == 0 || unused) return Mixings(count, Mixing::full);
    const Count interval = config.count("sliding_window_pattern").value_or(family.full_attention_every);
    return interval > 0 ? every_nth(count, interval, Mixing::window) : Mixings(count, Mixing::window);
}

Mixings mixings(ConfigReader& config, const Family& family, std::size_t count) {
    if (const auto words = config.words("layer_types"); !words.empty()) {
        Mixings listed;
        for (std::size_t i = 0; i < count; ++i) listed.push_back(i < words.size() ? mixing_of(words[i]) : Mixing::full);
        return listed;
    }
    if (const Mixings listed = listed_linear(config, count); !listed.empty()) return listed;
    if (config.find("linear_num_value_heads") != nullptr) {
        return every_nth(count, config.count("full_attention_interval").value_or(family.full_attention_every),
                         Mixing::linear);
    }
    return window_mixings(config, family, count);
}

// "3,4,5" or a list of numbers.
std::vector<Count> listed_layers(const ConfigReader& config, std::string_view key) {
    std::vector<Count> list = config.numbers(key);
    const std::string text = config.text(key);
    for (std::size_t at = 0; at < text.size();) {
        Count value = 0;
        const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
        if (error == std::errc()) list.push_back(value);
        at = error == std::errc() ? static_cast<std::size_t>(end - text.data()) : at + 1;
    }
    return list;
}

bool has_experts_at(ConfigReader& config, Count layer) {
    const auto at = static_cast<std::size_t>(layer);
    if (const auto words = config.words("mlp_layer_types"); !words.empty())
        return at >= words.size() || words[at] != "dense";
    for (const char* key : {"moe_layers_enum", "moe_layers"}) {
        if (const auto list = listed_layers(config, key); !list.empty()) return contains(list, layer);
    }
    if (const auto list = config.numbers("moe_layer_freq"); !list.empty())
        return list[std::min(at, list.size() - 1)] != 0;
    if (layer < config.get_or_zero(ConfigField::first_dense)) return false;
    if (contains(config.numbers("mlp_only_layers"), layer)) return false;
    if (const auto step = config.count("decoder_sparse_step"); step && *step > 1) return (layer + 1) % *step == 0;
    if (const auto step = config.count("interleave_moe_layer_step"); step && *step > 1) return (layer + 1) % *step == 0;
    if (const auto frequency = config.count("moe_layer_freq"); frequency && *frequency > 1)
        return layer % *frequency == 0;
    return true;
}

FeedForward feed_forward_of(ConfigReader& config, int layer) {
    const bool listed = config.list_length(ConfigField::ffn_width) > 1;
    const bool no_width = listed && config.get_or_zero(ConfigField::ffn_width, layer) == 0;
    const bool experts = config.get_or_zero(ConfigField::experts) > 0 && config.flag("enable_moe_block").value_or(true);
    if (experts && has_experts_at(config, layer)) {
        // Where widths are listed, a 0 in a hybrid means a layer without any network.
        return no_width && config.find("ssm_state_size") != nullptr ? FeedForward::none : FeedForward::experts;
    }
    return no_width ? FeedForward::none : FeedForward::dense;
}

// Layers that keep no keys: a state, or only a feed-forward network where such layers are told apart by width.
Mixing without_keys(ConfigReader& config, int layer) {
    if (config.find("ssm_state_size") == nullptr) return Mixing::none;
    const bool listed = config.list_length(ConfigField::ffn_width) > 1;
    return listed && config.get_or_zero(ConfigField::ffn_width, layer) > 0 ? Mixing::none : Mixing::mamba;
}

} // namespace

std::vector<LayerRole> layer_roles(ConfigReader& config, const Family& family, int layers, int count) {
    std::vector<LayerRole> roles = pattern_roles(config, "hybrid_override_pattern");
    if (roles.empty()) roles = block_type_roles(config);
    if (!roles.empty()) {
        const std::vector<LayerRole> drafter = pattern_roles(config, "mtp_hybrid_override_pattern");
        roles.resize(static_cast<std::size_t>(layers), roles.back());
        roles.insert(roles.end(), drafter.begin(), drafter.end());
        roles.resize(static_cast<std::size_t>(count), LayerRole{Mixing::full, FeedForward::none});
        return roles;
    }
    const Mixings kinds = mixings(config, family, static_cast<std::size_t>(count));
    const bool listed_heads = config.list_length(ConfigField::kv_heads) > 1;
    for (int i = 0; i < count; ++i) {
        LayerRole role{kinds[static_cast<std::size_t>(i)], feed_forward_of(config, i)};
        const bool keeps_keys = role.mixing == Mixing::full || role.mixing == Mixing::window;
        if (listed_heads && keeps_keys && config.get_or_zero(ConfigField::kv_heads, i) == 0)
            role.mixing = without_keys(config, i);
        roles.push_back(role);
    }
    return roles;
}

} // namespace spillway
