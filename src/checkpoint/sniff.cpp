#include "checkpoint/sniff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <optional>

namespace spillway {

namespace {

constexpr const char* kExpected = "a GGUF or safetensors file";

struct Magic {
    std::string_view bytes;
    const char* is;
};

using namespace std::string_view_literals;

// First bytes of other things that lie where a model should. The four GGML formats came before GGUF.
constexpr std::array kMagics = std::to_array<Magic>({
    {"PK\x03\x04"sv, "is a zip archive, as PyTorch writes (.bin, .pt): convert it to safetensors"},
    {"\x80\x02"sv, "is a Python pickle: convert it to safetensors"},
    {"\x80\x03"sv, "is a Python pickle: convert it to safetensors"},
    {"\x80\x04"sv, "is a Python pickle: convert it to safetensors"},
    {"\x80\x05"sv, "is a Python pickle: convert it to safetensors"},
    {"\x93NUMPY"sv, "is a NumPy array: convert it to safetensors"},
    {"\x89HDF"sv, "is an HDF5 file: convert it to safetensors"},
    {"\x1f\x8b"sv, "is a gzip archive: unpack it first"},
    {"\x28\xb5\x2f\xfd"sv, "is a zstd archive: unpack it first"},
    {"\xfd"
     "7zXZ"sv,
     "is an xz archive: unpack it first"},
    {"lmgg"sv, "is a GGML file, from before GGUF: convert it"},
    {"fmgg"sv, "is a GGMF file, from before GGUF: convert it"},
    {"tjgg"sv, "is a GGJT file, from before GGUF: convert it"},
    {"algg"sv, "is a GGLA adapter, from before GGUF: convert it"},
});

bool starts(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

std::string_view without_blanks(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

bool is_web_page(std::string_view head) {
    std::string start(without_blanks(starts(head, "\xef\xbb\xbf") ? head.substr(3) : head).substr(0, 16));
    std::transform(start.begin(), start.end(), start.begin(), [](unsigned char c) { return std::tolower(c); });
    return starts(start, "<!doctype") || starts(start, "<html") || starts(start, "<head") || starts(start, "<?xml");
}

// The rest of the line that begins with `key`.
std::string line_after(std::string_view text, std::string_view key) {
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos) return "?";
    const std::string_view rest = text.substr(at + key.size());
    return shown_text(rest.substr(0, rest.find_first_of("\r\n")));
}

bool is_text(std::string_view head) {
    const std::string_view start = head.substr(0, 256);
    return !start.empty() && std::all_of(start.begin(), start.end(), [](unsigned char c) {
        return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\r' || c == '\t';
    });
}

std::optional<std::uint64_t> little_endian(std::string_view head) {
    if (head.size() < 8) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = 8; i-- > 0;) value = value << 8 | static_cast<unsigned char>(head[i]);
    return value;
}

bool has_extension(const std::string& shown, std::string_view extension) {
    return shown.size() >= extension.size() &&
           std::equal(extension.rbegin(), extension.rend(), shown.rbegin(),
                      [](unsigned char a, unsigned char b) { return a == std::tolower(b); });
}

std::string hex(std::string_view head) {
    std::string text;
    for (const char c : head.substr(0, 8))
        text += fmt::format("{}{:02x}", text.empty() ? "" : " ", static_cast<unsigned char>(c));
    return text;
}

[[noreturn]] void refuse(std::string_view head, const std::string& shown) {
    for (const Magic& magic : kMagics) {
        if (starts(head, magic.bytes)) fail(shown, "byte 0", magic.is, hex(head), kExpected);
    }
    if (std::all_of(head.begin(), head.end(), [](char c) { return c == '\0'; })) {
        fail(shown, "byte 0", "begins with zeros: a download that has not got here yet?", hex(head), kExpected);
    }
    if (is_text(head)) {
        const char first = without_blanks(head).empty() ? ' ' : without_blanks(head).front();
        const bool json = first == '{' || first == '[';
        fail(shown, "byte 0",
             json ? "is JSON text, not a model: an error message in place of a download?" : "is text, not a model",
             shown_text(head.substr(0, head.find('\n'))), kExpected);
    }
    fail(shown, "byte 0", "is neither GGUF nor safetensors", hex(head), kExpected);
}

} // namespace

void refuse_placeholder(std::string_view head, const std::string& shown) {
    if (starts(head, "version https://git-lfs") || starts(head, "version https://hawser")) {
        const std::string size = line_after(head, "\nsize "), oid = line_after(head, "\noid ");
        fail(shown, "",
             fmt::format("is a Git LFS pointer to a file of {} bytes ({}): fetch that with `git lfs pull`", size, oid),
             fmt::format("size {}, oid {}", size, oid), "the file itself");
    }
    if (is_web_page(head)) {
        fail(shown, "", "is a web page (HTML), not a model: the download went to a login or error page",
             shown_text(without_blanks(head).substr(0, 40)), "the file itself");
    }
}

CheckpointForm sniff(std::string_view head, std::uint64_t file_bytes, const std::string& shown) {
    if (file_bytes == 0) fail(shown, "", "is empty", "0 bytes", kExpected);
    if (starts(head, "GGUF") || starts(head, "FUGG")) return CheckpointForm::gguf;
    refuse_placeholder(head, shown);
    const auto length = little_endian(head);
    const bool plausible = length && *length <= file_bytes - 8 && head.size() > 8 && head[8] == '{';
    if (plausible) return CheckpointForm::safetensors;
    // A name that says safetensors gets that reader's message, unless the bytes are known to be something else.
    const bool other =
        is_text(head) || (length && *length == 0) ||
        std::any_of(kMagics.begin(), kMagics.end(), [&](const Magic& magic) { return starts(head, magic.bytes); });
    if (length && !other && has_extension(shown, ".safetensors")) return CheckpointForm::safetensors;
    refuse(head, shown);
}

void require_form(ByteReader& reader, CheckpointForm form) {
    const CheckpointForm found = sniff(reader.peek(), reader.file_bytes(), reader.shown());
    if (found == form) return;
    const auto name = [](CheckpointForm f) { return f == CheckpointForm::gguf ? "a GGUF file" : "a safetensors file"; };
    fail(reader.shown(), "byte 0", "is not of the form of the others", name(found), name(form));
}

} // namespace spillway
