#include "checkpoint/config_reader.h"

#include "io/read_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace spillway {

namespace {

// The product of two numbers of a configuration fits a Count; the largest in use are rows of lookup tables.
constexpr double kLargestNumber = 3e9;

// Every spelling seen in published configurations, the usual one first.
struct Spellings {
    std::string_view words;
    std::vector<std::string_view> keys;
};

const std::array<Spellings, 18>& spellings() {
    static const std::array<Spellings, 18> kSpellings = {{
        {"number of layers", {"num_hidden_layers", "n_layers", "n_layer", "num_layers"}},
        {"hidden size", {"hidden_size", "n_embd", "d_model"}},
        {"vocabulary size", {"vocab_size", "padded_vocab_size"}},
        {"attention heads", {"num_attention_heads", "n_head", "n_heads"}},
        {"key and value heads",
         {"num_key_value_heads", "num_attention_groups", "n_kv_heads", "num_kv_heads", "multi_query_group_num"}},
        {"head width", {"head_dim", "attention_head_dim", "kv_channels"}},
        {"value head width", {"v_head_dim", "global_v_head_dim"}},
        {"feed-forward width", {"intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim"}},
        {"dense feed-forward width", {"dense_intermediate_size", "intermediate_size_mlp", "dense_ffn_hidden_size"}},
        {"routed experts", {"n_routed_experts", "num_local_experts", "num_experts", "moe_num_experts", "n_experts"}},
        {"experts per token",
         {"num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_top_k", "top_k_experts", "moe_k",
          "n_activated_experts", "num_selected_experts", "num_experts_per_topk"}},
        {"expert width",
         {"moe_intermediate_size", "expert_hidden_dim", "expert_intermediate_size", "moe_ffn_hidden_size",
          "expert_ffn_hidden_size"}},
        {"shared experts", {"n_shared_experts", "num_shared_experts", "moe_num_shared_experts", "num_shared_expert"}},
        {"shared expert width",
         {"shared_expert_intermediate_size", "shared_intermediate_size", "moe_shared_expert_intermediate_size",
          "share_expert_dim", "moe_shared_intermediate_size"}},
        {"leading dense layers",
         {"first_k_dense_replace", "first_k_dense", "moe_layer_start_index", "dense_mlp_idx", "num_dense_layers"}},
        {"drafter layers",
         {"num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers", "mtp_num_layers", "n_mtp_layers"}},
        {"attention window", {"sliding_window", "sliding_window_size", "window_size"}},
        {"width the experts work in", {"moe_latent_size", "routed_expert_hidden_size"}},
    }};
    return kSpellings;
}

const Spellings& spellings_of(ConfigField field) { return spellings()[static_cast<std::size_t>(field)]; }

// Where a multimodal configuration keeps its text model.
constexpr std::array<std::string_view, 4> kNested = {"text_config", "llm_config", "language_config", "thinker_config"};

const nlohmann::json* member(const nlohmann::json& object, std::string_view key) {
    const auto found = object.find(std::string(key));
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

const nlohmann::json* text_model(const nlohmann::json& root) {
    for (const std::string_view key : kNested) {
        const nlohmann::json* const nested = member(root, key);
        if (nested != nullptr && nested->is_object()) return text_model(*nested);
    }
    return &root;
}

// The entry of a value that may be a list with one number per layer.
std::optional<Count> entry(const nlohmann::json& value, int layer) {
    if (!value.is_array()) return whole_number(value);
    const std::size_t at = layer < 0 ? 0 : static_cast<std::size_t>(layer);
    if (at < value.size()) return whole_number(value[at]);
    return value.empty() ? std::nullopt : whole_number(value.back());
}

} // namespace

std::string_view field_words(ConfigField field) { return spellings_of(field).words; }

std::optional<Count> whole_number(const nlohmann::json& value) {
    if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
    if (!value.is_number()) return std::nullopt;
    const double number = value.get<double>();
    if (!(number >= 0.0 && number <= kLargestNumber) || number != std::floor(number)) return std::nullopt;
    return static_cast<Count>(number);
}

Count product(std::initializer_list<Count> factors) {
    double value = 1.0;
    for (const Count factor : factors) value *= static_cast<double>(factor);
    return static_cast<Count>(std::min(value, kMaxCount));
}

ConfigReader::ConfigReader(const json& root, std::string shown, const KeyNames& names)
    : root_(root), text_(text_model(root)), shown_(std::move(shown)), names_(names) {}

const ConfigReader::json* ConfigReader::find(std::string_view key) const {
    const json* const nested = member(*text_, key);
    return nested != nullptr ? nested : member(root_, key);
}

const ConfigReader::json* ConfigReader::find(std::initializer_list<std::string_view> keys) const {
    for (const std::string_view key : keys) {
        if (const json* const value = find(key)) return value;
    }
    return nullptr;
}

std::optional<Count> ConfigReader::count(std::string_view key) const {
    const json* const value = find(key);
    return value == nullptr ? std::nullopt : whole_number(*value);
}

std::optional<Count> ConfigReader::count(std::initializer_list<std::string_view> keys) const {
    for (const std::string_view key : keys) {
        if (const auto value = count(key)) return value;
    }
    return std::nullopt;
}

std::optional<bool> ConfigReader::flag(std::string_view key) const {
    const json* const value = find(key);
    return value != nullptr && value->is_boolean() ? std::optional(value->get<bool>()) : std::nullopt;
}

std::string ConfigReader::text(std::string_view key) const {
    const json* const value = find(key);
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

std::vector<Count> ConfigReader::numbers(std::string_view key) const {
    std::vector<Count> list;
    const json* const value = find(key);
    if (value == nullptr || !value->is_array()) return list;
    for (const json& element : *value) list.push_back(whole_number(element).value_or(0));
    return list;
}

std::vector<std::string> ConfigReader::words(std::string_view key) const {
    std::vector<std::string> list;
    const json* const value = find(key);
    if (value == nullptr || !value->is_array()) return list;
    for (const json& element : *value) list.push_back(element.is_string() ? element.get<std::string>() : std::string());
    return list;
}

std::optional<Count> ConfigReader::get(ConfigField field, int layer) {
    std::optional<Count> found;
    std::string_view spelling;
    for (const std::string_view key : spellings_of(field).keys) {
        const json* const value = find(key);
        if (value == nullptr) continue;
        const std::optional<Count> number = entry(*value, layer);
        if (!number) {
            add_problem(std::string(key), describe(*value), "a whole number, or one per layer", "cannot be read");
        } else if (!found) {
            found = number;
            spelling = key;
        } else if (*number != *found) {
            note_conflict(field, spelling, *found, key, *number);
        }
    }
    return found;
}

Count ConfigReader::need(ConfigField field) {
    const std::optional<Count> value = get(field);
    if (value && *value > 0) return *value;
    const std::string key(spellings_of(field).keys.front());
    add_problem(key, value ? "0" : "nothing", "a whole number above 0",
                fmt::format("is missing: the {}", field_words(field)));
    return 0;
}

std::size_t ConfigReader::list_length(ConfigField field) const {
    for (const std::string_view key : spellings_of(field).keys) {
        const json* const value = find(key);
        if (value != nullptr && value->is_array()) return value->size();
    }
    return 0;
}

std::string ConfigReader::spelling(ConfigField field) const {
    for (const std::string_view key : spellings_of(field).keys) {
        if (find(key) != nullptr) return std::string(key);
    }
    return std::string(spellings_of(field).keys.front());
}

void ConfigReader::add_problem(std::string key, std::string found, std::string expected, std::string message) {
    const auto named = names_.find(key);
    const Problem problem{shown_, named == names_.end() ? "/" + key : named->second, std::move(found),
                          std::move(expected), std::move(message)};
    const auto same = [&](const Problem& p) { return p.pointer == problem.pointer && p.message == problem.message; };
    if (std::none_of(problems.begin(), problems.end(), same)) problems.push_back(problem);
}

void ConfigReader::note_conflict(ConfigField field, std::string_view first, Count first_value, std::string_view second,
                                 Count second_value) {
    const auto same = [&](const Conflict& c) { return c.field == field; };
    if (std::any_of(conflicts.begin(), conflicts.end(), same)) return;
    conflicts.push_back({field, std::string(first), std::string(second), first_value, second_value});
}

} // namespace spillway
