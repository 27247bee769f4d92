#include "report/svg.h"

#include "explore/residency_curve.h"
#include "report/residency_chart.h"
#include "support/golden.h"
#include "support/synthetic.h"
#include "support/well_formed.h"

#include <catch2/catch.hpp>

#include <cmath>

namespace spillway {

namespace {

// A pool of 10 GB in 6 GB of memory: 60 % of the experts stay, and 10 tok/s need more.
ResidencyCurve synthetic_curve() {
    Case c = synthetic::one_pool();
    Locality measured;
    measured.name = "measured <a> & \"b\"";
    measured.kind = LocalityKind::fitted;
    measured.exponent = 2.0;
    c.alternatives = {measured};
    c.scenario.target_decode = 20.0;
    return residency_curve(c, residency_line(c));
}

BarChart bars(bool above) {
    BarChart chart;
    chart.id = "bars";
    chart.title = "speeds";
    chart.width = above ? 380.0 : 720.0;
    chart.labels_above = above;
    chart.target = 10.0;
    chart.target_label = "target 10 tok/s";
    chart.cap = 50.0;
    chart.bars = {{"short of it", 9.7, "9.70", "", "misses"},
                  {"<b>markup</b> & 'more'", 12.0, "12.0", "", "meets"},
                  {"far beyond", 400.0, "400", "", "meets"},
                  {"nobody measured the drive of this machine, whose name is long", std::nullopt, "", "", ""},
                  {"nothing", 0.0, "0", "", "misses"}};
    return chart;
}

// Boxes of the texts of a class in a chart, by the chart's own idea of their width.
struct TextBox {
    double left, right, baseline;
};
std::vector<TextBox> labels_of(const std::string& svg) {
    static const std::regex label("<text class=\"label[^\"]*\" x=\"([-0-9.]+)\" y=\"([-0-9.]+)\" "
                                  "text-anchor=\"middle\">([^<]*)</text>");
    std::vector<TextBox> boxes;
    for (std::sregex_iterator it(svg.begin(), svg.end(), label), end; it != end; ++it) {
        const double x = std::stod((*it)[1]), width = text_width((*it)[3].str(), kChartText);
        boxes.push_back({x - width / 2.0, x + width / 2.0, std::stod((*it)[2])});
    }
    return boxes;
}

} // namespace

TEST_CASE("charts keep their text") {
    const ResidencyCurve curve = synthetic_curve();
    check_golden("break_even_wide.svg", line_chart(sized(residency_chart(curve), false)));
    check_golden("break_even_narrow.svg", line_chart(sized(residency_chart(curve), true)));
    check_golden("bars_wide.svg", bar_chart(bars(false)));
    check_golden("bars_narrow.svg", bar_chart(bars(true)));
}

TEST_CASE("charts are well-formed whatever their texts hold") {
    const ResidencyCurve curve = synthetic_curve();
    for (const std::string& svg :
         {line_chart(sized(residency_chart(curve), false)), line_chart(sized(residency_chart(curve), true)),
          bar_chart(bars(false)), bar_chart(bars(true))}) {
        CHECK(page_error(svg) == "");
    }
    CHECK(page_error("<p>a < b</p>") != "");
    CHECK(page_error("<p>&nbsp;</p>") != "");
    CHECK(page_error("<p><b></p></b>") != "");
    CHECK(page_error("<p id=\"a\" id=\"a\"/>") != "");
}

TEST_CASE("labels in a chart do not overlap") {
    for (const bool narrow : {false, true}) {
        for (const double target : {1.0, 5.0, 12.0, 20.0, 40.0}) {
            ResidencyCurve curve = synthetic_curve();
            curve.target = target;
            const std::vector<TextBox> boxes = labels_of(line_chart(sized(residency_chart(curve), narrow)));
            INFO(target);
            CHECK(boxes.size() >= 2);
            for (std::size_t i = 0; i < boxes.size(); ++i) {
                for (std::size_t k = i + 1; k < boxes.size(); ++k) {
                    const bool apart = boxes[i].right < boxes[k].left || boxes[k].right < boxes[i].left ||
                                       std::abs(boxes[i].baseline - boxes[k].baseline) >= kChartText;
                    CHECK(apart);
                }
            }
        }
    }
}

TEST_CASE("text is safe in markup") {
    CHECK(markup("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
    CHECK(markup("a\x01\n\x7f") == "a???");
    CHECK(markup("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80") == "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    const std::string replaced = "\xEF\xBF\xBD";
    CHECK(markup("\xFF") == replaced);
    CHECK(markup("\xC3") == replaced);
    CHECK(markup("\xC0\xAF") == replaced + replaced);
    CHECK(markup("\xED\xA0\x80") == replaced + replaced + replaced);
    CHECK(markup("\xEF\xBF\xBF") == replaced + replaced + replaced);
}

TEST_CASE("ticks are round and cover the range") {
    CHECK(nice_ticks(0.0, 1.0, 5) == std::vector<double>{0.0, 0.2, 0.4, 3 * 0.2, 0.8, 1.0});
    CHECK(nice_ticks(0.0, 35.5, 5) == std::vector<double>{0.0, 10.0, 20.0, 30.0, 40.0});
    for (const double high : {1e-9, 0.07, 0.99, 1.0, 3.3, 10.0, 99.0, 12345.0, 7e11}) {
        for (const int most : {2, 5, 10}) {
            const std::vector<double> ticks = nice_ticks(0.0, high, most);
            INFO(high);
            CHECK(ticks.front() == 0.0);
            CHECK(ticks.back() >= high * (1.0 - 1e-9));
            CHECK(ticks.size() >= 2);
            CHECK(ticks.size() <= static_cast<std::size_t>(most) + 1);
        }
    }
}

TEST_CASE("text is cut by characters, not bytes") {
    CHECK(cut_to("short", 100.0, 10.0) == "short");
    CHECK(cut_to("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 18.0, 10.0) == "\xC3\xA9\xC3\xA9\xE2\x80\xA6");
}

} // namespace spillway
