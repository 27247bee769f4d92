// What all HTML pages share: frame, style, colours. One file, no scripts, nothing loaded from elsewhere; well-formed as
// XML too. Light or dark as the reader's system says, light on paper.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// A colour of the style, by the name of its variable. Text keeps a contrast of 4.5 to 1 against the grounds `paper` and
// `card`, lines and bars 3 to 1 (WCAG 2.1, 1.4.3 and 1.4.11).
struct PageColour {
    enum class Use { ground, text, mark, faint };
    std::string_view name, light, dark; // "#rrggbb"
    Use use = Use::text;
};
const std::vector<PageColour>& page_colours();

// The document around a body; `title` is plain text.
std::string html_page(std::string_view title, const std::string& body);

} // namespace spillway
