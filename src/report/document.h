// What an answer says, as data: a title, sections, and in them lines, tables, bars, curves. One builder per kind of
// answer makes it (xxx_document), one printer per format shows it (print.h); a sentence is written once, in a builder.
// Read first: report_document.cpp for a builder, print_text.cpp for a printer.
#pragma once

#include "report/svg.h"
#include "report/svg_scatter.h"
#include "report/table.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace spillway {

// A sentence or less. Text indents it, and what does not fit the width goes on below at column `hang`.
struct Sentence {
    std::string text;
    Tone tone = Tone::plain;
    int indent = 0;
    int hang = 4;
    In in = In::all;
};

// What the answer comes down to: "FAILS: ...". `label` is what text has before it.
struct Judgement {
    std::string text;
    Tone tone = Tone::plain;
    std::string label = {};
    int indent = 0;
    int hang = 4;
    In in = In::all;
};

// A word and what there is to say of it: "speed      5.72 tok/s   closed form 5.70", of which the last is `beside`.
// Text fills the words up to `width` columns.
struct Fact {
    std::string label, text;
    std::string beside = {};
};
struct Facts {
    std::vector<Fact> rows;
    int indent = 2;
    int width = 10;
    In in = In::all;
};

// A figure that the document leads with, against its target.
struct Headline {
    std::string label;      // "decode"
    std::string figure;     // "5.72", "unknown", "no limit"
    std::string unit = {};  // "tok/s"
    std::string why = {};   // instead of a figure
    std::string judged;     // "fails 10"
    std::string limit = {}; // "limited by storage"
    Tone tone = Tone::plain;
    std::vector<std::string> remarks = {};
    In in = In::all;
};
struct Headlines {
    std::vector<Headline> list;
};

// Bars with what they add up to; text draws them with '#', html as a chart, markdown has a table.
struct Bars {
    BarChart chart; // of unit width: printers choose it
    struct Sum {
        std::string label, text, remark;
        std::optional<double> value = std::nullopt; // set: drawn as one more bar
    };
    std::optional<Sum> sum = std::nullopt;
    std::string caption = {}; // below the chart
    bool drawn_only = false;  // where a table beside holds the same
    In in = In::all;
};

// A line chart with its legend, in html only: the tables beside it hold the numbers.
struct Legend {
    enum class Key { line, target, marker, point };
    Key key = Key::line;
    std::string style, text;
};
struct Curve {
    LineChart chart;
    std::vector<Legend> legend;
};

// Points on logarithmic axes with their legend, in html only, like a curve.
struct Scatter {
    ScatterChart chart;
    std::vector<Legend> legend;
};

// A list, one item per sentence.
struct Items {
    std::vector<std::string> items;
    In in = In::all;
};

// Text whose line breaks and columns count.
struct Preformatted {
    std::string text;
};

using DocumentBlock =
    std::variant<Sentence, Judgement, Facts, Headlines, Table, Bars, Curve, Scatter, Items, Preformatted>;

struct DocumentSection {
    std::string heading; // empty: what stands below the title
    std::vector<DocumentBlock> blocks = {};
    bool early = false; // pages show it before the others: what there is to look at
    In in = In::all;

    void add(DocumentBlock element) { blocks.push_back(std::move(element)); }
    void line(std::string text, Tone tone = Tone::plain, int indent = 0, int hang = 4) {
        blocks.push_back(Sentence{std::move(text), tone, indent, hang});
    }
};

struct Document {
    std::string kind;  // "estimate", "simulation", "trace curve"
    std::string title; // "deepseek-v4.1-flash (mxfp4) on apple-m3-ultra-256gb"
    std::string lead;  // before the title in text; empty: text begins with the first section
    int hang = 4;      // of the title in text
    std::vector<DocumentSection> sections = {};
    std::optional<Table> data =
        std::nullopt; // what csv holds: one row per finding, unrounded. Empty: the first table shown
    std::string version = {}, data_digest = {};

    DocumentSection& add(std::string heading); // a new section, to be filled
};

} // namespace spillway
