// Lines of a text report: wrapped to a width, made safe for a terminal, coloured only if asked.
#pragma once

#include "report/table.h"

#include <string>
#include <string_view>

namespace spillway {

// Text from files with everything that could steer a terminal replaced by '?'. UTF-8 passes.
std::string printable(std::string_view text);

// Columns that the text takes: its UTF-8 characters.
int columns(std::string_view text);

// `text` filled up with spaces to `width` columns, on the right or on the left.
std::string left(std::string_view text, int width);
std::string right(std::string_view text, int width);

// Collects lines. No line is longer than the width; what is longer goes on below, indented by `hang` columns, but for
// kNeverBroken.
class Page {
public:
    Page(int width, bool color) : width_(width < 40 ? 40 : width), color_(color) {}

    void line(std::string_view text, int hang = 4, Tone tone = Tone::plain);
    // An empty line and a heading.
    void heading(std::string_view text);
    // Lines that are ready to print.
    void raw(std::string_view lines) { out_ += lines; }
    const std::string& text() const { return out_; }

private:
    void put(std::string_view text, Tone tone);

    int width_;
    bool color_;
    std::string out_;
};

} // namespace spillway
