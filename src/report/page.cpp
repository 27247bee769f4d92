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

std::string_view escape(Tone tone) {
    switch (tone) {
    case Tone::plain:
    case Tone::soft: return "";
    case Tone::heading: return "\x1b[1m";
    case Tone::good: return "\x1b[32m";
    case Tone::bad: return "\x1b[31m";
    case Tone::warning: return "\x1b[33m";
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

void Page::line(std::string_view text, int hang, Tone tone) {
    std::string rest = printable(text);
    while (hang >= 0 && columns(rest) > width_) {
        const std::size_t at = break_at(rest, width_);
        put(std::string_view(rest).substr(0, at), tone);
        const std::size_t next = rest.find_first_not_of(' ', at);
        if (next == std::string::npos) return;
        rest = std::string(static_cast<std::size_t>(hang), ' ') + rest.substr(next);
    }
    put(rest, tone);
}

void Page::heading(std::string_view text) {
    out_ += '\n';
    line(text, 4, Tone::heading);
}

void Page::put(std::string_view text, Tone tone) {
    text = without_trailing_spaces(text);
    if (color_ && !escape(tone).empty() && !text.empty()) {
        out_ += escape(tone);
        out_ += text;
        out_ += "\x1b[0m";
    } else {
        out_ += text;
    }
    out_ += '\n';
}

} // namespace spillway
