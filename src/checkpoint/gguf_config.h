// GGUF metadata in the words of config.json, so that one reader (config.h) knows what a model is.
#pragma once

#include "checkpoint/checkpoint.h"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace spillway {

// The configuration that the metadata stands for. Keys of the architecture ("llama.block_count") are renamed; keys
// that say nothing about shapes are left out.
nlohmann::json gguf_config(const Checkpoint& checkpoint);

// What the metadata calls the keys of that configuration: "llama.block_count" of "num_hidden_layers".
std::map<std::string, std::string> gguf_key_names(const Checkpoint& checkpoint);

// "30B-A3B", "671B", "1.1T" as a number of parameters; empty for anything else ("8x7B" counts shared weights twice).
std::optional<double> size_label_params(std::string_view label);

} // namespace spillway
