#include "report/page.h"

#include <algorithm>

namespace spillway {

namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// Bytes of the first `most` columns.
std::size_t bytes_of_columns(std::string_view text, int most) {
    std::size_t at = 0;
    for (int seen = 0; at < text.size(); ++at) {
        if (!continues(text[at]) && seen++ == most) break;
    }
    return at;
}

// Where to break a text that is too long: after its last space inside `most` columns but not inside its indent; a
// word that is longer is cut.
std::size_t break_at(std::string_view text, int most) {
    const std::size_t end = bytes_of_columns(text, most);
    const std::size_t word = text.find_first_not_of(' ');
    if (end < text.size() && text[end] == ' ') return end;
    const std::size_t space = text.rfind(' ', end);
    return space == std::string_view::npos || space <= word ? end : space;
}

std::string_view without_trailing_spaces(std::string_view text) {
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

std::string_view escape(Paint paint) {
    switch (paint) {
    case Paint::none: return "";
    case Paint::heading: return "\x1b[1m";
    case Paint::good: return "\x1b[32m";
    case Paint::bad: return "\x1b[31m";
    case Paint::warning: return "\x1b[33m";
    }
    return "";
}

} // namespace

std::string printable(std::string_view text) {
    std::string safe(text);
    for (std::size_t i = 0; i < safe.size(); ++i) {
        const auto c = static_cast<unsigned char>(safe[i]);
        if (c < 0x20 || c == 0x7F) safe[i] = '?';
        // U+0080 to U+009F are control characters too.
        const bool high_control = c == 0xC2 && i + 1 < safe.size() && static_cast<unsigned char>(safe[i + 1]) < 0xA0;
        if (high_control) safe.replace(i, 2, "?");
    }
    return safe;
}

int columns(std::string_view text) {
    return static_cast<int>(text.size()) - static_cast<int>(std::count_if(text.begin(), text.end(), continues));
}

std::string left(std::string_view text, int width) {
    const int fill = std::max(0, width - columns(text));
    return std::string(text) + std::string(static_cast<std::size_t>(fill), ' ');
}

std::string right(std::string_view text, int width) {
    const int fill = std::max(0, width - columns(text));
    return std::string(static_cast<std::size_t>(fill), ' ') + std::string(text);
}

void Page::line(std::string_view text, int hang, Paint paint) {
    std::string rest = printable(text);
    while (columns(rest) > width_) {
        const std::size_t at = break_at(rest, width_);
        put(std::string_view(rest).substr(0, at), paint);
        const std::size_t next = rest.find_first_not_of(' ', at);
        if (next == std::string::npos) return;
        rest = std::string(static_cast<std::size_t>(hang), ' ') + rest.substr(next);
    }
    put(rest, paint);
}

void Page::heading(std::string_view text) {
    out_ += '\n';
    line(text, 4, Paint::heading);
}

void Page::put(std::string_view text, Paint paint) {
    text = without_trailing_spaces(text);
    if (color_ && paint != Paint::none && !text.empty()) {
        out_ += escape(paint);
        out_ += text;
        out_ += "\x1b[0m";
    } else {
        out_ += text;
    }
    out_ += '\n';
}

} // namespace spillway
