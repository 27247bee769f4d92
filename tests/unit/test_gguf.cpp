// GGUF headers that are right, in all their variety. The tags name faults that other programs shipped.
#include "checkpoint/gguf.h"
#include "checkpoint/gguf_types.h"
#include "checkpoint/open.h"
#include "support/checkpoint_writer.h"
#include "support/problem_text.h"

#include <catch2/catch.hpp>

#include <numeric>

using namespace spillway;
using namespace spillway::synthetic;

namespace {

Checkpoint read(const std::string& bytes, const ReadOptions& options = {}) {
    return read_gguf(std::as_bytes(std::span(bytes)), bytes.size(), "m.gguf", options);
}

std::uint64_t sum_of_bytes(const Checkpoint& checkpoint) {
    return std::accumulate(checkpoint.tensors.begin(), checkpoint.tensors.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const Tensor& t) { return sum + t.bytes; });
}

double bits_of(std::string_view name) {
    for (const GgufType& type : gguf_types()) {
        if (type.name == name) return bits_per_weight(type);
    }
    return 0.0;
}

} // namespace

TEST_CASE("bits per weight count the scales", "[C07]") {
    struct Row {
        std::string_view name;
        double bits;
    };
    // bytes x 8 / weights of the block structures of ggml
    const Row rows[] = {
        {"F32", 32},          {"F16", 16},       {"BF16", 16},        {"F64", 64},        {"I8", 8},
        {"I16", 16},          {"I32", 32},       {"I64", 64},         {"Q4_0", 4.5},      {"Q4_1", 5},
        {"Q5_0", 5.5},        {"Q5_1", 6},       {"Q8_0", 8.5},       {"Q8_1", 9},        {"Q2_K", 2.625},
        {"Q3_K", 3.4375},     {"Q4_K", 4.5},     {"Q5_K", 5.5},       {"Q6_K", 6.5625},   {"Q8_K", 9.125},
        {"IQ1_S", 1.5625},    {"IQ1_M", 1.75},   {"IQ2_XXS", 2.0625}, {"IQ2_XS", 2.3125}, {"IQ2_S", 2.5625},
        {"IQ3_XXS", 3.0625},  {"IQ3_S", 3.4375}, {"IQ4_NL", 4.5},     {"IQ4_XS", 4.25},   {"TQ1_0", 1.6875},
        {"TQ2_0", 2.0625},    {"MXFP4", 4.25},   {"NVFP4", 4.5},      {"Q1_0", 1.125},    {"Q2_0", 2.25},
        {"Q2_0_G128", 2.125}, {"Q4_0_4_4", 4.5}, {"Q4_0_4_8", 4.5},   {"Q4_0_8_8", 4.5},
    };
    for (const Row& row : rows) {
        INFO(std::string(row.name));
        CHECK(bits_of(row.name) == row.bits);
    }
    CHECK(std::size(rows) == gguf_types().size());
}

TEST_CASE("the type table is ordered and every id is found", "[gguf]") {
    std::uint32_t last = 0;
    for (const GgufType& type : gguf_types()) {
        CHECK(type.id >= last);
        last = type.id;
        const GgufType* found = find_gguf_type(type.id);
        REQUIRE(found != nullptr);
        CHECK((found->name == type.name || other_layout(*found)->name == type.name));
    }
    for (const std::uint32_t id : {4u, 5u, 36u, 37u, 38u, 43u, 139u, 0xffffffffu}) CHECK(find_gguf_type(id) == nullptr);
}

TEST_CASE("tensors fill the file behind the header to the byte", "[gguf][C07]") {
    GgufModel model;
    for (const GgufType& type : gguf_types()) {
        if (type.name == "Q2_0_G128") continue;
        model.tensors.push_back({std::string(type.name) + ".weight", std::string(type.name), {3, 2, 256}});
    }
    model.tensors.push_back({"last", "F32", {1}});
    const std::string bytes = gguf_bytes(model);
    const Checkpoint checkpoint = read(bytes);
    CHECK(checkpoint.form == CheckpointForm::gguf);
    CHECK(checkpoint.warnings.empty());
    REQUIRE(checkpoint.tensors.size() == model.tensors.size());
    for (std::size_t i = 0; i < model.tensors.size(); ++i) {
        const Tensor& tensor = checkpoint.tensors[i];
        INFO(tensor.name);
        CHECK(tensor.name == model.tensors[i].name);
        CHECK(tensor.type == model.tensors[i].type);
        CHECK(tensor.shape == model.tensors[i].shape);
        CHECK(tensor.bytes == stored_bytes(model.tensors[i]));
        CHECK_FALSE(tensor.size_derived);
        const bool last = i + 1 == model.tensors.size();
        const std::uint64_t next = last ? bytes.size() : checkpoint.tensors[i + 1].offset;
        CHECK(next - tensor.offset < tensor.bytes + 32);
    }
    CHECK(checkpoint.tensors.front().offset == checkpoint.data_start[0]);
    CHECK(checkpoint.file_bytes[0] == bytes.size());
}

TEST_CASE("values become JSON, long arrays their length", "[gguf]") {
    GgufModel model;
    model.values = {gguf_string("general.architecture", "llama"),
                    gguf_string("general.name", "a \"b\"\n\xc3\xa9"),
                    gguf_u32("llama.block_count", 4096),
                    gguf_i32("negative", -5),
                    gguf_u64("large", ~std::uint64_t{0}),
                    gguf_f32("eps", 1e-5f),
                    gguf_bool("yes", true),
                    gguf_i32s("heads", {8, 8, 0}),
                    gguf_bools("pattern", {true, false}),
                    gguf_i32s("empty", {}),
                    gguf_strings("tokens", {"a", "bb", ""}),
                    gguf_i32s("long", std::vector<std::int32_t>(2000, 7)),
                    gguf_string("text", std::string(70'000, 'x'))};
    const auto& values = read(gguf_bytes(model)).metadata;
    const std::map<std::string, std::string> expected = {{"general.architecture", "\"llama\""},
                                                         {"general.name", "\"a \\\"b\\\"\\n\xc3\xa9\""},
                                                         {"llama.block_count", "4096"},
                                                         {"negative", "-5"},
                                                         {"large", "18446744073709551615"},
                                                         {"eps", "1e-05"},
                                                         {"yes", "true"},
                                                         {"heads", "[8,8,0]"},
                                                         {"pattern", "[true,false]"},
                                                         {"empty", "[]"},
                                                         {"tokens.length", "3"},
                                                         {"long.length", "2000"},
                                                         {"text.length", "70000"}};
    CHECK(values == expected);
}

TEST_CASE("the header may end on the alignment", "[E06]") {
    const std::string bytes =
        from_hex("474755460300000001000000000000000000000000000000080000000000000061626364656667680100000008"
                 "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                 "000000000000");
    REQUIRE(bytes.size() == 96);
    const Checkpoint checkpoint = read(bytes);
    CHECK(checkpoint.data_start[0] == 64);
    CHECK(checkpoint.tensors[0].offset == 64);
    CHECK(checkpoint.tensors[0].offset + checkpoint.tensors[0].bytes == 96);
    // and on every other position
    for (std::size_t length = 1; length <= 70; ++length) {
        GgufModel model;
        model.tensors = {{std::string(length, 'n'), "F32", {8}}};
        const Checkpoint other = read(gguf_bytes(model));
        CHECK(other.data_start[0] % 32 == 0);
        CHECK(other.data_start[0] - (24 + 8 + length + 4 + 8 + 4 + 8) < 32);
    }
}

TEST_CASE("alignments as written are followed", "[gguf][E05]") {
    for (const std::uint32_t alignment : {8u, 16u, 32u, 64u, 4096u, 1u << 20}) {
        GgufModel model;
        model.alignment = alignment;
        model.tensors = {{"a", "F32", {1}}, {"b", "F16", {3}}};
        const Checkpoint checkpoint = read(gguf_bytes(model));
        INFO(alignment);
        CHECK(checkpoint.data_start[0] % alignment == 0);
        CHECK(checkpoint.tensors[1].offset - checkpoint.tensors[0].offset == std::max(alignment, 8u));
        CHECK(sum_of_bytes(checkpoint) == 10);
    }
}

TEST_CASE("version 2 reads like version 3", "[E09]") {
    GgufModel model;
    model.version = 2;
    model.tensors = {{"a", "Q8_0", {2, 32}}};
    CHECK(read(gguf_bytes(model)).tensors[0].bytes == 68);
    CHECK(read(from_hex("474755460200000000000000000000000000000000000000")).tensors.empty());
}

TEST_CASE("an MXFP4 tensor has 17 bytes for 32 weights", "[E10]") {
    const Checkpoint checkpoint = read(from_hex(
        "474755460300000001000000000000000000000000000000010000000000000074010000002000000000000000270000000000"
        "000000000000000000000000000000000000000000000000000000000000"));
    CHECK(checkpoint.tensors[0].bytes == 17);
    CHECK(checkpoint.tensors[0].elements == 32);
}

TEST_CASE("an unknown type is as large as the room to the next tensor", "[E10]") {
    GgufModel model;
    model.tensors = {{"first", "type 139", {32, 256}, 1000}, {"middle", "F32", {8}}, {"i2_s", "type 36", {64, 4}, 96}};
    const std::string bytes = gguf_bytes(model);
    const Checkpoint checkpoint = read(bytes);
    CHECK(checkpoint.tensors[0].bytes == 1024); // padding cannot be told from data
    CHECK(checkpoint.tensors[0].type == "type 139");
    CHECK(checkpoint.tensors[0].size_derived);
    CHECK(checkpoint.tensors[0].elements == 8192);
    CHECK_FALSE(checkpoint.tensors[1].size_derived);
    CHECK(checkpoint.tensors[2].bytes == 96);
    REQUIRE(checkpoint.warnings.size() == 1);
    CHECK(checkpoint.warnings[0].found == "type 36 (1 tensor), type 139 (1 tensor)");
    const std::string refused = problem_text_of([&] { read(bytes, {.strict = true}); });
    CHECK(mentions(refused, "type 139"));
    CHECK(mentions(refused, "not known"));
}

TEST_CASE("where two layouts share an id the offsets decide", "[E10]") {
    for (const std::uint64_t per_block : {36u, 34u}) { // 128 weights: two blocks of 64 or one of 128
        GgufModel model;
        model.tensors = {{"a", "Q2_0", {1024, 128}, 1024 * per_block}, {"b", "Q2_0", {512, 256}, 1024 * per_block}};
        const Checkpoint checkpoint = read(gguf_bytes(model));
        CHECK(checkpoint.tensors[0].bytes == 1024 * per_block);
        CHECK(checkpoint.tensors[1].bytes == 1024 * per_block);
        CHECK(checkpoint.tensors[0].type == (per_block == 36 ? "Q2_0" : "Q2_0_G128"));
    }
}

TEST_CASE("any part of a split model gives the whole", "[A14]") {
    for (const std::string separator : {"-", ".", "_"}) {
        for (const bool first_empty : {false, true}) {
            for (const bool split_keys : {false, true}) {
                TemporaryFolder folder;
                GgufModel model;
                model.parts = 3;
                model.separator = separator;
                model.first_empty = first_empty;
                model.split_keys = split_keys;
                for (int i = 0; i < 7; ++i) model.tensors.push_back({"t" + std::to_string(i), "F16", {1000, 1000}});
                const auto files = write_gguf(folder / "m.gguf", model);
                REQUIRE(files.size() == 3);
                for (auto path : {files[0], files[1], files[2], folder.path()}) {
                    INFO(path.string());
                    const Checkpoint checkpoint = open_checkpoint(path);
                    CHECK(checkpoint.files == files);
                    CHECK(checkpoint.tensors.size() == 7);
                    CHECK(sum_of_bytes(checkpoint) == 14'000'000);
                    CHECK(checkpoint.tensors.back().file == 2);
                    CHECK(checkpoint.warnings.empty());
                }
            }
        }
    }
}

TEST_CASE("sets in one folder are told apart by base name and total", "[A14]") {
    TemporaryFolder folder;
    GgufModel model;
    model.tensors = {{"a", "F32", {10}}, {"b", "F32", {20}}, {"c", "F32", {30}}};
    model.parts = 2;
    const auto two = write_gguf(folder / "m.gguf", model);
    model.parts = 3;
    const auto three = write_gguf(folder / "m.gguf", model);
    write_gguf(folder / "other.gguf", model);
    CHECK(open_checkpoint(two[1]).files == two);
    CHECK(open_checkpoint(three[1]).files == three);
    CHECK(mentions(problem_text_of([&] { open_checkpoint(folder.path()); }), "several models"));
}
