// safetensors headers, shards and indexes, right and wrong. The tags name faults that other programs shipped.
#include "checkpoint/open.h"
#include "checkpoint/safetensors.h"
#include "support/checkpoint_writer.h"
#include "support/problem_text.h"

#include <catch2/catch.hpp>

#include <numeric>

using namespace spillway;
using namespace spillway::synthetic;

namespace {

Checkpoint read(const std::string& bytes, const ReadOptions& options = {}) {
    return read_safetensors(std::as_bytes(std::span(bytes)), bytes.size(), "m.safetensors", options);
}

// What is said about a header of this JSON and `data` bytes behind it.
std::string refusal(std::string_view json, std::size_t data = 0) {
    const std::string bytes = safetensors_text(json) + std::string(data, '\0');
    return problem_text_of([&] { read(bytes); });
}
std::string refusal_of_hex(std::string_view hex) {
    return problem_text_of([&] { read(from_hex(hex)); });
}

void check_mentions(const std::string& text, std::initializer_list<std::string_view> parts) {
    INFO(text);
    CHECK_FALSE(text.empty());
    for (const std::string_view part : parts) {
        INFO(std::string(part));
        CHECK(mentions(text, part));
    }
}

std::uint64_t sum_of_bytes(const Checkpoint& checkpoint) {
    return std::accumulate(checkpoint.tensors.begin(), checkpoint.tensors.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const Tensor& t) { return sum + t.bytes; });
}

} // namespace

TEST_CASE("all dtypes have their size", "[E20]") {
    struct Row {
        const char* dtype;
        std::uint64_t bytes; // of 24 elements
    };
    const Row rows[] = {{"BOOL", 24},    {"U8", 24},          {"I8", 24},         {"F8_E4M3", 24}, {"F8_E5M2", 24},
                        {"F8_E8M0", 24}, {"F4", 12},          {"F6_E2M3", 18},    {"F6_E3M2", 18}, {"I16", 48},
                        {"U16", 48},     {"F16", 48},         {"BF16", 48},       {"I32", 96},     {"U32", 96},
                        {"F32", 96},     {"I64", 192},        {"U64", 192},       {"F64", 192},    {"C64", 192},
                        {"C128", 384},   {"F8_E4M3FNUZ", 24}, {"F8_E5M2FNUZ", 24}};
    for (const Row& row : rows) {
        INFO(row.dtype);
        const Checkpoint checkpoint = read(safetensors_bytes({{"w", row.dtype, {2, 3, 4}, row.bytes}}));
        CHECK(checkpoint.form == CheckpointForm::safetensors);
        CHECK(checkpoint.tensors[0].bytes == row.bytes);
        CHECK(checkpoint.tensors[0].elements == 24);
        CHECK(checkpoint.tensors[0].type == row.dtype);
        CHECK(checkpoint.tensors[0].shape == std::vector<std::uint64_t>{2, 3, 4});
        CHECK(checkpoint.warnings.empty());
    }
}

TEST_CASE("four-bit weights with their scales have 4.25 bits", "[E20]") {
    const Checkpoint checkpoint = read(from_hex("76000000000000007b2277223a7b226474797065223a224634222c227368617065223a"
                                                "5b322c33325d2c22646174615f6f666673657473223a5b302c33325d7d2c2273"
                                                "223a7b226474797065223a2246385f45384d30222c227368617065223a5b322c315d2c"
                                                "22646174615f6f666673657473223a5b33322c33345d7d7d0000000000000000"
                                                "0000000000000000000000000000000000000000000000000000"));
    REQUIRE(checkpoint.tensors.size() == 2);
    CHECK(checkpoint.tensors[0].elements == 64);
    CHECK(checkpoint.tensors[0].bytes == 32);
    CHECK(checkpoint.tensors[1].bytes == 2);
    CHECK(8.0 * static_cast<double>(sum_of_bytes(checkpoint)) / 64.0 == 4.25);
    check_mentions(refusal(R"({"w":{"dtype":"F4","shape":[3],"data_offsets":[0,1]}})", 1),
                   {"tensor w", "whole bytes", "3 elements"});
    check_mentions(refusal(R"({"w":{"dtype":"F6_E2M3","shape":[3],"data_offsets":[0,2]}})", 2),
                   {"tensor w", "whole bytes"});
}

TEST_CASE("an unknown dtype has the size of its range", "[E20]") {
    const std::string bytes = safetensors_bytes({{"w", "F3_E1M1", {64}, 24}, {"v", "F32", {1}}});
    const Checkpoint checkpoint = read(bytes);
    CHECK(checkpoint.tensors[0].bytes == 24);
    CHECK(checkpoint.tensors[0].size_derived);
    CHECK_FALSE(checkpoint.tensors[1].size_derived);
    REQUIRE(checkpoint.warnings.size() == 1);
    CHECK(checkpoint.warnings[0].found == "F3_E1M1 (1 tensor)");
    check_mentions(problem_text_of([&] { read(bytes, {.strict = true}); }), {"F3_E1M1", "not known"});
}

TEST_CASE("empty tensors, scalars and no tensors are all right", "[safetensors]") {
    const Checkpoint checkpoint =
        read(safetensors_bytes({{"a", "F32", {2}}, {"empty", "F32", {0, 5}}, {"scalar", "I64", {}}}));
    CHECK(checkpoint.tensors[1].bytes == 0);
    CHECK(checkpoint.tensors[2].bytes == 8);
    CHECK(checkpoint.tensors[2].elements == 1);
    CHECK(read(safetensors_text("{}")).tensors.empty());
    CHECK(read(safetensors_text(R"({"__metadata__":{"format":"mlx"}}   )")).metadata.at("format") == "\"mlx\"");
}

TEST_CASE("inconsistent headers are refused, each with its own reason", "[E19]") {
    check_mentions(refusal_of_hex("6c000000000000007b2261223a7b226474797065223a22463332222c227368617065223a5b325d2c2264"
                                  "6174615f6f666673657473223a5b302c38"
                                  "5d7d2c2262223a7b226474797065223a22463332222c227368617065223a5b325d2c22646174615f6f66"
                                  "6673657473223a5b342c31325d7d7d00000000"
                                  "0000000000000000"),
                   {"tensor b", "overlaps tensor a", "[4, 12]"});
    check_mentions(refusal_of_hex("6b000000000000007b2261223a7b226474797065223a22463332222c227368617065223a5b315d2c2264"
                                  "6174615f6f666673657473223a5b302c345d"
                                  "7d2c2261223a7b226474797065223a22463332222c227368617065223a5b315d2c22646174615f6f6666"
                                  "73657473223a5b342c385d7d7d000000000000"
                                  "0000"),
                   {"tensor a", "twice"});
    check_mentions(refusal_of_hex("36000000000000007b2261223a7b226474797065223a22463332222c227368617065223a5b345d2c2264"
                                  "6174615f6f666673657473223a5b302c385d"
                                  "7d7d0000000000000000"),
                   {"tensor a", "disagrees", "8 bytes", "16 bytes"});
    check_mentions(refusal_of_hex("36000000000000007b2261223a7b226474797065223a22463332222c227368617065223a5b315d2c2264"
                                  "6174615f6f666673657473223a5b382c345d"
                                  "7d7d0000000000000000"),
                   {"tensor a", "ends before it begins", "[8, 4]"});
    check_mentions(refusal_of_hex("36000000000000007b2261223a7b226474797065223a22463332222c227368617065223a5b315d2c2264"
                                  "6174615f6f666673657473223a5b342c385d"
                                  "7d7d0000000000000000"),
                   {"tensor a", "belong to no tensor"});
    check_mentions(refusal_of_hex("04000000000000007b22ff7d"), {"not UTF-8"});
    check_mentions(refusal(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 9),
                   {"bytes at the end", "5 bytes"});
}

TEST_CASE("entries of the wrong form are refused", "[safetensors]") {
    struct Row {
        const char* json;
        const char* says;
    };
    const Row rows[] = {
        {R"([1])", "no header"},
        {R"({"a":1})", "no object"},
        {R"({"":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "empty name"},
        {R"({"a":{"dtype":"F32","shape":[1]}})", "incomplete"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", "incomplete"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}})", "incomplete"},
        {R"({"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "twice"},
        {R"({"a":{"dtype":7,"shape":[1],"data_offsets":[0,4]}})", "dtype is no string"},
        {R"({"a":{"dtype":"F32","shape":1,"data_offsets":[0,4]}})", "shape is no array"},
        {R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", "no count"},
        {R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})", "no count"},
        {R"({"a":{"dtype":"F32","shape":["1"],"data_offsets":[0,4]}})", "no count"},
        {R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]}})", "element count overflows"},
        {R"({"a":{"dtype":"F32","shape":[18446744073709551615,2],"data_offsets":[0,4]}})", "element count overflows"},
        {R"({"a":{"dtype":"F32","shape":[2305843009213693952],"data_offsets":[0,4]}})", "size in bytes overflows"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,18446744073709551615]}})", "overflows"},
        {R"({"a":{"dtype":"F32","shape":[18446744073709551616],"data_offsets":[0,4]}})", "m.safetensors"},
        {R"({"__metadata__":{"format":1}})", "no string"},
        {R"({"__metadata__":"pt"})", "no object"},
        {R"({"a":)", "ends too early"},
        {R"({} x)", "not valid JSON"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],}})", "not valid JSON"},
    };
    for (const Row& row : rows) {
        INFO(row.json);
        check_mentions(refusal(row.json, 4), {row.says});
    }
    const std::string deep = "{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
    CHECK_FALSE(refusal(deep).empty());
}

TEST_CASE("header lengths beyond the file or the limit are refused", "[E16]") {
    check_mentions(problem_text_of([] { read(from_hex("409ddf0700000000")); }),
                   {"132095296", "100000000", "too large"});
    for (const std::string length :
         {"ffffffffffffffff", "feffffffffffffff", "f8ffffffffffffff", "0000000000000080", "01e1f50500000000"}) {
        check_mentions(problem_text_of([&] { read(from_hex(length) + "{}"); }), {"too large"});
    }
    check_mentions(problem_text_of([] { read(from_hex("0300000000000000") + "{}"); }), {"cut off in its header"});
    check_mentions(problem_text_of([] { read(from_hex("0000000000000000")); }), {"no header"});
    check_mentions(problem_text_of([] { read("{}"); }), {"cut off"});
    TemporaryFolder folder;
    write_file(folder / "m.safetensors", from_hex("ffffffffffffffff7b7d"));
    check_mentions(problem_text_of([&] { open_checkpoint(folder / "m.safetensors"); }),
                   {"18446744073709551615", "too large"});
}

TEST_CASE("a safetensors file that was cut is refused with what it needs", "[E12]") {
    TemporaryFolder folder;
    write_safetensors(folder / "m.safetensors", {{"a", "BF16", {1000, 1000}}, {"b", "BF16", {1000, 1000}}});
    const std::uint64_t whole = std::filesystem::file_size(folder / "m.safetensors");
    stretch(folder / "m.safetensors", whole - 1'000'000);
    check_mentions(problem_text_of([&] { open_checkpoint(folder / "m.safetensors"); }),
                   {"tensor b", "cut off", std::to_string(whole), "75 %"});
    const Checkpoint checkpoint = open_checkpoint(folder / "m.safetensors", {.allow_incomplete = true});
    CHECK(sum_of_bytes(checkpoint) == 4'000'000);
    CHECK(checkpoint.warnings.size() == 1);
}

TEST_CASE("shards are read from index, folder and any shard alike", "[A14]") {
    std::vector<WrittenTensor> tensors;
    for (int i = 0; i < 20; ++i) tensors.push_back({"t" + std::to_string(i), "F8_E4M3", {1000, 100}});
    for (const bool with_index : {true, false}) {
        TemporaryFolder folder;
        const auto files = write_shards(folder.path(), tensors, 3, with_index);
        write_file(folder / "config.json", R"({"model_type":"llama"})");
        std::vector<std::filesystem::path> ways = {folder.path(), files[0], files[2]};
        if (with_index) ways.push_back(folder / "model.safetensors.index.json");
        for (const auto& way : ways) {
            INFO(way.string());
            const Checkpoint checkpoint = open_checkpoint(way);
            CHECK(checkpoint.files == files);
            CHECK(checkpoint.tensors.size() == 20);
            CHECK(sum_of_bytes(checkpoint) == 2'000'000);
            CHECK(checkpoint.config_json == R"({"model_type":"llama"})");
            CHECK(checkpoint.warnings.empty());
        }
        std::filesystem::remove(files[1]);
        for (const auto& way : ways) {
            check_mentions(problem_text_of([&] { open_checkpoint(way); }),
                           {"model-00002-of-00003.safetensors", "missing"});
        }
    }
}

TEST_CASE("the index is held against the shards", "[safetensors]") {
    TemporaryFolder folder;
    write_shards(folder.path(), {{"a", "F32", {1}}, {"b", "F32", {1}}}, 2, false);
    const auto index = folder / "model.safetensors.index.json";
    const auto said = [&](const std::string& map, const std::string& metadata = "{}") {
        write_file(index, R"({"metadata":)" + metadata + R"(,"weight_map":)" + map + "}");
        return problem_text_of([&] { open_checkpoint(folder.path()); });
    };
    const std::string one = "\"model-00001-of-00002.safetensors\"", two = "\"model-00002-of-00002.safetensors\"";
    CHECK(said("{\"a\":" + one + ",\"b\":" + two + "}").empty());
    check_mentions(said("{\"a\":" + two + ",\"b\":" + one + "}"), {"tensor a", "not in the file that the index names"});
    check_mentions(said("{\"a\":" + one + ",\"b\":" + two + ",\"c\":" + two + "}"),
                   {"tensor c", "in the index but not in its file"});
    check_mentions(said("{\"a\":" + one + ",\"a\":" + one + "}"), {"tensor a", "twice"});
    check_mentions(said(R"({"a":"../x.safetensors"})"), {"tensor a", "not beside the index"});
    check_mentions(said(R"({"a":1})"), {"tensor a", "no string"});
    check_mentions(said("[]"), {"weight_map", "no object"});
    CHECK(said("{\"a\":" + one + ",\"b\":" + two + "}", R"({"total_size":9})").empty());
    const Checkpoint checkpoint = open_checkpoint(folder.path());
    REQUIRE(checkpoint.warnings.size() == 1);
    CHECK(checkpoint.warnings[0].found == "9");
    CHECK(checkpoint.warnings[0].expected == "8");
    write_file(index, "{}");
    check_mentions(problem_text_of([&] { open_checkpoint(folder.path()); }), {"weight_map", "missing"});
}

TEST_CASE("tensors in two shards are refused", "[E11]") {
    TemporaryFolder folder;
    write_shards(folder.path(), {{"twin", "F32", {1}}, {"twin", "F32", {1}}}, 2, false);
    check_mentions(problem_text_of([&] { open_checkpoint(folder.path()); }),
                   {"tensor twin", "twice", "00001-of", "00002-of"});
}
