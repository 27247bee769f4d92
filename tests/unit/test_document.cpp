// A document through every printer: what one format says, all say, and text from files is only text in each.
#include "report/print.h"
#include "support/well_formed.h"

#include <catch2/catch.hpp>

#include <string>

namespace spillway {

namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

Table fixed_table() {
    Table table;
    table.columns = {{"name", "", Show::text, 8},
                     {"size_bytes", "size\nin all", Show::gigabytes, 8, 1},
                     {"why", "why", Show::text, 0, 1, In::pages},
                     {"share", "share", Show::percent, 8, 1, In::all, " missed"}};
    TableRow row{"short", 2e9, "because", 0.25};
    row.note = "a note";
    TableRow hidden{"pages only", 1e9, "", nullptr};
    hidden.in = In::pages;
    table.rows = {row, {"much longer than that", 3.5e9, "so", nullptr}, hidden};
    return table;
}

Bars bars() {
    Bars bars;
    bars.chart.id = "bars";
    ChartBar bar{"reading", 2.0, "2 s", "reading: 2 s", "", "4 GB", "drive"};
    bars.chart.bars = {bar, {"overlap", 1.0, "-1 s", "", "hidden"}, {"rest", std::nullopt, "unknown", "", ""}};
    bars.sum = {"step", "1 s", "10 tok/s", 1.0};
    return bars;
}

// One of everything.
Document document() {
    Document document{.kind = "estimate", .title = "a <model> | b", .lead = "spillway estimate   ", .sections = {}};
    document.version = "7";
    DocumentSection& head = document.add("");
    head.blocks = {Sentence{"a line", Tone::soft}, Judgement{"FAILS: too slow", Tone::bad, "verdict   ", 2, 12},
                   Facts{{{"speed", "5 tok/s", "closed form 6"}}},
                   Headlines{{{.label = "decode",
                               .figure = "5.72",
                               .unit = "tok/s",
                               .judged = "fails 10",
                               .limit = "limited by storage",
                               .tone = Tone::bad,
                               .remarks = {"a remark"}}}}};
    DocumentSection& more = document.add("more *of* it");
    more.blocks = {fixed_table(), bars(), Items{{"an item"}}, Preformatted{"  1 < 2\n  two\n"},
                   Sentence{.text = "terminal only", .in = In::text}};
    return document;
}

} // namespace

TEST_CASE("text lays a document out in columns", "[document]") {
    CHECK(print_text(document(), {}) == R"(spillway estimate   a <model> | b
a line
  verdict   FAILS: too slow
  speed     5 tok/s   closed form 6
  decode    5.72 tok/s   fails 10              limited by storage
            a remark

more *of* it
               size    share
             in all
  short        2.00 25.0 % missed
      a note
  much longer than that
               3.50        -
  reading                                      4 GB      2 s  ############
  overlap                                               -1 s  ------
  rest                                               unknown
  = step                                                 1 s  10 tok/s
  - an item
  1 < 2
  two
terminal only
)");
}

TEST_CASE("every format says what the document says", "[document]") {
    const std::string markdown = print_markdown(document()), html = print_html(document());
    for (const char* words :
         {"a line",     "FAILS: too slow", "closed form 6", "5.72",    "fails 10",   "limited by storage",
          "a remark",   "short",           "2.00",          "because", "25.0 %",     "much longer than that",
          "pages only", "reading",         "4 GB",          "drive",   "2 s",        "overlap",
          "step",       "10 tok/s",        "an item",       "two",     "size in all"}) {
        INFO(words);
        CHECK(has(markdown, words));
        CHECK(has(html, words));
    }
    for (const std::string& page : {markdown, html}) CHECK_FALSE(has(page, "terminal only"));
}

TEST_CASE("text from files is only text in every format", "[document]") {
    const std::string markdown = print_markdown(document()), html = print_html(document());
    CHECK(has(markdown, "### spillway estimate: a &lt;model> \\| b\n"));
    CHECK(has(markdown, "#### more \\*of\\* it\n"));
    CHECK(has(html, "<h1>a &lt;model&gt; | b</h1>"));
    CHECK(page_error(html) == "");
    Document hostile = document();
    hostile.title = "</title><script>x</script>\x1b[31m";
    CHECK(page_error(print_html(hostile)) == "");
    CHECK_FALSE(has(print_text(hostile, {}), "\x1b"));
}

TEST_CASE("csv is the document's data, or else its first table", "[document]") {
    Document with = document();
    CHECK(print_csv(with) == "name,size_bytes,why,share\nshort,2000000000.0,because,0.25\n"
                             "much longer than that,3500000000.0,so,\npages only,1000000000.0,,\n");
    Table data;
    data.columns = {{"a", "A"}, {"b", "B"}};
    data.rows = {{"x,y", 1}, {true, nullptr}};
    with.data = data;
    CHECK(print_csv(with) == "a,b\n\"x,y\",1\ntrue,\n");
}

TEST_CASE("pages show first what there is to look at", "[document]") {
    Document two = document();
    DocumentSection& chart = two.add("the chart");
    chart.early = true;
    const std::string html = print_html(two), markdown = print_markdown(two);
    CHECK(html.find("the chart") < html.find("more *of* it"));
    CHECK(markdown.find("the chart") > markdown.find("more"));
}

} // namespace spillway
