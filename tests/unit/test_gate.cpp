// The gate and its files: what is accepted, why not, the stored result, and that report, gate and compare agree.
#include "io/scenario_set.h"
#include "report/compare.h"
#include "report/gate.h"
#include "report/print.h"
#include "support/problem_text.h"
#include "support/strict_xml.h"
#include "unit/report_cases.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

using namespace spillway;
using synthetic::mentions;
using synthetic::problem_text_of;

namespace {

const Catalogue& catalogue() {
    static const Catalogue tree(SPILLWAY_TESTS_DIR "/..");
    return tree;
}

// A file that is gone with its test.
class ScratchFile {
public:
    explicit ScratchFile(const std::string& text, const char* name = "set")
        : path_(std::filesystem::temp_directory_path() /
                ("spillway-" + std::to_string(::getpid()) + "-" + name + ".json")) {
        std::ofstream(path_, std::ios::binary) << text;
    }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    ~ScratchFile() { std::remove(path_.c_str()); }
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

GateRow row_of(const CaseRequest& request, const StoredResult* stored = nullptr, double max_worse = 0.0) {
    GateRow row{"", request.settings, load(request), {}, {}, {}};
    if (stored) row.stored = *stored;
    row.result = judge_entry(row.loaded.value, stored, max_worse);
    return row;
}

GateReport gate_of(std::vector<GateRow> rows, Require require = Require::all) {
    GateReport report;
    report.require = require;
    report.rows = std::move(rows);
    report.version = "0";
    return report;
}

const CaseRequest kFails{"deepseek-v4.1-flash", "apple-m3-ultra-256gb", "offload-arithmetic", "mxfp4", {}, {}};
const CaseRequest kHolds{"deepseek-v4.1-flash", "apple-m3-ultra-256gb", "offload-arithmetic", "2.5", {}, {}};

std::string set_problems(const std::string& text) {
    const ScratchFile file(text);
    return problem_text_of([&] {
        const ScenarioSet set = load_scenario_set(file.path(), catalogue());
        load_entries(set, {}, [](const CaseRequest& request) { return load(request); });
    });
}

std::string baseline_problems(const std::string& text) {
    const ScratchFile file(text, "baseline");
    return problem_text_of([&] { read_baseline(file.path()); });
}

} // namespace

TEST_CASE("a gate accepts what holds and nothing else", "[gate]") {
    for (const ReportCase& c : report_cases()) {
        INFO(c.name);
        const GateRow row = row_of(c.request);
        const Verdict& verdict = row.result.estimate.verdict;
        CHECK(row.result.accepted == (verdict.overall == State::holds));
        CHECK(row.result.accepted == reason_texts(row).empty());
        const bool unknown = verdict.decode == State::unknown || verdict.prefill == State::unknown;
        if (unknown) CHECK_FALSE(unknown_texts(row).empty());
        for (const auto& text : unknown_texts(row)) CHECK_FALSE(text.second.empty());
    }
}

TEST_CASE("the article's list fails for every entry that needs the drive", "[gate]") {
    const ScenarioSet set = load_scenario_set("ci-gate", catalogue());
    const auto cases = load_entries(set, {}, [](const CaseRequest& request) { return load(request); });
    REQUIRE(cases.size() == 9);
    std::vector<GateResult> results;
    for (const LoadedCase& loaded : cases) results.push_back(judge_entry(loaded.value));
    const GateCounts counts = count_results(results);
    CHECK(counts.accepted == 2);
    CHECK(counts.rejected == 7);
    CHECK(counts.need_storage == 7);
    CHECK(counts.need_storage_and_hold == 0);
    CHECK_FALSE(passes(counts, Require::all));
    CHECK(passes(counts, Require::any));
}

TEST_CASE("an empty list never passes a gate", "[gate]") {
    CHECK_FALSE(passes(count_results({}), Require::all));
    CHECK_FALSE(passes(count_results({}), Require::any));
}

TEST_CASE("a stored result rejects only what got worse", "[gate]") {
    const Estimate now = judge_entry(load(kFails).value).estimate;
    const double decode = *now.decode.tokens_per_second, prefill = *now.prefill.tokens_per_second;
    const auto judged = [&](StoredResult stored) { return row_of(kFails, &stored, 0.05); };
    CHECK(judged({{decode, false}, {prefill, false}}).result.accepted);
    CHECK(judged({{decode / 0.951, false}, {prefill, false}}).result.accepted);
    const GateRow slower = judged({{decode / 0.949, false}, {prefill, false}});
    CHECK_FALSE(slower.result.accepted);
    CHECK(mentions(reason_texts(slower).at(0), "decode fell from"));
    CHECK(mentions(reason_texts(judged({{decode, false}, {{}, true}})).at(0), "was not limited by storage"));
    // What had no speed cannot get worse.
    CHECK(judged({{{}, false}, {{}, false}}).result.accepted);

    CaseRequest unknown = kFails;
    unknown.settings = {"machine.storage.internal.rate=null"};
    const StoredResult stored{{decode, false}, {prefill, false}};
    const GateRow newly = row_of(unknown, &stored, 0.05);
    REQUIRE(newly.result.reasons.size() == 2);
    CHECK(mentions(reason_texts(newly).at(0), "decode is unknown, was"));
    REQUIRE(unknown_texts(newly).size() == 1);
    CHECK(mentions(unknown_texts(newly).at(0).second, "--set machine.storage.internal.rate"));

    const CaseRequest too_large{"deepseek-v4-pro", "apple-m4-16gb", "default", "native", {}, {}};
    CHECK_FALSE(row_of(too_large, &stored, 0.05).result.accepted);
    const StoredResult nothing;
    CHECK(row_of(too_large, &nothing, 0.05).result.accepted);
}

TEST_CASE("a stored result is read back as it was written", "[gate]") {
    GateReport report = gate_of({row_of(kFails), row_of(kHolds)});
    report.rows[1].name = "small \"one\"";
    const ScratchFile file(gate_json(report).dump());
    Baseline baseline = read_baseline(file.path());
    REQUIRE(baseline.size() == 2);
    const auto first = take_stored(baseline, baseline_key(report.rows[0]));
    REQUIRE(first);
    CHECK(first->decode.speed == report.rows[0].result.estimate.decode.tokens_per_second);
    const auto second = take_stored(baseline, baseline_key(report.rows[1]));
    REQUIRE(second);
    CHECK(second->prefill.unlimited);
    CHECK(baseline.empty());
    CHECK_FALSE(take_stored(baseline, baseline_key(report.rows[0])));
}

TEST_CASE("a baseline that is none is a mistake", "[gate]") {
    CHECK(mentions(problem_text_of([] { read_baseline("no/such/file.json"); }), "no/such/file.json"));
    CHECK(mentions(baseline_problems("{"), "baseline"));
    CHECK(mentions(baseline_problems("[]"), "is not a stored result"));
    CHECK(mentions(baseline_problems(R"({"format": 1, "kind": "estimate"})"), "is not a stored result"));
    CHECK(mentions(baseline_problems(R"({"format": 2, "kind": "gate"})"), "is not a stored result"));
    CHECK(mentions(baseline_problems(R"({"format": 1, "kind": "gate", "accepted": []})"), "/rejected: is missing"));
    CHECK(mentions(baseline_problems(R"({"format": 1, "kind": "gate", "accepted": [], "rejected": []})"),
                   "holds no entries"));
    const std::string text = gate_json(gate_of({row_of(kFails)})).dump();
    auto broken = nlohmann::json::parse(text);
    broken["rejected"][0]["decode"]["tokens_per_second"] = "fast";
    CHECK(mentions(baseline_problems(broken.dump()), "/rejected/0/decode/tokens_per_second: is not a speed"));
    broken["rejected"][0] = 7;
    CHECK(mentions(baseline_problems(broken.dump()), "/rejected/0/model: is missing"));
}

TEST_CASE("everything that is wrong with a scenario set is told at once", "[gate]") {
    const auto set = [](const std::string& entries, const std::string& more = "") {
        return R"({"format": 1, "kind": "scenario-set", "name": "s", )" + more + R"("entries": [)" + entries + "]}";
    };
    CHECK(set_problems(set(R"({"model": "kimi-k2", "machine": "apple-m3-ultra-256gb"})")).empty());
    CHECK(mentions(set_problems(set("")), "/entries: holds nothing to judge"));
    CHECK(mentions(set_problems(R"({"format": 1, "kind": "scenario"})"), "/kind: is not a scenario-set file"));
    const std::string keys = set_problems(set(R"({"modell": "kimi-k2", "machine": "x", "min_decode": 0})"));
    CHECK(mentions(keys, R"(did you mean "model"?)"));
    CHECK(mentions(keys, "/entries/0/model: is missing"));
    CHECK(mentions(keys, "/entries/0/min_decode: must be"));
    const std::string twice = R"({"model": "kimi-k2", "machine": "apple-m3-ultra-256gb"})";
    CHECK(mentions(set_problems(set(twice + ", " + twice)), "/entries/1: cannot be told from another entry"));
    const std::string names = set_problems(set(R"({"model": "kimi-k", "machine": "apple-m3-ultra-256gb"},
        {"model": "kimi-k2", "machine": "apple-m3-ultra-256gb", "quant": "q99", "settings": ["scenario.depht=1"]},
        {"model": "kimi-k2", "machine": "aple-m3-ultra-256gb", "scenario": "defualt"})"));
    for (const char* place :
         {"/entries/0/model", "/entries/1/quant", "/entries/1/settings", "/entries/2/machine", "/entries/2/scenario"}) {
        INFO(place);
        CHECK(mentions(names, place));
    }
    CHECK(mentions(problem_text_of([] { load_scenario_set("ci-gat", catalogue()); }), R"(did you mean "ci-gate"?)"));
}

TEST_CASE("paths in a set start at its folder", "[gate]") {
    SetEntry entry;
    entry.model = "./models/mine.json";
    entry.machine = "apple-m3-ultra-256gb";
    const CaseRequest request = request_of(entry, "sets/here");
    CHECK(request.model == "sets/here/models/mine.json");
    CHECK(request.machine == "apple-m3-ultra-256gb");
    CHECK(request.scenario == "default");
}

TEST_CASE("the JUnit file is XML and says what the exit code says", "[gate]") {
    GateReport report = gate_of({row_of(kFails), row_of(kHolds)});
    report.name = "<a> & \"b\" ]]> \x01 \xC3\xA9 \xFF \xED\xA0\x80 \xEF\xBF\xBF";
    report.rows[0].name = "line\nbreak\t'quoted'";
    const xml::Element all = xml::parse(gate_junit(report));
    CHECK(all.name == "testsuites");
    REQUIRE(all.children.size() == 1);
    const xml::Element& suite = all.children[0];
    CHECK(suite.attributes.at("tests") == "2");
    CHECK(suite.attributes.at("failures") == "1");
    CHECK(mentions(suite.attributes.at("name"), "<a> & \"b\" ]]> ? \xC3\xA9 ? "));
    REQUIRE(suite.children.size() == 2);
    CHECK(mentions(suite.children[0].attributes.at("name"), "line\nbreak\t'quoted'"));
    REQUIRE(suite.children[0].children.size() == 1);
    const xml::Element& failure = suite.children[0].children[0];
    CHECK(failure.name == "failure");
    CHECK(mentions(failure.attributes.at("message"), "decode is 4.40 tok/s, 5.60 short of 10"));
    CHECK(mentions(failure.text, "decode is 4.40 tok/s"));
    CHECK(suite.children[1].children.empty());

    report.require = Require::any;
    const xml::Element passing = xml::parse(gate_junit(report)).children.at(0);
    CHECK(passing.attributes.at("failures") == "0");
    CHECK(passing.attributes.at("skipped") == "1");
    CHECK(passing.children.at(0).children.at(0).name == "skipped");
}

TEST_CASE("the strict parser refuses what is not XML", "[gate]") {
    const std::string head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
    CHECK_NOTHROW(xml::parse(head + "<a b=\"c\"><d/>x &amp; y</a>"));
    for (const char* bad :
         {"<a>", "<a></b>", "<a b=\"1\" b=\"2\"/>", "<a b=\"<\"/>", "<a>&nbsp;</a>", "<a>&</a>", "<a b=1/>", "<a/><b/>",
          "<a>\x01</a>", "<a>\xFF</a>", "<a>]]></a>", "<a b=\"1\"c=\"2\"/>"}) {
        INFO(bad);
        CHECK_THROWS_AS(xml::parse(head + bad), std::runtime_error);
    }
}

TEST_CASE("report, gate and compare show the same figures", "[gate][compare]") {
    for (const ReportCase& c : report_cases()) {
        INFO(c.name);
        const LoadedCase loaded = load(c.request);
        const Report report = report_of(loaded);
        const auto json = report_json(report);
        const auto gate = gate_json(gate_of({row_of(c.request)}));
        const auto& row = gate["accepted"].empty() ? gate["rejected"][0] : gate["accepted"][0];
        CHECK(row["decode"]["tokens_per_second"] == json["decode"]["tokens_per_second"]);
        CHECK(row["prefill"]["tokens_per_second"] == json["prefill"]["tokens_per_second"]);
        CHECK(row["decode"]["limit"] == json["decode"]["limit"]);
        CHECK(row["placement"]["residency"] == json["placement"]["residency"]);
        for (const char* phase : {"decode", "prefill", "overall"})
            CHECK(row["verdict"][phase] == json["verdict"][phase]);
        for (const ComparedFigure& figure : compared_figures(json, json)) {
            INFO(figure.name);
            CHECK(figure.same());
            CHECK(figure.difference() == 0.0);
        }
        const Comparison same{report, report};
        CHECK(mentions(verdict_change_text(same), "The verdict stays"));
        CHECK(mentions(print_text(gate_document(gate_of({row_of(c.request)})), {}), "of 1 entry accepted"));
    }
}

TEST_CASE("a comparison has every number of both reports", "[compare]") {
    const nlohmann::ordered_json left = {{"a", {{"b", 4}, {"c", nullptr}, {"t", "text"}}},
                                         {"list", {{{"name", "x"}, {"v", 1}}, {{"name", "x"}, {"v", 2}}}},
                                         {"only", 7}};
    const nlohmann::ordered_json right = {{"a", {{"b", 5}, {"c", 3}, {"new", 1}}},
                                          {"list", {{{"name", "y"}, {"v", 9}}, {{"name", "x"}, {"v", 1}}}}};
    std::vector<std::string> names;
    const auto figures = compared_figures(left, right);
    for (const ComparedFigure& f : figures) names.push_back(f.name);
    CHECK(names == std::vector<std::string>{"a.b", "a.c", "a.new", "list.y.v", "list.x.v", "list.x#2.v", "only"});
    CHECK(figures[0].difference() == 1.0);
    CHECK(figures[0].relative() == 0.25);
    CHECK_FALSE(figures[1].difference());
    CHECK(figures[1].right == 3.0);
    CHECK_FALSE(figures[6].right);
}

TEST_CASE("a comparison says which figure crossed which target", "[compare]") {
    const LoadedCase slow = load(kFails), fast = load(kHolds);
    const Report left = report_of(slow), right = report_of(fast);
    CHECK(verdict_change_text({left, right}) ==
          "The verdict changes from FAILS to HOLDS: decode rises from 4.40 to 28.6 tok/s, past its target of 10.");
    CHECK(verdict_change_text({right, left}) ==
          "The verdict changes from HOLDS to FAILS: decode falls from 28.6 to 4.40 tok/s, below its target of 10.");
    CaseRequest lower = kFails;
    lower.settings = {"scenario.target_decode=4"};
    const LoadedCase easier = load(lower);
    const Report third = report_of(easier);
    CHECK(verdict_change_text({left, third}) ==
          "The verdict changes from FAILS to HOLDS: decode stays at 4.40 tok/s; its target goes from 10 to 4, past its "
          "target of 4.");
}
