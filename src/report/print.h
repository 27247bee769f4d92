// Printers: a document in, one format out. They lay out and escape; they make no sentences about the answer.
#pragma once

#include "report/document.h"

#include <string>

namespace spillway {

struct TextOptions {
    bool color = false;
    int width = 80; // columns; at least 40
};

// For people at a terminal. Lines fit the width, but for tables that are as wide as their cells.
std::string print_text(const Document& document, const TextOptions& options);

// To paste into an issue. Text from files cannot become markup.
std::string print_markdown(const Document& document);

// One page with its charts inside, readable without scripts, on paper, in light and dark.
std::string print_html(const Document& document);

// The document's data, or else its first table.
std::string print_csv(const Document& document);

// Whether a part is shown at a terminal, or in markdown and html.
constexpr bool in_text(In in) { return in != In::pages; }
constexpr bool in_pages(In in) { return in != In::text; }

} // namespace spillway
