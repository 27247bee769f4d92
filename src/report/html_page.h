// What all HTML pages share: frame, style, tables. One file, no scripts, nothing loaded from elsewhere; well-formed as
// XML too. Light or dark as the reader's system says, light on paper.
#pragma once

#include "report/table.h"

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

// <h2> with its text escaped, and <p> likewise.
std::string html_heading(std::string_view text);
std::string html_paragraph(std::string_view text, std::string_view style = "");
std::string html_list(const std::vector<std::string>& items);

// Rows of plain text; `numbers` says which columns stand to the right. Scrolls sideways where it is too wide.
struct HtmlTable {
    std::string caption;
    std::vector<std::string> heads;
    std::vector<bool> numbers;
    std::vector<std::vector<std::string>> rows;
    bool last_is_sum = false;
};
std::string html_table(const HtmlTable& table);
// A table of answers, rounded as its text form.
HtmlTable html_table_of(const Table& table);

// A chart twice: `wide`, and `narrow` for small screens, where shrinking would make its text unreadable.
std::string html_figure(const std::string& wide, const std::string& narrow, const std::string& caption);

} // namespace spillway
