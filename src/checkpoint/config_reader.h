// Looks values up in a config.json by any of the spellings that are in use for the same thing, nested text models
// included, and notes where two spellings disagree.
#pragma once

#include "inputs/model.h"
#include "io/problem.h"

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// A quantity of the configuration that has more than one spelling.
enum class ConfigField {
    layers,
    hidden,
    vocabulary,
    heads,
    kv_heads,
    head_dim,
    value_head_dim,
    ffn_width,
    dense_width,
    experts,
    active_experts,
    expert_width,
    shared_experts,
    shared_width,
    first_dense,
    drafter_layers,
    window,
    latent_width
};
std::string_view field_words(ConfigField field);

// Two spellings of one quantity that say different things: settled by the shapes of tensors, else an error.
struct Conflict {
    ConfigField field = ConfigField::layers;
    std::string first, second; // spellings
    Count first_value = 0, second_value = 0;
};

// Keys of a configuration and what its source calls them.
using KeyNames = std::map<std::string, std::string>;

class ConfigReader {
public:
    using json = nlohmann::json;

    // `root` is the whole file; what the text model says outranks what stands beside it. Problems name `shown`, and
    // keys by `names` where these were brought from other words.
    ConfigReader(const json& root, std::string shown, const KeyNames& names = {});

    // The value under one key: of the text model, else of the root; null counts as absent.
    const json* find(std::string_view key) const;
    const json* find(std::initializer_list<std::string_view> keys) const;

    std::optional<Count> count(std::string_view key) const;
    std::optional<Count> count(std::initializer_list<std::string_view> keys) const;
    std::optional<bool> flag(std::string_view key) const;
    std::string text(std::string_view key) const;
    // A list of whole numbers; booleans count as 0 and 1. Empty if there is none.
    std::vector<Count> numbers(std::string_view key) const;
    std::vector<std::string> words(std::string_view key) const;

    // By all spellings of a quantity. A list gives its entry for the layer, or its first without one.
    std::optional<Count> get(ConfigField field, int layer = -1);
    // The same, 0 if absent.
    Count get_or_zero(ConfigField field, int layer = -1) { return get(field, layer).value_or(0); }
    // The same, with a problem if absent.
    Count need(ConfigField field);

    // Length of the list under any spelling of the quantity; 0: no list.
    std::size_t list_length(ConfigField field) const;
    std::string spelling(ConfigField field) const;

    const std::string& shown() const { return shown_; }
    const json& root() const { return root_; }
    void add_problem(std::string key, std::string found, std::string expected, std::string message);

    std::vector<Conflict> conflicts;
    Problems problems;

private:
    void note_conflict(ConfigField field, std::string_view first, Count first_value, std::string_view second,
                       Count second_value);

    const json& root_;
    const json* text_; // the text model's object; the root where it is not nested
    std::string shown_;
    KeyNames names_;
};

// A whole number from a JSON value: integers, whole floats and booleans, up to 3e9.
std::optional<Count> whole_number(const nlohmann::json& value);

// A product that ends at kMaxCount instead of overflowing: what a header claims need not make sense.
Count product(std::initializer_list<Count> factors);

} // namespace spillway
