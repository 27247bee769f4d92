// What a path may be, and what is said where it is no checkpoint. The tags name faults that other programs shipped.
#include "checkpoint/open.h"
#include "checkpoint/parts.h"
#include "support/checkpoint_writer.h"
#include "support/problem_text.h"

#include <catch2/catch.hpp>

using namespace spillway;
using namespace spillway::synthetic;

namespace {

std::string said_of(const std::filesystem::path& path) {
    return problem_text_of([&] { open_checkpoint(path); });
}

void check_mentions(const std::string& text, std::initializer_list<std::string_view> parts) {
    INFO(text);
    CHECK_FALSE(text.empty());
    for (const std::string_view part : parts) {
        INFO(std::string(part));
        CHECK(mentions(text, part));
    }
}

constexpr const char* kPointer = "version https://git-lfs.github.com/spec/v1\n"
                                 "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
                                 "size 4976698672\n";

} // namespace

TEST_CASE("what is no model is called by its name", "[E14]") {
    struct Row {
        std::string bytes;
        std::initializer_list<std::string_view> says;
    };
    const Row rows[] = {
        {"<!doctype html><html>", {"web page (HTML)"}},
        {"\n  <!DOCTYPE HTML PUBLIC>", {"web page (HTML)"}},
        {"<html lang=\"en\">", {"web page (HTML)"}},
        {kPointer, {"Git LFS pointer", "4976698672 bytes", "oid sha256:4d7a2146", "git lfs pull"}},
        {"{\"error\":\"Repository not found\"}", {"JSON text", "Repository not found"}},
        {"Entry not found", {"is text", "Entry not found"}},
        {"404: Not Found\n", {"is text", "404"}},
        {std::string("PK\3\4") + std::string(60, '\0'), {"zip archive", "PyTorch"}},
        {std::string("\x80\2}q\0", 5) + std::string(60, 'x'), {"pickle"}},
        {std::string("tjgg\1\0\0\0", 8), {"GGJT", "before GGUF"}},
        {std::string(100, '\0'), {"zeros"}},
        {"", {"empty"}},
        {"\x01\x02\x03\xff\xfe", {"neither GGUF nor safetensors", "01 02 03 ff fe"}},
        {from_hex("474755460000000300000000000000000000000000000000"), {"big-endian GGUF v3"}},
    };
    TemporaryFolder folder;
    for (const Row& row : rows) {
        for (const char* name : {"m.gguf", "m.safetensors", "m"}) {
            INFO(name << ": " << row.bytes.substr(0, 40));
            write_file(folder / name, row.bytes);
            if (std::string_view(name) == "m.safetensors" && row.bytes.size() == 8)
                continue; // could be a header's length
            check_mentions(said_of(folder / name), row.says);
        }
    }
    for (const char* name : {"config.json", "model.safetensors.index.json"}) {
        write_file(folder / name, kPointer);
        check_mentions(said_of(folder / name), {"Git LFS pointer", "4976698672"});
        write_file(folder / name, "<html>");
        check_mentions(said_of(folder / name), {"web page"});
        std::filesystem::remove(folder / name);
    }
}

TEST_CASE("one bad part is named", "[E14]") {
    TemporaryFolder folder;
    GgufModel model;
    model.parts = 3;
    model.tensors = {{"a", "F32", {8}}, {"b", "F32", {8}}, {"c", "F32", {8}}};
    const auto files = write_gguf(folder / "m.gguf", model);
    write_file(files[1], kPointer);
    check_mentions(said_of(files[0]), {"m-00002-of-00003.gguf", "Git LFS pointer"});
    write_file(files[1], safetensors_bytes({{"b", "F32", {1}}}));
    check_mentions(said_of(files[0]), {"m-00002-of-00003.gguf", "a safetensors file"});
}

TEST_CASE("a config.json alone is a checkpoint without tensors", "[checkpoint]") {
    TemporaryFolder folder;
    const std::string config = R"({"model_type":"llama","hidden_size":4096})";
    write_file(folder / "config.json", config);
    for (const auto& path : {folder.path(), folder / "config.json"}) {
        const Checkpoint checkpoint = open_checkpoint(path);
        CHECK(checkpoint.form == CheckpointForm::config_only);
        CHECK(checkpoint.config_json == config);
        CHECK(checkpoint.tensors.empty());
    }
    write_file(folder / "pytorch_model.bin", "PK");
    CHECK(open_checkpoint(folder.path()).warnings.size() == 1);
    for (const char* text : {"", "[]", "{\"a\":1,\"a\":2}", "{\"a\":", "{\"a\xff\":1}"}) {
        INFO(text);
        write_file(folder / "config.json", text);
        CHECK_FALSE(said_of(folder / "config.json").empty());
    }
}

TEST_CASE("folders that leave the choice open say so", "[checkpoint]") {
    TemporaryFolder folder;
    check_mentions(said_of(folder.path()), {"holds no checkpoint"});
    check_mentions(said_of(folder / "nothing"), {"no such file"});
    write_gguf(folder / "a.gguf", {.tensors = {{"a", "F32", {8}}}});
    CHECK(open_checkpoint(folder.path()).tensors.size() == 1);
    write_gguf(folder / "mmproj-a.gguf", {.tensors = {{"v", "F32", {8}}}});
    const Checkpoint checkpoint = open_checkpoint(folder.path());
    CHECK(checkpoint.tensors.front().name == "a");
    CHECK(checkpoint.warnings.size() == 1);
    write_gguf(folder / "b.gguf", {.tensors = {{"a", "F32", {8}}}});
    check_mentions(said_of(folder.path()), {"several models", "a.gguf", "b.gguf"});
    write_safetensors(folder / "model.safetensors", {{"a", "F32", {8}}});
    check_mentions(said_of(folder.path()), {"GGUF and safetensors"});
}

TEST_CASE("one file for all beside other files is taken alone", "[checkpoint]") {
    TemporaryFolder folder;
    write_safetensors(folder / "model.safetensors", {{"a", "F32", {8}}});
    write_safetensors(folder / "adapter.safetensors", {{"b", "F32", {8}}});
    const Checkpoint checkpoint = open_checkpoint(folder.path());
    CHECK(checkpoint.tensors.size() == 1);
    CHECK(checkpoint.warnings.size() == 1);
}

TEST_CASE("gaps in numbered files are named", "[E22]") {
    std::vector<std::string> names;
    for (int i = 1; i <= 140; ++i)
        names.push_back("out-" +
                        std::string(i < 10    ? "0000"
                                    : i < 100 ? "000"
                                              : "00") +
                        std::to_string(i) + ".safetensors");
    CHECK(missing_numbers(names).empty()); // may well start with 1
    names.push_back("out-mtp-00000.safetensors");
    CHECK(missing_numbers(names) == std::vector<std::string>{"out-00000.safetensors"});
    names.erase(names.begin() + 6);
    CHECK(missing_numbers(names) == std::vector<std::string>{"out-00000.safetensors", "out-00007.safetensors"});
    CHECK(missing_numbers({"a-2024.safetensors", "a-2025.safetensors"}).empty());
    TemporaryFolder folder;
    for (const char* name : {"out-00001.safetensors", "out-00002.safetensors", "out-mtp-00000.safetensors"}) {
        write_safetensors(folder / name, {{name, "F32", {8}}});
    }
    check_mentions(said_of(folder.path()), {"out-00000.safetensors", "missing"});
}

TEST_CASE("names of parts are taken apart", "[A14]") {
    const auto part = part_name("a-b.c_00002-of-00012.gguf");
    REQUIRE(part);
    CHECK(part->base == "a-b.c");
    CHECK(part->number == 2);
    CHECK(part->total == 12);
    CHECK(part->extension == ".gguf");
    CHECK(part_name("m.00001.of.00003.gguf")->base == "m");
    CHECK(part_name("00001-of-00003.safetensors")->base.empty());
    for (const char* name : {"m.gguf", "m-of-00003.gguf", "m-00001-of-.gguf", "m-00001of00003.gguf", "proof-3.gguf", "",
                             ".gguf", "-of-"}) {
        INFO(name);
        CHECK_FALSE(part_name(name));
    }
}

TEST_CASE("what is not a regular file is refused without waiting", "[checkpoint]") {
    check_mentions(said_of("/dev/null"), {"not a regular file"});
    CHECK_FALSE(said_of("").empty());
}
