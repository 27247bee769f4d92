// Lines of a text report: wrapped to a width, made safe for a terminal, coloured only if asked.
#pragma once

#include <string>
#include <string_view>

namespace spillway {

enum class Paint { none, heading, good, bad, warning };

// Text from files with everything that could steer a terminal replaced by '?'. UTF-8 passes.
std::string printable(std::string_view text);

// Columns that the text takes: its UTF-8 characters.
int columns(std::string_view text);

// `text` filled up with spaces to `width` columns, on the right or on the left.
std::string left(std::string_view text, int width);
std::string right(std::string_view text, int width);

// Collects lines. No line is longer than the width; what is longer goes on below, indented by `hang` columns.
class Page {
public:
    Page(int width, bool color) : width_(width < 40 ? 40 : width), color_(color) {}

    void line(std::string_view text, int hang = 4, Paint paint = Paint::none);
    // An empty line and a heading.
    void heading(std::string_view text);
    const std::string& text() const { return out_; }

private:
    void put(std::string_view text, Paint paint);

    int width_;
    bool color_;
    std::string out_;
};

} // namespace spillway
