// config.json and GGUF metadata alone: all spellings give the model of the catalogue; what contradicts itself is shown.
// The tags name faults that other programs shipped.
#include "checkpoint/gguf_config.h"
#include "checkpoint/import.h"
#include "checkpoint/manifest.h"
#include "engine/estimate.h"
#include "engine/kv.h"
#include "engine/params.h"
#include "engine/sizes.h"
#include "io/load_case.h"
#include "io/load_files.h"
#include "io/write_fields.h"
#include "support/checkpoint_writer.h"
#include "support/problem_text.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cmath>

using namespace spillway;
using namespace spillway::synthetic;

namespace {

const Catalogue& catalogue() {
    static const Catalogue root(data_root(""));
    return root;
}

const PatternFile& patterns() {
    static const PatternFile file = load_patterns(catalogue());
    return file;
}

Checkpoint config_checkpoint(const std::string& json) {
    Checkpoint checkpoint;
    checkpoint.form = CheckpointForm::config_only;
    checkpoint.files = {"config.json"};
    checkpoint.file_bytes = {json.size()};
    checkpoint.config_json = json;
    return checkpoint;
}

Imported import_config(const std::string& json) {
    return import_checkpoint(config_checkpoint(json), patterns(), "test");
}

Imported import_metadata(std::map<std::string, std::string> metadata) {
    Checkpoint checkpoint;
    checkpoint.files = {"model.gguf"};
    checkpoint.file_bytes = {1000};
    checkpoint.metadata = std::move(metadata);
    return import_checkpoint(checkpoint, patterns(), "test");
}

struct KvElements {
    double growing = 0.0, window = 0.0;
};
KvElements kv_of(const Model& model) {
    KvElements kv;
    for (const Block& block : model.blocks) {
        if (!block.attention) continue;
        kv.growing += layer_count(block) * kv_elements_per_token(*block.attention);
        kv.window +=
            layer_count(block) * kv_window_elements(*block.attention) * static_cast<double>(block.attention->window);
    }
    return kv;
}

double kv_gib(const Model& model, double context) { return kv_of(model).growing * context * 2.0 / kGiB; }

std::string model_text(const Model& model) { return write_object(model).dump(); }

} // namespace

TEST_CASE("configurations as published give the catalogue's shapes", "[import]") {
    int compared = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(SPILLWAY_TESTS_DIR) / "data/configs")) {
        const std::string id = entry.path().stem().string();
        INFO(id);
        LoadContext context{catalogue(), {}};
        const auto known = load_model(context, id);
        REQUIRE(known);
        const Model& expected = known->file.model;
        const Imported imported = import_path(entry.path(), patterns(), id);
        const Model& model = imported.file.model;
        CHECK(imported.warnings.empty());
        CHECK(std::abs(total_params(model) / total_params(expected) - 1.0) < 1e-6);
        CHECK(std::abs(active_params(model) / active_params(expected) - 1.0) < 1e-6);
        CHECK(kv_of(model).growing == kv_of(expected).growing);
        CHECK(kv_of(model).window == kv_of(expected).window);
        CHECK(model.blocks.size() == expected.blocks.size());
        CHECK(model.tables.size() == expected.tables.size());
        ++compared;
    }
    CHECK(compared >= 30);
}

TEST_CASE("nested, flat and other spellings give the same model", "[import][E23]") {
    const std::string common =
        R"("hidden_size":2048,"num_hidden_layers":4,"num_attention_heads":16,"vocab_size":1000,"head_dim":128,)"
        R"("num_key_value_heads":2,"moe_intermediate_size":512,"model_type":"other_moe",)";
    const std::string flat =
        common + R"("num_experts":256,"num_experts_per_tok":8,"shared_expert_intermediate_size":512)";
    const Model expected = import_config("{" + flat + "}").file.model;
    REQUIRE(expected.blocks.size() == 1);
    REQUIRE(expected.blocks.front().experts);
    CHECK(expected.blocks.front().experts->count == 256);
    CHECK(expected.blocks.front().experts->active == 8);
    REQUIRE(expected.blocks.front().shared);
    CHECK(expected.blocks.front().shared->count == 1);
    CHECK(model_text(import_config(R"({"model_type":"outer","text_config":{)" + flat + "}}").file.model) ==
          model_text(expected));
    for (const char* experts : {"n_routed_experts", "num_local_experts", "moe_num_experts"}) {
        for (const char* active : {"moe_topk", "num_experts_per_token", "moe_top_k", "top_k_experts"}) {
            for (const char* shared :
                 {R"("n_shared_experts":1)", R"("shared_intermediate_size":512)", R"("num_shared_experts":1)"}) {
                const std::string other = common + fmt::format(R"("{}":256,"{}":8,{})", experts, active, shared);
                CHECK(model_text(import_config("{" + other + "}").file.model) == model_text(expected));
            }
        }
    }
}

TEST_CASE("two spellings that disagree are shown, or settled by tensors", "[import][E24]") {
    const std::string config =
        R"({"model_type":"pruned","hidden_size":64,"num_hidden_layers":1,"num_attention_heads":4,"vocab_size":100,)"
        R"("moe_intermediate_size":32,"num_experts_per_tok":2,"n_routed_experts":3,"num_experts":4})";
    const std::string said = problem_text_of([&] { import_config(config); });
    INFO(said);
    CHECK(mentions(said, "n_routed_experts = 3, num_experts = 4"));

    std::vector<WrittenTensor> tensors = {{"model.embed_tokens.weight", "BF16", {100, 64}},
                                          {"lm_head.weight", "BF16", {100, 64}}};
    for (const char* name : {"q_proj", "k_proj", "v_proj", "o_proj"}) {
        tensors.push_back({fmt::format("model.layers.0.self_attn.{}.weight", name), "BF16", {64, 64}});
    }
    tensors.push_back({"model.layers.0.mlp.gate.weight", "BF16", {3, 64}});
    for (int e = 0; e < 3; ++e) {
        const std::string at = fmt::format("model.layers.0.mlp.experts.{}.", e);
        tensors.push_back({at + "gate_proj.weight", "BF16", {32, 64}});
        tensors.push_back({at + "up_proj.weight", "BF16", {32, 64}});
        tensors.push_back({at + "down_proj.weight", "BF16", {64, 32}});
    }
    const TemporaryFolder folder;
    write_safetensors(folder / "model.safetensors", tensors);
    write_file(folder / "config.json", config);
    const Imported imported = import_path(folder.path(), patterns());
    CHECK(imported.file.model.blocks.front().experts->count == 3);
    REQUIRE(imported.warnings.size() == 1);
    CHECK(mentions(imported.warnings.front().message, "the tensors decide"));
}

TEST_CASE("key and value heads per layer", "[import][A05][E30]") {
    const std::map<std::string, std::string> lfm2 = {
        {"general.architecture", "\"lfm2\""},
        {"lfm2.block_count", "16"},
        {"lfm2.embedding_length", "2048"},
        {"lfm2.feed_forward_length", "8192"},
        {"lfm2.attention.head_count", "32"},
        {"lfm2.vocab_size", "65536"},
        {"lfm2.attention.key_length", "64"},
        {"lfm2.attention.value_length", "64"},
        {"lfm2.attention.head_count_kv", "[0,0,8,0,0,8,0,0,8,0,8,0,8,0,8,0]"}};
    const Model model = import_metadata(lfm2).file.model;
    CHECK(kv_of(model).growing * 32768 * 2 == 384 * kMiB);
    CHECK(kv_of(model).growing * 4096 * 2 == 48 * kMiB);

    auto wrong = lfm2;
    wrong["lfm2.attention.head_count_kv"] = "[0,8,0]";
    const std::string said = problem_text_of([&] { import_metadata(wrong); });
    INFO(said);
    CHECK(mentions(said, "lfm2.attention.head_count_kv"));
    CHECK(mentions(said, "3 numbers"));

    std::string list = "[", widths = "[";
    for (int i = 0; i < 162; ++i) {
        list += (i ? "," : "") + std::string(i < 64 ? "8" : "0");
        widths += (i ? "," : "") + std::string(i % 3 == 0 ? "0" : "425984");
    }
    const Model nas = import_metadata({{"general.architecture", "\"deci\""},
                                       {"deci.block_count", "162"},
                                       {"deci.embedding_length", "16384"},
                                       {"deci.attention.head_count", "128"},
                                       {"deci.attention.head_count_kv", list + "]"},
                                       {"deci.feed_forward_length", widths + "]"},
                                       {"deci.vocab_size", "128256"}})
                          .file.model;
    const double each = kv_of(nas).growing / 2.0 * 12288; // keys or values
    CHECK(each * 34 / 32 + each * 18 / 32 == 1248 * kMiB);
}

TEST_CASE("window layers have widths of their own", "[import][A06]") {
    std::string kv = "[", pattern = "[";
    for (int i = 0; i < 48; ++i) {
        kv += (i ? "," : "") + std::string(i % 6 == 5 ? "1" : "8");
        pattern += (i ? "," : "") + std::string(i % 6 == 5 ? "false" : "true");
    }
    const Model model = import_metadata({{"general.architecture", "\"gemma4\""},
                                         {"gemma4.block_count", "48"},
                                         {"gemma4.embedding_length", "3840"},
                                         {"gemma4.attention.head_count", "16"},
                                         {"gemma4.attention.head_count_kv", kv + "]"},
                                         {"gemma4.attention.key_length", "512"},
                                         {"gemma4.attention.value_length", "512"},
                                         {"gemma4.attention.key_length_swa", "256"},
                                         {"gemma4.attention.value_length_swa", "256"},
                                         {"gemma4.attention.sliding_window", "1024"},
                                         {"gemma4.attention.sliding_window_pattern", pattern + "]"},
                                         {"gemma4.feed_forward_length", "15360"},
                                         {"gemma4.vocab_size", "262144"}})
                            .file.model;
    CHECK(kv_of(model).growing == 8 * 1 * 1024);
    CHECK(kv_of(model).window == 40.0 * 8 * 512 * 1024);
    // 1536 cells: 1024 and a batch of 512, as the issue's runtime keeps them.
    const double bytes = (kv_of(model).growing * 131072 + kv_of(model).window * 1536 / 1024) * 34 / 32;
    CHECK(std::abs(bytes / kMiB - 1343) < 1.0);
}

TEST_CASE("KV cache of each kind of attention from its configuration", "[import][A01][A07][A25]") {
    const std::string mla =
        R"("kv_lora_rank":512,"qk_rope_head_dim":64,"qk_nope_head_dim":128,"v_head_dim":128,"num_attention_heads":64,)"
        R"("hidden_size":7168,"intermediate_size":18432,"vocab_size":1000,)";
    CHECK(std::abs(kv_gib(import_config("{" + mla + R"("num_hidden_layers":61})").file.model, 163840) - 10.72) < 0.01);
    CHECK(std::abs(kv_gib(import_config("{" + mla + R"("num_hidden_layers":61})").file.model, 262144) - 17.16) < 0.01);
    const Model small =
        import_config(
            R"({"hidden_size":1024,"head_dim":128,"num_attention_heads":16,"num_key_value_heads":8,"vocab_size":1000,)"
            R"("intermediate_size":3072,"num_hidden_layers":28})")
            .file.model;
    CHECK(kv_gib(small, 40960) == 4.375);
    const Model hybrid =
        import_config(
            R"({"model_type":"qwen3_5","hidden_size":5120,"head_dim":256,"num_attention_heads":24,"num_key_value_heads":4,)"
            R"("intermediate_size":17408,"num_hidden_layers":64,"full_attention_interval":4,"linear_num_value_heads":48,)"
            R"("linear_num_key_heads":16,"linear_key_head_dim":128,"linear_value_head_dim":128,"vocab_size":1000})")
            .file.model;
    CHECK(kv_gib(hybrid, 262144) == 16.0);
    CHECK(
        kv_gib(
            import_config(
                R"({"hidden_size":4096,"head_dim":128,"num_attention_heads":32,"num_key_value_heads":8,"vocab_size":1000,)"
                R"("intermediate_size":3072,"num_hidden_layers":36})")
                .file.model,
            32768) == 4.5);
}

TEST_CASE("experts of the feed-forward width, head of its own", "[import][A24]") {
    const Model model =
        import_path(std::filesystem::path(SPILLWAY_TESTS_DIR) / "data/configs/mixtral-8x7b.json", patterns())
            .file.model;
    CHECK(std::abs(total_params(model) / 1e9 - 46.7) < 0.1);
}

TEST_CASE("a stated number of parameters that is far off is a warning", "[import][A02]") {
    std::map<std::string, std::string> metadata = {{"general.architecture", "\"deepseek2\""},
                                                   {"deepseek2.block_count", "61"},
                                                   {"deepseek2.embedding_length", "7168"},
                                                   {"deepseek2.attention.head_count", "128"},
                                                   {"deepseek2.attention.kv_lora_rank", "512"},
                                                   {"deepseek2.attention.q_lora_rank", "1536"},
                                                   {"deepseek2.attention.key_length", "576"},
                                                   {"deepseek2.attention.value_length", "512"},
                                                   {"deepseek2.attention.key_length_mla", "192"},
                                                   {"deepseek2.attention.value_length_mla", "128"},
                                                   {"deepseek2.rope.dimension_count", "64"},
                                                   {"deepseek2.feed_forward_length", "18432"},
                                                   {"deepseek2.expert_count", "256"},
                                                   {"deepseek2.expert_used_count", "8"},
                                                   {"deepseek2.expert_feed_forward_length", "2048"},
                                                   {"deepseek2.expert_shared_count", "1"},
                                                   {"deepseek2.leading_dense_block_count", "3"},
                                                   {"deepseek2.vocab_size", "129280"},
                                                   {"general.parameter_count", "29600000000"}};
    const Imported imported = import_metadata(metadata);
    CHECK(std::abs(total_params(imported.file.model) / 671.03e9 - 1.0) < 0.001);
    REQUIRE(imported.warnings.size() == 1);
    CHECK(mentions(imported.warnings.front().found, "29.6 billion"));
    CHECK(mentions(imported.warnings.front().expected, "671 billion"));
    metadata["general.parameter_count"] = "671026419200";
    CHECK(import_metadata(metadata).warnings.empty());
}

TEST_CASE("size labels", "[import]") {
    CHECK(size_label_params("30B-A3B") == 30e9);
    CHECK(size_label_params("671B") == 671e9);
    CHECK(size_label_params("1.1T") == 1.1e12);
    CHECK(size_label_params("270M") == 270e6);
    CHECK_FALSE(size_label_params("8x7B"));
    CHECK_FALSE(size_label_params("large"));
    CHECK_FALSE(size_label_params(""));
}

namespace {

// One dense layer of 8 x 64 x 64 weights with an embedding of 100 rows.
std::vector<WrittenTensor> small_model(const std::string& type, std::uint64_t packing) {
    std::vector<WrittenTensor> tensors = {{"model.embed_tokens.weight", "BF16", {100, 64}},
                                          {"lm_head.weight", "BF16", {100, 64}}};
    for (const char* name : {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
                             "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"}) {
        tensors.push_back({fmt::format("model.layers.0.{}.weight", name), type, {64, 64 / packing}});
        if (packing == 8) {
            for (const char* end : {"scales", "biases"})
                tensors.push_back({fmt::format("model.layers.0.{}.{}", name, end), "F16", {64, 1}});
        }
    }
    return tensors;
}

const std::string kSmallConfig =
    R"("model_type":"llama","hidden_size":64,"intermediate_size":64,"num_hidden_layers":1,"num_attention_heads":4,"vocab_size":100)";

Imported import_small(const std::vector<WrittenTensor>& tensors, const std::string& quantization) {
    const TemporaryFolder folder;
    write_safetensors(folder / "model.safetensors", tensors);
    write_file(folder / "config.json", "{" + kSmallConfig + quantization + "}");
    return import_path(folder.path(), patterns());
}

} // namespace

TEST_CASE("the tensors' bytes outrank a label", "[import][E27]") {
    const Imported imported = import_small(
        small_model("F8_E4M3", 1), R"(,"quantization_config":{"quant_method":"modelopt","quant_algo":"NVFP4"})");
    CHECK(*imported.file.model.quantizations.front().rest == 8.0);
    REQUIRE(imported.warnings.size() == 1);
    CHECK(mentions(imported.warnings.front().found, "8 bits per weight"));
    CHECK(mentions(imported.warnings.front().expected, "nvfp4"));
}

TEST_CASE("32-bit words hold eight 4-bit weights", "[import][C06]") {
    const Imported imported = import_small(small_model("U32", 8), R"(,"quantization":{"bits":4,"group_size":64})");
    CHECK(*imported.file.model.quantizations.front().rest == 4.5); // 4 bits, scale and bias of 16 bits per 64
    CHECK(imported.counts.shapes == *imported.counts.tensors);
    CHECK(imported.warnings.empty());
}

TEST_CASE("what no pattern names is listed and counted", "[import]") {
    auto tensors = small_model("BF16", 1);
    tensors.push_back({"surprise.block", "BF16", {1000, 10}});
    const Imported imported = import_small(tensors, "");
    REQUIRE(imported.unmatched == std::vector<std::string>{"surprise.block"});
    REQUIRE(imported.warnings.size() == 2); // and the shapes do not account for it
    CHECK(mentions(imported.warnings.front().found, "1 tensors, 20000 B"));
    const Model& model = imported.file.model;
    CHECK(model_bytes(model, model.quantizations.front()).other->value == 20000.0);
}

TEST_CASE("a checkpoint or configuration stands for a model on the fly", "[import]") {
    const TemporaryFolder folder;
    write_safetensors(folder / "model.safetensors", small_model("BF16", 1));
    write_file(folder / "config.json", "{" + kSmallConfig + "}");
    Problems warnings;
    CHECK_FALSE(import_model("llama-3.1-8b", catalogue(), warnings));
    const std::string manifest = (catalogue().root() / "models/llama-3.1-8b.json").string();
    CHECK_FALSE(import_model(manifest, catalogue(), warnings));
    for (const std::string& path :
         {folder.path().string(), (folder / "model.safetensors").string(), (folder / "config.json").string()}) {
        const auto file = import_model(path, catalogue(), warnings);
        REQUIRE(file);
        CaseRequest request{.model = path, .machine = "apple-m3-ultra-256gb"};
        request.provided[path] = write_object(*file).dump();
        const LoadedCase loaded = load_case(request, catalogue());
        CHECK(loaded.value.quantization.rest);
        CHECK(evaluate(loaded.value).placement.residency.value_or(1.0) == 1.0);
    }
    CHECK(warnings.empty());
    CHECK(mentions(problem_text_of([&] { import_model("no-such.gguf", catalogue(), warnings); }), "no such file"));
}
