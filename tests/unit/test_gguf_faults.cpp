// GGUF files that must be refused, each with its reason. The tags name faults that other programs shipped.
#include "checkpoint/gguf.h"
#include "checkpoint/open.h"
#include "support/checkpoint_writer.h"
#include "support/problem_text.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <limits>

using namespace spillway;
using namespace spillway::synthetic;

namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

std::string refusal(const std::string& bytes, std::uint64_t file_bytes = 0, const ReadOptions& options = {}) {
    return problem_text_of([&] {
        read_gguf(std::as_bytes(std::span(bytes)), file_bytes > 0 ? file_bytes : bytes.size(), "m.gguf", options);
    });
}

// A header of these rows with room behind it.
std::string with_room(const std::vector<GgufRow>& rows, std::size_t room = 4096,
                      const std::vector<GgufValue>& values = {}) {
    std::string bytes = gguf_header(3, values, rows);
    bytes.resize((bytes.size() + 31) / 32 * 32 + room, '\0');
    return bytes;
}

std::string alignment_of(std::uint32_t value) {
    return with_room({{"t", 0, {1}, 0}}, 4096, {gguf_u32("general.alignment", value)});
}

void check_mentions(const std::string& text, std::initializer_list<std::string_view> parts) {
    INFO(text);
    CHECK_FALSE(text.empty());
    for (const std::string_view part : parts) {
        INFO(std::string(part));
        CHECK(mentions(text, part));
    }
}

} // namespace

TEST_CASE("zero dimensions and empty keys are refused", "[E01]") {
    check_mentions(refusal(from_hex(
                       "4747554603000000010000000000000000000000000000000100000000000000740200000001000000000000000000"
                       "000000000000000000000000000000000000")),
                   {"tensor t", "dimension 2 is zero"});
    check_mentions(
        refusal(from_hex("47475546030000000000000000000000010000000000000000000000000000000400000001000000")),
        {"a key", "empty"});
    for (std::size_t zero = 0; zero < 4; ++zero) {
        std::vector<std::uint64_t> dims = {32, 32, 32, 32};
        dims[zero] = 0;
        check_mentions(refusal(with_room({{"t", 8, dims, 0}})), {"dimension " + std::to_string(zero + 1) + " is zero"});
    }
    check_mentions(refusal(with_room({{"", 0, {1}, 0}})), {"name of a tensor", "empty"});
}

TEST_CASE("more than four dimensions are refused before they are read", "[E02]") {
    const auto start = std::chrono::steady_clock::now();
    check_mentions(
        refusal(
            from_hex("474755460300000001000000000000000000000000000000010000000000000074050000000200000000000000020000"
                     "0000000000020000000000000002000000000000000200000000000000000000000000000000000000")),
        {"tensor t", "n_dims 5 exceeds 4"});
    check_mentions(
        refusal(from_hex(
            "474755460300000001000000000000000000000000000000010000000000000074ffffffff000000000000000000000000")),
        {"n_dims 4294967295 exceeds 4"});
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(10));
}

TEST_CASE("products that overflow are refused", "[E03]") {
    check_mentions(
        refusal(from_hex(
            "4747554603000000010000000000000000000000000000000100000000000000740200000000000000010000000000000001"
            "000000000000000000000000000000")),
        {"tensor t", "element count overflows"});
    check_mentions(refusal(with_room({{"t", 0, {kMax, 2}, 0}})), {"element count overflows"});
    check_mentions(refusal(with_room({{"t", 0, {1ull << 63}, 0}})), {"element count overflows"});
    check_mentions(refusal(with_room({{"t", 0, {1ull << 62}, 0}})), {"size in bytes overflows"});
    check_mentions(refusal(with_room({{"t", 8, {1152, (1ull << 42) + 1}, 0}})), {"cut off"});
    check_mentions(refusal(with_room({{"t", 0, {1}, kMax - 31}})), {"offset overflows"});
    check_mentions(refusal(with_room({{"t", 0, {1ull << 60}, (1ull << 62)}})), {"t"});
    check_mentions(refusal(with_room({{"t", 0, {1ull << 60}, (1ull << 63) - 4096}})), {"its end overflows"});
}

TEST_CASE("impossible alignments are refused with key and value", "[E05]") {
    check_mentions(
        refusal(from_hex(
            "474755460300000000000000000000000100000000000000110000000000000067656e6572616c2e616c69676e6d656e74040000"
            "0000000000")),
        {"general.alignment", "found 0"});
    for (const std::uint32_t value : {0u, 1u, 4u, 24u, 33u, 1u << 21, 1u << 30, 1u << 31, 0xffffffffu}) {
        check_mentions(refusal(alignment_of(value)),
                       {"general.alignment", "found " + std::to_string(value), "power of two"});
    }
    const GgufValue wrong[] = {gguf_u64("general.alignment", 32), gguf_i32("general.alignment", 32),
                               gguf_f32("general.alignment", 32.0f), gguf_string("general.alignment", "32"),
                               gguf_i32s("general.alignment", {32})};
    for (const GgufValue& value : wrong) {
        check_mentions(refusal(with_room({{"t", 0, {1}, 0}}, 4096, {value})),
                       {"general.alignment", "wrong type", "32"});
    }
}

TEST_CASE("byte order and versions are named", "[E08][E09]") {
    check_mentions(refusal(from_hex("474755460000000300000000000000000000000000000000")), {"big-endian GGUF v3"});
    check_mentions(refusal(from_hex("474755460000000200000000000000000000000000000000")), {"big-endian GGUF v2"});
    check_mentions(refusal(from_hex("465547470000000300000000000000000000000000000000")), {"big-endian"});
    check_mentions(refusal(from_hex("47475546010000000000000000000000")), {"GGUF v1", "convert"});
    check_mentions(refusal(from_hex("474755460400000000000000000000000000000000000000")), {"GGUF v4", "newer"});
    check_mentions(refusal(from_hex("474755460000000000000000000000000000000000000000")), {"version 0"});
    check_mentions(refusal(from_hex("4747")), {"cut off", "magic"});
}

TEST_CASE("a file that was cut is refused with what it needs", "[E12]") {
    TemporaryFolder folder;
    GgufModel model;
    for (int i = 0; i < 95; ++i) model.tensors.push_back({"blk." + std::to_string(i), "F16", {50, 1'000'000}});
    const auto path = write_gguf(folder / "m.gguf", model).front();
    stretch(path, 50'000'000);
    check_mentions(problem_text_of([&] { open_checkpoint(path); }),
                   {"tensor blk.0:", "cut off", "has 50000000", "0.526 %"});
    const Checkpoint incomplete = open_checkpoint(path, {.allow_incomplete = true});
    CHECK(incomplete.tensors.size() == 95);
    CHECK(incomplete.tensors.back().bytes == 100'000'000);
    CHECK(incomplete.warnings.size() == 1);
}

TEST_CASE("a tensor without known type or room has no size, incomplete or not", "[E10][E12]") {
    // found by fuzzing: the first tensor outside the file had a size, the last had none
    const std::string bytes = with_room({{"known", 0, {4096}, 0}, {"last", 139, {8}, 16384}}, 64);
    check_mentions(refusal(bytes), {"tensor last", "type 139", "cut off"});
    check_mentions(refusal(bytes, 0, {.allow_incomplete = true}), {"tensor last", "type 139", "cut off"});
}

TEST_CASE("every cut through a header is refused", "[E12]") {
    GgufModel model;
    model.values = {gguf_string("general.architecture", "llama"), gguf_strings("tokens", {"a", "b"}),
                    gguf_i32s("heads", {1, 2})};
    model.tensors = {{"a", "Q4_K", {2, 256}}, {"b", "F32", {4}}};
    const std::string bytes = gguf_bytes(model);
    for (std::size_t length = 0; length + 32 < bytes.size(); ++length) {
        INFO(length);
        const std::string head = bytes.substr(0, length);
        CHECK_FALSE(refusal(head).empty());
        // the same bytes of a file that goes on: they do not suffice, which is said and nothing is read behind them
        if (length + 352 <= bytes.size()) CHECK_FALSE(refusal(head, bytes.size()).empty());
    }
    CHECK(refusal(bytes).empty());
}

TEST_CASE("counts that the file cannot hold are refused at once", "[E03]") {
    const std::string head = "GGUF" + from_hex("03000000");
    for (const std::string count : {"0000000000000080", "ffffffffffffffff", "ffffffff00000000", "0100000000000010"}) {
        check_mentions(refusal(head + from_hex(count + "0000000000000000") + std::string(64, '\0')),
                       {"number of tensors", "does not fit"});
        check_mentions(refusal(head + from_hex("0000000000000000" + count) + std::string(64, '\0')),
                       {"number of key-values", "does not fit"});
        for (const std::string type : {"00", "04", "08", "09", "0c"}) { // arrays of u8, u32, string, array, f64
            const GgufValue array = {"k", 9, from_hex(type + "000000" + count)};
            check_mentions(refusal(with_room({}, 64, {array})), {"key \"k\"", "more elements"});
        }
        check_mentions(refusal(with_room({}, 64, {{"k", 8, from_hex(count)}})), {"cut off"});
        check_mentions(refusal(with_room({}, 64, {{"k", 9, from_hex("080000000100000000000000" + count)}})),
                       {"cut off"});
    }
}

TEST_CASE("a huge sparse file cannot keep the reader busy", "[E03]") {
    TemporaryFolder folder;
    const auto path = folder / "m.gguf";
    // 2^36 empty strings, which the file could hold
    write_file(path, gguf_header(3, {{"k", 9, from_hex("080000000000000010000000")}}, {}));
    stretch(path, 1ull << 40);
    const auto start = std::chrono::steady_clock::now();
    check_mentions(problem_text_of([&] { open_checkpoint(path); }), {"does not end within 256 MiB"});
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

TEST_CASE("arrays in arrays are followed so far and no further", "[gguf]") {
    std::string bytes;
    for (int depth = 0; depth < 7; ++depth) bytes += from_hex("090000000100000000000000");
    const std::string end = from_hex("0000000001000000000000002a");
    CHECK(refusal(with_room({}, 64, {{"k", 9, bytes + end}})).empty());
    for (int depth = 0; depth < 100'000; ++depth) bytes += from_hex("090000000100000000000000");
    check_mentions(refusal(with_room({}, 64, {{"k", 9, bytes + end}})), {"key \"k\"", "nested deeper than 8"});
}

TEST_CASE("tensors and keys given twice are refused", "[E11]") {
    check_mentions(refusal(from_hex("474755460300000000000000000000000200000000000000110000000000000067656e6572616c2e61"
                                    "6c69676e6d656e740400000020"
                                    "000000110000000000000067656e6572616c2e616c69676e6d656e740400000040000000")),
                   {"general.alignment", "twice", "64", "32"});
    const GgufRow row = {"twin", 0, {8}, 0}, other = {"twin", 0, {8}, 32};
    check_mentions(refusal(with_room({row, other})), {"tensor twin", "twice"});
    check_mentions(refusal(with_room({}, 64, {gguf_strings("k", {"a"}), gguf_strings("k", {"b"})})),
                   {"key \"k\"", "twice"});
    check_mentions(refusal(with_room({}, 64, {gguf_u32("k", 1), gguf_string("k", "1")})), {"key \"k\"", "twice"});
    const std::string same = with_room({}, 0, {gguf_u32("k", 1), gguf_u32("k", 1)});
    CHECK(read_gguf(std::as_bytes(std::span(same)), same.size(), "m.gguf").warnings.size() == 1);
}

TEST_CASE("tensors in two parts are refused", "[E11]") {
    TemporaryFolder folder;
    GgufModel model;
    model.parts = 2;
    model.tensors = {{"twin", "F32", {8}}, {"twin", "F32", {8}}};
    const auto files = write_gguf(folder / "m.gguf", model);
    check_mentions(problem_text_of([&] { open_checkpoint(files[0]); }),
                   {"tensor twin", "twice", "m-00001-of-00002", "m-00002-of-00002"});
}

TEST_CASE("offsets that are not aligned or overlap are refused", "[E19]") {
    check_mentions(refusal(with_room({{"t", 0, {8}, 4}})), {"tensor t", "not aligned", "32"});
    check_mentions(refusal(with_room({{"a", 0, {64}, 0}, {"b", 0, {8}, 32}})), {"tensor a", "overlaps tensor b"});
    check_mentions(refusal(with_room({{"a", 0, {8}, 32}, {"b", 0, {8}, 32}})), {"overlaps"});
    check_mentions(refusal(with_room({{"a", 139, {8}, 32}, {"b", 0, {8}, 32}})), {"overlaps"});
    check_mentions(refusal(with_room({{"a", 139, {8}, 8192}})), {"tensor a", "cut off"});
    check_mentions(refusal(with_room({{"a", 12, {100}, 0}})), {"tensor a", "whole number of Q4_K blocks", "256"});
    CHECK(refusal(with_room({{"b", 0, {8}, 64}, {"a", 0, {8}, 0}})).empty()); // any order
}

TEST_CASE("many problems become a short list", "[gguf]") {
    std::vector<GgufRow> rows;
    for (int i = 0; i < 5000; ++i) rows.push_back({"t" + std::to_string(i), 0, {0}, 0});
    const std::string text = refusal(with_room(rows));
    check_mentions(text, {"4980 more"});
    CHECK(text.size() < 4000);
}

TEST_CASE("names that are not UTF-8 are refused, values left out", "[E19]") {
    check_mentions(refusal(with_room({{"a\xff", 0, {8}, 0}})), {"name of a tensor", "not UTF-8", "\\xff"});
    check_mentions(refusal(with_room({}, 64, {gguf_u32("k\xc0\x80", 1)})), {"a key", "not UTF-8"});
    const std::string bytes = with_room({}, 0, {gguf_string("k", "\xff")});
    const Checkpoint checkpoint = read_gguf(std::as_bytes(std::span(bytes)), bytes.size(), "m.gguf");
    CHECK(checkpoint.metadata.at("k.length") == "1");
    CHECK(checkpoint.warnings.size() == 1);
    check_mentions(refusal(with_room({}, 64, {{"k", 13, ""}})), {"key \"k\"", "value type"});
    check_mentions(refusal(with_room({}, 64, {{"k", 7, "\2"}})), {"neither true nor false"});
}

TEST_CASE("parts that are missing or miscounted are named", "[A14][E22]") {
    TemporaryFolder folder;
    GgufModel model;
    model.parts = 3;
    model.tensors = {{"a", "F32", {8}}, {"b", "F32", {8}}, {"c", "F32", {8}}};
    const auto files = write_gguf(folder / "m.gguf", model);
    std::filesystem::rename(files[1], folder / "away");
    check_mentions(problem_text_of([&] { open_checkpoint(files[0]); }), {"m-00002-of-00003.gguf", "missing"});
    check_mentions(problem_text_of([&] { open_checkpoint(folder.path()); }), {"m-00002-of-00003.gguf", "missing"});
    std::filesystem::copy(files[0], files[1]);
    check_mentions(problem_text_of([&] { open_checkpoint(files[2]); }), {"split.no", "disagrees"});
    std::filesystem::remove(files[1]);
    std::filesystem::rename(folder / "away", folder / "alone.gguf");
    check_mentions(problem_text_of([&] { open_checkpoint(folder / "alone.gguf"); }), {"split.count", "part 2 of 3"});
    for (const std::string name : {"x-00004-of-00003.gguf", "x-00000-of-00003.gguf", "x-00001-of-00000.gguf"}) {
        std::filesystem::copy(files[0], folder / name);
        check_mentions(problem_text_of([&] { open_checkpoint(folder / name); }), {name, "counts no part"});
    }
}

TEST_CASE("split.tensors.count is held against the tensors", "[A14]") {
    TemporaryFolder folder;
    GgufModel model;
    model.parts = 2;
    model.split_keys = false;
    model.values = {gguf_i32("split.tensors.count", 3)};
    model.tensors = {{"a", "F32", {8}}, {"b", "F32", {8}}};
    const auto files = write_gguf(folder / "m.gguf", model);
    check_mentions(problem_text_of([&] { open_checkpoint(files[0]); }), {"split.tensors.count", "found 3, expected 2"});
}

TEST_CASE("every change of one byte gives an answer", "[gguf]") {
    GgufModel model;
    model.values = {gguf_string("general.architecture", "llama"), gguf_strings("tokens", {"a", "b"}),
                    gguf_i32s("heads", {1, 2}), gguf_u32("general.alignment", 32)};
    model.tensors = {{"a", "Q4_K", {2, 256}}, {"b", "type 139", {4}, 64}, {"c", "Q2_0", {128}}};
    const std::string bytes = gguf_bytes(model);
    int refused = 0;
    for (std::size_t at = 0; at < 330; ++at) {
        for (const int change : {1, 0x20, 0x80, 0xff}) {
            std::string changed = bytes;
            changed[at] = static_cast<char>(changed[at] ^ change);
            refused += refusal(changed).empty() ? 0 : 1;
        }
    }
    CHECK(refused > 400);
}

TEST_CASE("counts beyond any model are refused though the file could hold them", "[E03]") {
    const std::string head = "GGUF" + from_hex("03000000");
    check_mentions(refusal(head + from_hex("80969800000000000000000000000000"), 1ull << 40),
                   {"number of tensors", "10000000", "2000000"});
    check_mentions(refusal(head + from_hex("00000000000000008096980000000000"), 1ull << 40),
                   {"number of key-values", "10000000", "1000000"});
}
