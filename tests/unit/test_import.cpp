// Import of synthetic checkpoints with the true shapes of real models: bytes exact per part, shapes those of the
// catalogue.
#include "checkpoint/manifest.h"
#include "engine/kv.h"
#include "engine/params.h"
#include "engine/sizes.h"
#include "io/load_files.h"
#include "support/real_shapes.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>

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

double value(const std::optional<Bytes>& bytes) { return bytes ? bytes->value : 0.0; }

double kv_per_token(const Model& model) {
    double elements = 0.0;
    for (const Block& block : model.blocks) {
        if (block.attention) elements += layer_count(block) * kv_elements_per_token(*block.attention);
    }
    return elements;
}

double window_elements(const Model& model) {
    double elements = 0.0;
    for (const Block& block : model.blocks) {
        if (block.attention)
            elements += layer_count(block) * kv_window_elements(*block.attention) *
                        static_cast<double>(block.attention->window);
    }
    return elements;
}

double total_of(const ShapedModel& shaped) {
    double sum = 0.0;
    for (const auto& [part, bytes] : shaped.bytes) sum += part == "experts_down" ? 0.0 : static_cast<double>(bytes);
    return sum;
}

// What the engine charges for the imported quantization is what was written, to the byte.
void check_bytes(const Imported& imported, const ShapedModel& shaped) {
    const Model& model = imported.file.model;
    REQUIRE(model.quantizations.size() == 2);
    CHECK(model.quantizations.front().name == "imported");
    const Quantization& q = model.quantizations.front();
    const ModelBytes bytes = model_bytes(model, q);
    const auto written = [&](const char* part) {
        const auto found = shaped.bytes.find(part);
        return found == shaped.bytes.end() ? 0.0 : static_cast<double>(found->second);
    };
    CHECK(std::abs(value(bytes.experts) - written("experts")) < 0.5);
    CHECK(std::abs(value(bytes.layers) + value(bytes.outside) - written("rest")) < 0.5);
    CHECK(std::abs(value(bytes.table) + value(bytes.head) - written("embedding")) < 0.5);
    CHECK(std::abs(value(bytes.drafter) - written("drafter_experts") - written("drafter_rest")) < 0.5);
    CHECK(std::abs(value(bytes.other) - written("other")) < 0.5);
    CHECK(std::abs(value(bytes.tables) - written("tables")) < 0.5);
    CHECK(imported.tensor_bytes.value == total_of(shaped));
}

void check_shapes(const Model& model, const std::string& id) {
    LoadContext context{catalogue(), {}};
    const auto known = load_model(context, id);
    REQUIRE(known);
    const Model& expected = known->file.model;
    CHECK(std::abs(total_params(model) / total_params(expected) - 1.0) < 0.001);
    CHECK(std::abs(active_params(model) / active_params(expected) - 1.0) < 0.001);
    CHECK(kv_per_token(model) == kv_per_token(expected));
    CHECK(window_elements(model) == window_elements(expected));
    CHECK(model.tied_embedding == expected.tied_embedding);
    if (!expected.drafter || !model.drafter) return;
    const auto drafter_params = [](const Model& m) {
        Quantization q;
        q.experts = q.rest = q.embedding = 8.0;
        return value(model_bytes(m, q).drafter);
    };
    CHECK(std::abs(drafter_params(model) / drafter_params(expected) - 1.0) < 0.001);
}

Imported import_shaped(const ShapedModel& shaped, std::size_t shards = 3) {
    const TemporaryFolder folder;
    return import_path(shaped.write(folder.path(), shards), patterns(), "synthetic");
}

} // namespace

TEST_CASE("imported bytes are the written bytes, part by part, and shapes are the catalogue's", "[import]") {
    const std::function<ShapedModel()> makers[] = {llama_8b,      qwen3_30b_gguf,    deepseek_v3, qwen3_next_80b,
                                                   gpt_oss_120b,  gemma3_27b_gguf,   glm45_gguf,  nemotron_nano,
                                                   qwen3_30b_mlx, deepseek_v41_flash};
    for (const auto& make : makers) {
        const ShapedModel shaped = make();
        const Imported imported = import_shaped(shaped);
        INFO(shaped.catalogue_id << (shaped.config.empty() ? " GGUF" : " safetensors"));
        for (const Problem& p : imported.warnings) UNSCOPED_INFO(p.message << ": " << p.found << " / " << p.expected);
        CHECK(imported.warnings.empty());
        CHECK(imported.unmatched.empty());
        check_bytes(imported, shaped);
        check_shapes(imported.file.model, shaped.catalogue_id);
        CHECK(std::abs(imported.counts.shapes / *imported.counts.tensors - 1.0) < 0.01);
    }
}

TEST_CASE("the published sizes of DeepSeek-V4.1-Flash come out", "[import]") {
    const Imported imported = import_shaped(deepseek_v41_flash(), 48);
    const auto gigabytes = [&](const char* part, bool drafter) {
        for (const PartRow& row : imported.parts) {
            if (row.part == part && row.drafter == drafter) return std::round(row.bytes.value / 1e7) / 100.0;
        }
        return 0.0;
    };
    CHECK(std::round(imported.tensor_bytes.value / 1e7) / 100.0 == 510.29);
    CHECK(gigabytes("experts", false) == 288.78);
    CHECK(gigabytes("experts", true) == 7.22);
    CHECK(gigabytes("table", false) == 202.76);
    CHECK(gigabytes("attention", false) == 5.07);
    CHECK(gigabytes("shared", false) == 1.42);
    CHECK(imported.file.model.drafter->drafts_block);
    CHECK(imported.file.model.prefill_tail_tokens == 128);
    CHECK(imported.file.model.tables.front().rows == 768022850);
    CHECK(imported.file.model.tables.front().rows_per_token == 48);
}

TEST_CASE("overrides per module give each part its own width", "[import][E28]") {
    const Imported imported = import_shaped(qwen3_30b_mlx());
    const auto bits = [&](const char* part) {
        for (const PartRow& row : imported.parts) {
            if (row.part == part) return row.bits.value_or(0.0);
        }
        return 0.0;
    };
    CHECK(bits("experts") == 4.25);
    CHECK(bits("attention") == Approx(8.5).epsilon(0.001)); // with the norms of queries and keys
    CHECK(bits("head") == 16.0);
}
