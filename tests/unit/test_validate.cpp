// Replays and their statistics: percentiles, order and verdicts worked by hand, what counts apart, stored ratios.
#include "support/problem_text.h"
#include "support/synthetic.h"
#include "validate/baseline.h"
#include "validate/rule_of_thumb.h"
#include "validate/validation.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

using namespace spillway;
using synthetic::mentions;
using synthetic::problem_text_of;

namespace {

const std::string kSample = std::string(SPILLWAY_TESTS_DIR) + "/data/measured/sample.json";

MeasuredSet sample(const std::string& path = kSample) {
    Problems problems;
    MeasuredSet set = read_measured({path}, Catalogue(data_root("")), problems);
    throw_if_any(problems);
    return set;
}

std::map<std::string, Replay> by_key(const std::vector<Replay>& replays) {
    std::map<std::string, Replay> map;
    for (const Replay& replay : replays) map.emplace(replay_key(replay), replay);
    return map;
}

// A file in a folder of its own, removed at the end.
struct TemporaryFile {
    std::filesystem::path folder, path;
    explicit TemporaryFile(const std::string& text) {
        std::string name = (std::filesystem::temp_directory_path() / "spillway-validate-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        folder = name;
        path = folder / "file.json";
        std::ofstream(path) << text;
    }
    ~TemporaryFile() { std::filesystem::remove_all(folder); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
};

} // namespace

TEST_CASE("percentiles are interpolated between neighbours", "[validate]") {
    CHECK(percentile({7.0}, 0.9) == 7.0);
    CHECK(percentile({1.0, 2.0, 3.0, 4.0, 5.0}, 0.5) == 3.0);
    CHECK(percentile({1.0, 2.0, 3.0, 4.0, 5.0}, 0.1) == Approx(1.4).epsilon(1e-12));
    CHECK(percentile({1.0, 2.0, 3.0, 4.0, 5.0}, 0.9) == Approx(4.6).epsilon(1e-12));
    CHECK(percentile({1.0, 2.0}, 0.0) == 1.0);
    CHECK(percentile({1.0, 2.0}, 1.0) == 2.0);
}

TEST_CASE("spread, order and verdicts of five pairs worked by hand", "[validate]") {
    // Ratios 0.5, 1, 1.2, 2, 0.9; errors 0.5, 0, 0.2, 1, 0.1.
    const std::vector<SpeedPair> pairs = {
        {"a", 20.0, 10.0}, {"a", 10.0, 10.0}, {"b", 10.0, 12.0}, {"b", 5.0, 10.0}, {"b", 10.5, 9.45}};
    const Spread spread = spread_of(pairs);
    CHECK(spread.n == 5);
    CHECK(spread.ratio_median == 1.0);
    CHECK(spread.ratio_p10 == Approx(0.66).epsilon(1e-9)); // 0.5 + 0.4 x (0.9 - 0.5)
    CHECK(spread.ratio_p90 == Approx(1.68).epsilon(1e-9)); // 1.2 + 0.6 x (2 - 1.2)
    CHECK(spread.error_median == Approx(0.2).epsilon(1e-9));
    CHECK(spread.error_p90 == Approx(0.8).epsilon(1e-9)); // 0.5 + 0.6 x (1 - 0.5)

    // On a: 20 against 10, predicted alike: wrong. On b: 10 and 10.5 are within 10 %; 5 against 10 is right, 5 against
    // 10.5 is predicted the other way round. Pairs of a and b never meet.
    const PairOrder order = order_of(pairs);
    CHECK(order.n == 3);
    CHECK(order.right == 1);
    CHECK(order.share() == Approx(1.0 / 3.0));

    // 5 is said to hold 10; 10.5 is said not to; a speed at the threshold holds.
    const Agreement agreement = agreement_of(pairs, 10.0);
    CHECK(agreement.false_holds == 1);
    CHECK(agreement.false_fails == 1);
    CHECK(agreement.share() == Approx(0.6));
    CHECK_FALSE(agreement_of({}, 10.0).share());
    CHECK_FALSE(order_of({{"a", 1.0, 1.0}}).share());
}

TEST_CASE("the rule of thumb sums rated bandwidth over pools and adds the drive", "[validate]") {
    // 6 GB for a pool of 10 GB of experts: 400 MB of experts and 102 MB of other weights per token at 100 GB/s.
    const Case c = synthetic::one_pool();
    const Estimate e = evaluate(c);
    REQUIRE(e.decode.missed_bytes_per_token);
    double weights = 0.0;
    for (const Term& term : e.decode.terms) {
        if (term.id == TermId::read_fixed || term.id == TermId::read_experts) weights += term.a;
    }
    const double missed = e.decode.missed_bytes_per_token->value;
    REQUIRE(missed > 0.0);
    const auto thumb = thumb_decode(c, e);
    REQUIRE(thumb);
    CHECK(*thumb == Approx(1.0 / (weights / (0.55 * 100e9) + missed / 5e9)).epsilon(1e-12));

    Case batch = c;
    batch.scenario.sequences = 2.0;
    CHECK_FALSE(thumb_decode(batch, evaluate(batch)));

    // In memory, 1 TFLOP/s rated: 0.4 x 10^12 / (2 x parameters per token).
    Case roomy = synthetic::one_pool(40.0);
    roomy.machine.compute.rated = FlopsPerSecond(1e12);
    const Estimate resident = evaluate(roomy);
    const auto prompt = thumb_prefill(roomy, resident);
    REQUIRE(prompt);
    double params = 0.0;
    for (const Term& term : resident.prefill.terms) {
        if (term.id == TermId::compute) params = term.a;
    }
    CHECK(*prompt == Approx(0.4e12 / (2.0 * params)).epsilon(1e-12));
    CHECK_FALSE(thumb_prefill(c, e)); // no rating stated, and experts are read from the drive
}

TEST_CASE("each measured speed of the sample is of one kind and counts or says why not", "[validate]") {
    const MeasuredSet set = sample();
    const std::vector<Replay> replays = replay_set(set, Catalogue(data_root("")), {});
    const auto found = by_key(replays);
    CHECK(replays.size() == 16);
    const auto kind = [&](const char* key) { return found.at(key).kind; };
    CHECK(kind("sample-strix-flash-bf16/decode") == ReplayKind::resident_moe);
    CHECK(kind("sample-strix-flash-bf16/prefill") == ReplayKind::prefill_moe);
    CHECK(kind("sample-4090-8b/decode") == ReplayKind::resident_dense);
    CHECK(kind("sample-7950x-8b/decode") == ReplayKind::cpu);
    CHECK(kind("sample-7950x-8b/prefill") == ReplayKind::prefill_cpu);
    CHECK(kind("sample-m5-pro-slotstream/decode") == ReplayKind::streamed_blind);
    CHECK_FALSE(kind("sample-two-boxes/decode"));
    CHECK(found.at("sample-two-boxes/decode").standing == Standing::not_stated);
    CHECK(found.at("sample-hot-phone/decode").standing == Standing::excluded);
    CHECK(found.at("sample-m1-70b/decode").standing == Standing::does_not_fit);
    CHECK(found.at("sample-m1-70b/decode").kind == ReplayKind::resident_dense);
    CHECK(found.at("sample-4090-8b/decode").processor == Processor::nvidia_gpu);
    CHECK(found.at("sample-4090-8b/decode").dominant == TermId::read_fixed);

    const Validation validation = validation_of(replays);
    CHECK(validation.runs == 12);
    CHECK(validation.count(Standing::excluded) == 1);
    CHECK(validation.count(Standing::not_stated) == 1);
    CHECK(validation.count(Standing::does_not_fit) == 1);
    std::size_t counted = 0;
    for (const GroupScore& group : validation.groups) {
        if (group.by == GroupBy::kind) counted += group.product.spread.n;
    }
    CHECK(counted == validation.count(Standing::counted));
    const auto rows = worst(validation, 2);
    REQUIRE(rows.size() == 2);
    for (const Replay& replay : validation.replays) {
        if (replay.standing != Standing::counted || &replay == rows[0]) continue;
        CHECK(std::abs(std::log(replay.ratio())) <= std::abs(std::log(rows[0]->ratio())));
    }
}

TEST_CASE("a row that ran in memory and is predicted to spill counts apart", "[validate]") {
    MeasuredSet set = sample();
    MeasuredRun& run = set[0].file.runs[0]; // GLM-4.7-Flash at 16 bits: 60 GB
    run.machine = "apple-m4-16gb";
    run.runtime = "mlx";
    run.quant = "4.5";
    run.settings = {"quantization.rest=4.5", "scenario.context=1024"};
    const auto found = by_key(replay_set(set, Catalogue(data_root("")), {}));
    const Replay& replay = found.at("sample-strix-flash-bf16/decode");
    CHECK(replay.standing == Standing::spills);
    CHECK(replay.predicted);
}

TEST_CASE("a run made from the estimator's own figure has ratio 1", "[validate][property]") {
    CHECK(rc::check("any depth and width", [] {
        MeasuredSet set = sample();
        set[0].file.runs.resize(1);
        set[0].readable.resize(1);
        MeasuredRun& run = set[0].file.runs[0];
        run.quant = std::to_string(*rc::gen::inRange(3, 16));
        run.settings = {"scenario.context=40000", "scenario.depth=" + std::to_string(*rc::gen::inRange(0, 30000))};
        const Catalogue catalogue(data_root(""));
        const auto first = replay_set(set, catalogue, {});
        for (const Replay& replay : first) {
            RC_ASSERT(replay.predicted.has_value());
            auto& outcome = replay.phase == SpeedPhase::decode ? run.measured.decode : run.measured.prefill;
            outcome = PerSecond(*replay.predicted);
        }
        for (const Replay& replay : replay_set(set, catalogue, {})) RC_ASSERT(replay.ratio() == 1.0);
    }));
}

TEST_CASE("a stored summary holds against itself and tells what a change made worse", "[validate]") {
    const MeasuredSet set = sample();
    const std::vector<Replay> replays = replay_set(set, Catalogue(data_root("")), {});
    const Validation validation = validation_of(replays);
    const TemporaryFile file(baseline_of(validation).dump());
    const StoredRatios stored = read_ratios(file.path.string());
    CHECK(stored.size() == validation.count(Standing::counted));
    const BaselineComparison same = compare(validation, stored, 0.0);
    CHECK_FALSE(same.is_worse());
    CHECK(same.compared == stored.size());

    // One dense row 30 % slower than it was: its kind is worse, and it is the row that moved.
    std::vector<Replay> slower = replays;
    for (Replay& replay : slower) {
        if (replay_key(replay) == "sample-spark-70b/decode") *replay.predicted *= 0.7;
    }
    const Validation changed = validation_of(slower);
    const BaselineComparison worse = compare(changed, stored, kDefaultWorse);
    REQUIRE(worse.worse.size() == 1);
    CHECK(worse.worse[0].kind == "resident dense");
    REQUIRE(worse.moved.size() == 1);
    CHECK(replay_key(*worse.moved[0].replay) == "sample-spark-70b/decode");
    CHECK(*worse.moved[0].now == Approx(0.7 * worse.moved[0].before).epsilon(1e-5));

    // A prediction that is gone is worse whatever it does to the errors; a row that is gone is not.
    std::vector<Replay> lost = replays;
    lost.front().standing = Standing::no_figure;
    CHECK(compare(validation_of(lost), stored, 1.0).is_worse());
    lost.erase(lost.begin());
    const BaselineComparison fewer = compare(validation_of(lost), stored, 1.0);
    CHECK_FALSE(fewer.is_worse());
    CHECK(fewer.not_in_set == 1);
}

TEST_CASE("what is not a stored validation is refused", "[validate]") {
    for (const char* text : {"{}", "[]", R"({"format": 1, "kind": "gate", "ratios": {"a": 1}})",
                             R"({"format": 1, "kind": "validation-baseline", "ratios": {}})"}) {
        const TemporaryFile file(text);
        CHECK(mentions(problem_text_of([&] { read_ratios(file.path.string()); }), "is not a stored validation"));
    }
    const TemporaryFile file(R"({"format": 1, "kind": "validation-baseline", "ratios": {"a/decode": 0}})");
    CHECK(mentions(problem_text_of([&] { read_ratios(file.path.string()); }), "/ratios/a~1decode"));
}
