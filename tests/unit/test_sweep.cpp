// Sweeps: the same numbers as single evaluations, in order, on any number of threads, in any number of shards.
#include "support/synthetic.h"

#include "explore/sweep.h"
#include "explore/where.h"
#include "text/paths.h"

#include <catch2/catch.hpp>

#include <set>
#include <sstream>

using namespace spillway;

namespace {

Grid grid() {
    Grid g;
    g.bases = {synthetic::one_pool(), synthetic::two_pools(3.0, 4.0)};
    g.axes = {{"machine.storage.0.rate", {}}, {"machine.memory.0.usable", {1e9, 2e9, 3e9}}};
    for (int i = 1; i <= 1000; ++i) g.axes[0].values.push_back(i * 1e7);
    return g;
}

std::string run(const Grid& g, unsigned threads) {
    std::string text;
    const std::atomic<bool> stop{false};
    const BlockSink sink{[](const GridRow& row, std::string& out) {
                             std::ostringstream line;
                             line.precision(17);
                             line << row.number << ' ' << row.base << ' ' << row.axis_values[0] << ' '
                                  << row.axis_values[1] << ' ' << row.estimate.decode.tokens_per_second.value() << '\n';
                             out += line.str();
                         },
                         [&](std::string&& block) { text += block; }};
    const SweepResult result = sweep(g, sink, stop, threads);
    CHECK(result.evaluated == result.wanted);
    return text;
}

} // namespace

TEST_CASE("rows come in order and equal single evaluations", "[sweep]") {
    const Grid g = grid();
    std::istringstream lines(run(g, 2));
    std::uint64_t expected = 0;
    for (std::string line; std::getline(lines, line); ++expected) {
        std::istringstream words(line);
        std::uint64_t number = 0, base = 0;
        double rate = 0, usable = 0, speed = 0;
        words >> number >> base >> rate >> usable >> speed;
        REQUIRE(number == expected);
        if (number % 97 != 0) continue;
        Case c = g.bases[base];
        number_field(c, "machine.storage.0.rate")->set(rate);
        number_field(c, "machine.memory.0.usable")->set(usable);
        CHECK(speed == *evaluate(c).decode.tokens_per_second);
    }
    CHECK(expected == g.rows());
}

TEST_CASE("threads do not change the answer", "[sweep]") { CHECK(run(grid(), 1) == run(grid(), 3)); }

TEST_CASE("shards are disjoint and together the whole", "[sweep]") {
    Grid g = grid();
    std::multiset<std::string> whole, parts;
    const auto add = [](const std::string& text, std::multiset<std::string>& into) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) into.insert(line);
    };
    add(run(g, 2), whole);
    g.shards = 7;
    for (g.shard = 0; g.shard < 7; ++g.shard) add(run(g, 2), parts);
    CHECK(parts == whole);
}

TEST_CASE("a stopped sweep leaves a complete prefix", "[sweep]") {
    const Grid g = grid();
    std::atomic<bool> stop{false};
    std::string text;
    const BlockSink sink{[](const GridRow& row, std::string& out) { out += std::to_string(row.number) + "\n"; },
                         [&](std::string&& block) {
                             text += block;
                             stop = true;
                         }};
    const SweepResult result = sweep(g, sink, stop, 2);
    CHECK(result.evaluated < result.wanted);
    CHECK(result.evaluated > 0);
    std::istringstream lines(text);
    std::uint64_t expected = 0;
    for (std::string line; std::getline(lines, line);) CHECK(std::stoull(line) == expected++);
    CHECK(expected == result.evaluated);
}

TEST_CASE("conditions on figures", "[sweep]") {
    const Estimate e = evaluate(synthetic::one_pool());
    const auto holds = [&](const std::string& text) {
        std::string problem;
        const Where where = Where::parse(text, problem);
        INFO(text << ": " << problem);
        REQUIRE(problem.empty());
        return where.holds(e);
    };
    CHECK(holds("decode.tokens_per_second>=10 and prefill.tokens_per_second>=100"));
    CHECK_FALSE(holds("decode.tokens_per_second < 10"));
    CHECK(holds("not decode.tokens_per_second < 10 and (verdict.overall==holds or decode.limit!=storage)"));
    CHECK(holds("placement.residency>0.5"));
    CHECK(holds("decode.tokens_per_second<1 or verdict.decode==holds and placement.residency<=1"));
    std::string problem;
    Where::parse("decode.tokens_per_secnd>=10", problem);
    CHECK(problem.find("decode.tokens_per_second") != std::string::npos);
    for (const char* bad :
         {"", "decode.tokens_per_second", "decode.tokens_per_second>=", "decode.tokens_per_second>=10 and",
          "(placement.residency>1", "verdict.overall>holds", "placement.residency>0.5 placement.residency<1"}) {
        Where::parse(bad, problem);
        INFO(bad);
        CHECK_FALSE(problem.empty());
    }
}

TEST_CASE("a comparison with an unknown figure is false", "[sweep]") {
    Case c = synthetic::one_pool();
    c.machine.compute.rate.reset();
    const Estimate e = evaluate(c);
    std::string problem;
    CHECK_FALSE(Where::parse("prefill.tokens_per_second>=0", problem).holds(e));
    CHECK_FALSE(Where::parse("prefill.tokens_per_second<1e9", problem).holds(e));
}
