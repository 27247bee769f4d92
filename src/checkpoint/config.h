// What a configuration says a model is: config.json, or GGUF metadata brought into the same words
// (gguf_config.h). Shapes only; what tensors say instead is settled in settle.h.
#pragma once

#include "checkpoint/config_reader.h"
#include "checkpoint/packing.h"
#include "checkpoint/patterns.h"
#include "inputs/model.h"

#include <optional>
#include <string>
#include <vector>

namespace spillway {

// A model as declared, one block per layer so that every layer can still be corrected.
struct Declared {
    std::string model_type; // "qwen3_moe"; of GGUF its general.architecture
    Family family;
    std::string shown; // name of the source in problems
    Model model;       // all but blocks, drafter and quantizations
    std::vector<Block> layers;
    std::vector<Block> drafter; // template layers; empty: none declared
    std::string drafter_kind = "mtp";
    bool drafts_block = false;
    Count drafter_extra = 0;
    std::string drafter_extra_what;
    std::optional<bool> tied;
    bool vision = false, audio = false; // whether the configuration describes such a part
    std::optional<double> parameters;   // as the file states them
    Packing packing;
    std::vector<Conflict> conflicts;
};

// Reads a configuration that is parsed already. Conflicts are returned, not raised: tensors may settle them. Throws
// InputError with everything that is missing. `names`: what the source calls the keys.
Declared read_config(const nlohmann::json& root, const std::string& shown, const PatternFile& patterns,
                     const KeyNames& names = {});

// --- pieces of read_config ---------------------------------------------------------------------------------------

// What a layer is made of, before widths.
enum class Mixing { full, window, chunk, linear, mamba, none };
enum class FeedForward { dense, experts, none };
struct LayerRole {
    Mixing mixing = Mixing::full;
    FeedForward feed_forward = FeedForward::dense;
};

// Roles of `count` layers; those beyond the model's `layers` are the drafter's.
std::vector<LayerRole> layer_roles(ConfigReader& config, const Family& family, int layers, int count);

// Attention of one layer; empty for Mixing::none.
std::optional<Attention> read_attention(ConfigReader& config, const Family& family, Mixing mixing, int layer);

// Whether the layers share compressed caches (compress_ratios), and the attention of one such layer.
bool has_compressed_attention(const ConfigReader& config);
Attention read_compressed_attention(ConfigReader& config, int layer);

// Fills experts, shared experts, latent projection or dense width of one layer.
void read_feed_forward(ConfigReader& config, const Family& family, FeedForward kind, int layer, Block& block);

// Residual mixers, lookup tables, phases and the drafter: what few families have.
void read_extras(ConfigReader& config, Declared& declared);
void read_drafter(ConfigReader& config, const std::vector<LayerRole>& roles, Declared& declared);

} // namespace spillway
