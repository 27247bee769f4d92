#include "io/json_file.h"

#include "io/json_builder.h"

#include <fmt/format.h>

#include <fstream>
#include <system_error>
#include <utility>

namespace spillway {

namespace {

// 0 if a UTF-8 sequence cannot start here or is cut off, otherwise its length. Overlong forms, surrogates and code
// points above 10FFFF are refused, as in RFC 3629.
std::size_t utf8_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const auto tail = [&](std::size_t i) { return byte(i) >= 0x80u && byte(i) <= 0xbfu; };
    const unsigned first = byte(at), second = byte(at + 1);
    if (first < 0x80u) return 1;
    if (first >= 0xc2u && first <= 0xdfu) return tail(at + 1) ? 2 : 0;
    if (first >= 0xe0u && first <= 0xefu) {
        const bool overlong = first == 0xe0u && second < 0xa0u;
        const bool surrogate = first == 0xedu && second > 0x9fu;
        return tail(at + 1) && tail(at + 2) && !overlong && !surrogate ? 3 : 0;
    }
    if (first >= 0xf0u && first <= 0xf4u) {
        const bool overlong = first == 0xf0u && second < 0x90u;
        const bool too_high = first == 0xf4u && second > 0x8fu;
        return tail(at + 1) && tail(at + 2) && tail(at + 3) && !overlong && !too_high ? 4 : 0;
    }
    return 0;
}

// Position of the first byte that is not UTF-8.
std::optional<std::size_t> not_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_length(text, at);
        if (length == 0) return at;
        at += length;
    }
    return std::nullopt;
}

// "line 3, column 7" of a byte, both from 1; columns count bytes.
std::string place_of(std::string_view text, std::size_t at) {
    std::size_t line = 1, start = 0;
    for (std::size_t i = 0; i < at && i < text.size(); ++i) {
        if (text[i] != '\n') continue;
        ++line;
        start = i + 1;
    }
    return fmt::format("line {}, column {}", line, at - start + 1);
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// The library's message ends with "; expected ..." where it knows.
std::string expected_in(const std::string& message) {
    constexpr std::string_view mark = "; expected ";
    const std::size_t at = message.rfind(mark);
    return at == std::string::npos ? "valid JSON" : message.substr(at + mark.size());
}

Problem malformed(std::string_view text, const std::string& shown, const JsonBuilder& builder) {
    const SyntaxError& error = *builder.syntax_error();
    // The position counts the bytes consumed, that is: it is behind the byte that is wrong.
    const std::size_t at = error.position > 0 ? error.position - 1 : 0;
    const bool ended = error.message.find("unexpected end of input") != std::string::npos || at >= text.size();
    if (ended) {
        const std::string where = place_of(text, text.size());
        return {shown, builder.pointer(), "the end of the file", expected_in(error.message),
                fmt::format("ends too early, at {}: cut off?", where)};
    }
    return {shown, builder.pointer(), error.token.empty() ? "" : '"' + error.token + '"', expected_in(error.message),
            fmt::format("is not valid JSON at {}", place_of(text, at))};
}

std::optional<std::string> read_bytes(const std::filesystem::path& path, const std::string& shown, Problems& problems) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    const auto problem = [&](std::string found, std::string message) {
        problems.push_back({shown, "", std::move(found), "a JSON file", std::move(message)});
        return std::nullopt;
    };
    if (status.type() == std::filesystem::file_type::not_found) return problem("", "there is no such file");
    if (std::filesystem::is_directory(status)) return problem("a directory", "is a directory, not a file");
    std::ifstream stream(path, std::ios::binary);
    if (!stream) return problem("", "cannot be opened for reading");
    std::string bytes;
    std::string chunk(1u << 16, '\0');
    // Read piece by piece: pipes and devices have no size to ask for, and some have no end.
    while (stream.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || stream.gcount() > 0) {
        bytes.append(chunk, 0, static_cast<std::size_t>(stream.gcount()));
        if (bytes.size() > kMaxFileBytes) return problem("more than 64 MiB", "is too large: at most 64 MiB are read");
    }
    if (stream.bad()) return problem("", "cannot be read to its end");
    return bytes;
}

} // namespace

std::uint64_t fnv1a(std::string_view bytes, std::uint64_t start) {
    constexpr std::uint64_t prime = 1099511628211ull;
    std::uint64_t hash = start;
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
    return hash;
}

std::optional<nlohmann::json> parse_json(std::string_view text, const std::string& shown, Problems& problems) {
    if (is_blank(text)) {
        problems.push_back({shown, "", "an empty file", "a JSON object", "is empty"});
        return std::nullopt;
    }
    if (const auto at = not_utf8(text)) {
        problems.push_back({shown, "", fmt::format("byte 0x{:02x}", static_cast<unsigned char>(text[*at])),
                            "UTF-8 text", "is not UTF-8 at " + place_of(text, *at)});
        return std::nullopt;
    }
    JsonBuilder builder(shown, problems);
    if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return builder.take();
    if (builder.syntax_error()) problems.push_back(malformed(text, shown, builder));
    return std::nullopt;
}

std::optional<JsonFile> read_json_file(const std::filesystem::path& path, const std::string& shown,
                                       Problems& problems) {
    std::optional<std::string> bytes = read_bytes(path, shown, problems);
    if (!bytes) return std::nullopt;
    std::optional<nlohmann::json> value = parse_json(*bytes, shown, problems);
    if (!value) return std::nullopt;
    return JsonFile{shown, path, std::make_shared<const nlohmann::json>(std::move(*value)), std::move(*bytes)};
}

} // namespace spillway
