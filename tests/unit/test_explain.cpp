// Every line of --explain is recomputed from its own text: what is printed as the arithmetic is the arithmetic.
#include "report_cases.h"

#include "report/explain.h"
#include "report/print.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

using namespace spillway;

namespace {

// Evaluates an expression of --explain. Words other than x, min and max are units and mean nothing here.
class Calculator {
public:
    explicit Calculator(std::string text) : text_(std::move(text)) {}

    double result() {
        const double value = sum();
        skip_units();
        REQUIRE(at_ == text_.size());
        return value;
    }

private:
    void skip_spaces() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }

    std::string word() const {
        std::size_t end = at_;
        while (end < text_.size() && std::isalpha(static_cast<unsigned char>(text_[end]))) ++end;
        return text_.substr(at_, end - at_);
    }

    void skip_units() {
        for (skip_spaces(); at_ < text_.size() && !word().empty() && word() != "x"; skip_spaces()) {
            at_ += word().size();
            if (text_.compare(at_, 2, "/s") == 0) at_ += 2;
        }
    }

    bool take(char c) {
        skip_units();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    double sum() {
        double value = product();
        while (true) {
            if (take('+'))
                value += product();
            else if (take('-'))
                value -= product();
            else
                return value;
        }
    }

    double product() {
        double value = factor();
        while (true) {
            if (take('x'))
                value *= factor();
            else if (take('/'))
                value /= factor();
            else
                return value;
        }
    }

    double factor() {
        skip_spaces();
        if (word() == "max" || word() == "min") {
            const bool larger = word() == "max";
            at_ += 3;
            REQUIRE(take('('));
            const double first = sum();
            REQUIRE(take(','));
            const double second = sum();
            REQUIRE(take(')'));
            return larger ? std::max(first, second) : std::min(first, second);
        }
        if (text_[at_] == '-') {
            ++at_;
            return -factor();
        }
        if (text_[at_] == '(') {
            ++at_;
            const double value = sum();
            REQUIRE(take(')'));
            return value;
        }
        char* end = nullptr;
        const double value = std::strtod(text_.c_str() + at_, &end);
        INFO(text_ << " at " << at_);
        REQUIRE(end != text_.c_str() + at_);
        at_ = static_cast<std::size_t>(end - text_.c_str());
        return value;
    }

    std::string text_;
    std::size_t at_ = 0;
};

// One line of the arithmetic as it stands in the text: a name, and after '=' the expression and the result.
struct Written {
    std::string name;
    std::vector<std::string> equals;
};

std::vector<Written> written_lines(const std::string& report) {
    std::istringstream in(report.substr(report.find("\nthe arithmetic\n") + 1));
    std::vector<Written> lines;
    std::string line;
    std::getline(in, line);
    bool open = false;
    while (std::getline(in, line) && !line.empty()) {
        const std::size_t indent = line.find_first_not_of(' ');
        if (indent == 2) lines.push_back({line.substr(2, line.find("  ", 2) - 2), {}});
        if (line.compare(0, 6, "    = ") == 0) {
            lines.back().equals.push_back(line.substr(6));
            open = true;
        } else if (indent == 8 && open) {
            lines.back().equals.back() += line.substr(7);
        } else {
            open = false;
        }
    }
    return lines;
}

bool is_term(const std::string& name) {
    const bool timed = name.compare(0, 7, "decode/") == 0 || name.compare(0, 8, "prefill/") == 0;
    return timed && name.find('[') != std::string::npos;
}

} // namespace

TEST_CASE("every line of --explain recomputes from its own text") {
    for (const ReportCase& test : report_cases()) {
        const LoadedCase loaded = load(test.request);
        const Report report = report_of(loaded);
        const std::vector<Written> lines = written_lines(print_text(report_document(report, true), {}));
        std::size_t terms = 0, unknown = 0;
        for (const Written& line : lines) {
            INFO(test.name << ": " << line.name);
            REQUIRE(line.equals.size() >= 1);
            REQUIRE(line.equals.size() <= 2);
            terms += is_term(line.name) ? 1 : 0;
            if (line.equals.size() == 1) {
                // Its value is unknown, because an operand is.
                CHECK(line.equals[0].find("unknown") != std::string::npos);
                ++unknown;
                continue;
            }
            const double computed = Calculator(line.equals[0]).result();
            const double printed = Calculator(line.equals[1]).result();
            INFO(line.equals[0] << " = " << line.equals[1]);
            // Terms are the engine's own operation on their operands; sums may add up in another order.
            if (is_term(line.name))
                CHECK(computed == printed);
            else
                CHECK(std::abs(computed - printed) <= 1e-12 * std::abs(printed));
        }
        INFO(test.name);
        CHECK(terms == report.estimate.decode.terms.size + report.estimate.prefill.terms.size);
        CHECK((unknown > 0) == (test.name.compare(0, 7, "unknown") == 0 && test.name != "unknown bits"));
    }
}

TEST_CASE("--explain at another width says the same") {
    const LoadedCase loaded = load(report_cases().front().request);
    const Report report = report_of(loaded);
    const auto narrow = written_lines(print_text(report_document(report, true), {}));
    const auto wide = written_lines("\nthe arithmetic\n" + explain_text(report, 200));
    REQUIRE(narrow.size() == wide.size());
    for (std::size_t i = 0; i < narrow.size(); ++i) {
        CHECK(narrow[i].name == wide[i].name);
        CHECK(narrow[i].equals == wide[i].equals);
    }
}

TEST_CASE("a line of --explain names every input whose change moves it") {
    // The inputs that hand-kept lists once forgot, each in a case where it counts.
    struct Asked {
        std::string line, path;
        std::vector<std::string> settings;
    };
    const std::vector<Asked> asked = {
        {"decode/read_fixed[unified]", "quantization.embedding", {}},
        {"decode/storage_misses[internal]",
         "scenario.runtime.prefetch_waste",
         {"scenario.runtime.prefetch_lookahead=1", "scenario.runtime.prefetch_waste=0.5"}},
        {"decode/read_experts[unified]", "quantization.experts_down", {"quantization.experts_down=6"}},
        {"decode/read_drafter[unified]", "quantization.drafter_experts", {"scenario.positions=3"}},
        {"decode/storage_misses[internal]",
         "scenario.runtime.page_cache_share",
         {"scenario.runtime=streamer-page-cache"}},
        {"placement/fixed[unified]", "model", {}},
    };
    for (const Asked& ask : asked) {
        INFO(ask.line << " " << ask.path);
        const LoadedCase loaded =
            load({"deepseek-v4.1-flash", "apple-m3-ultra-256gb", "default", "mxfp4", ask.settings});
        const std::vector<ExplainLine> lines = explain_lines(report_of(loaded));
        const auto line =
            std::find_if(lines.begin(), lines.end(), [&](const ExplainLine& l) { return l.name == ask.line; });
        REQUIRE(line != lines.end());
        CHECK(std::find(line->paths.begin(), line->paths.end(), ask.path) != line->paths.end());
    }
}

TEST_CASE("what is unknown is named behind the line that waits for it") {
    const LoadedCase loaded = load(
        {"deepseek-v4.1-flash", "apple-m3-ultra-256gb", "default", "mxfp4", {"machine.storage.internal.rate=null"}});
    const std::vector<ExplainLine> lines = explain_lines(report_of(loaded));
    const auto line = std::find_if(lines.begin(), lines.end(),
                                   [](const ExplainLine& l) { return l.name == "decode/storage_misses[internal]"; });
    REQUIRE(line != lines.end());
    CHECK(!line->value);
    CHECK(std::find(line->paths.begin(), line->paths.end(), "machine.storage.internal.rate") != line->paths.end());
}
