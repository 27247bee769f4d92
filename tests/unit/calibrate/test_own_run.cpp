// Own runs: figures of llama-bench in its four formats, the factor they give, and where it may be carried.
#include "calibrate/llama_bench.h"
#include "calibrate/own_run.h"
#include "io/catalogue.h"
#include "io/json_text.h"
#include "io/output_file.h"
#include "io/write_fields.h"
#include "support/dense_case.h"

#include <catch2/catch.hpp>

#include <cstdio>
#include <filesystem>

using namespace spillway;

namespace {

// The same three tests of one 4-layer model of 1 GB in each format.
const std::string kJson = R"([
 {"model_type":"tiny Q8_0","model_size":1000000000,"n_ubatch":512,"n_gpu_layers":99,"type_k":"q8_0",
  "n_prompt":512,"n_gen":0,"n_depth":0,"test_time":"2026-01-02T03:04:05Z","avg_ts":1000.0,"samples_ts":[1,2]},
 {"model_type":"tiny Q8_0","model_size":1000000000,"n_ubatch":512,"n_gpu_layers":99,"type_k":"q8_0",
  "n_prompt":0,"n_gen":128,"n_depth":4096,"test_time":"2026-01-02T03:04:09Z","avg_ts":50.5},
 {"model_type":"tiny Q8_0","model_size":1000000000,"n_ubatch":512,"n_gpu_layers":99,"type_k":"q8_0",
  "n_prompt":512,"n_gen":128,"n_depth":0,"test_time":"2026-01-02T03:04:10Z","avg_ts":60.0}
])";
const std::string kLines =
    R"({"model_type":"tiny Q8_0","model_size":1000000000,"n_ubatch":512,"n_gpu_layers":99,"type_k":"q8_0","n_prompt":512,"n_gen":0,"n_depth":0,"test_time":"2026-01-02T03:04:05Z","avg_ts":1000.0}
{"model_type":"tiny Q8_0","model_size":1000000000,"n_ubatch":512,"n_gpu_layers":99,"type_k":"q8_0","n_prompt":0,"n_gen":128,"n_depth":4096,"test_time":"2026-01-02T03:04:09Z","avg_ts":50.5}
{"model_type":"tiny Q8_0","model_size":1000000000,"n_ubatch":512,"n_gpu_layers":99,"type_k":"q8_0","n_prompt":512,"n_gen":128,"n_depth":0,"test_time":"2026-01-02T03:04:10Z","avg_ts":60.0}
)";
const std::string kCsv =
    "cpu_info,model_type,model_size,n_ubatch,n_gpu_layers,type_k,n_prompt,n_gen,n_depth,test_time,avg_ts\n"
    "\"a \"\"fast\"\", CPU\",\"tiny Q8_0\",\"1000000000\",\"512\",\"99\",\"q8_0\",\"512\",\"0\",\"0\",\"2026-01-02T03:"
    "04:05Z\",\"1000.0\"\n"
    "\"a \"\"fast\"\", CPU\",\"tiny Q8_0\",\"1000000000\",\"512\",\"99\",\"q8_0\",\"0\",\"128\",\"4096\",\"2026-01-02T"
    "03:04:09Z\",\"50.5\"\n"
    "\"a \"\"fast\"\", CPU\",\"tiny Q8_0\",\"1000000000\",\"512\",\"99\",\"q8_0\",\"512\",\"128\",\"0\",\"2026-01-02T0"
    "3:04:10Z\",\"60.0\"\n";
const std::string kMarkdown =
    "ggml_init: found a device\n"
    "| model     |       size |  params | backend | ngl | n_ubatch | type_k |            test |            t/s |\n"
    "| --------- | ---------: | ------: | ------- | --: | -------: | -----: | --------------: | -------------: |\n"
    "| tiny Q8_0 |   0.93 GiB |     1 B | Metal   |  99 |      512 |   q8_0 |           pp512 | 1000.00 ± 1.00 |\n"
    "| tiny Q8_0 |   0.93 GiB |     1 B | Metal   |  99 |      512 |   q8_0 |   tg128 @ d4096 |   50.50 ± 0.10 |\n"
    "| tiny Q8_0 |   0.93 GiB |     1 B | Metal   |  99 |      512 |   q8_0 |     pp512+tg128 |   60.00 ± 0.10 |\n"
    "\nbuild: abc1234 (5000)\n";

Case tiny() { return synthetic::decode_row(synthetic::dense("tiny", 4, 1e9), 8.0, 100.0, 1.0).value; }

LoadedCase loaded_tiny() {
    LoadedCase loaded;
    loaded.value = tiny();
    loaded.model_id = "tiny";
    loaded.machine_id = "one-pool";
    loaded.quantization_id = "q8_0";
    loaded.value.quantization.name = "q8_0";
    return loaded;
}

std::vector<std::string> differing(const CalibrationFile& calibration, LoadedCase loaded) {
    std::vector<std::string> members;
    try {
        apply_calibration(calibration, "mine.json", loaded);
    } catch (const InputError& error) {
        for (const Problem& problem : error.problems()) members.push_back(problem.pointer);
    }
    return members;
}

} // namespace

TEST_CASE("llama-bench says the same in each of its formats", "[calibrate]") {
    for (const std::string* text : {&kJson, &kLines, &kCsv, &kMarkdown}) {
        INFO(*text);
        const auto rows = read_llama_bench(*text, "bench");
        REQUIRE(rows.size() == 3);
        CHECK(rows[0].model_type == "tiny Q8_0");
        CHECK(*rows[0].model_bytes == Approx(1e9).epsilon(0.003));
        const BenchFigures found = figures_of(rows, tiny());
        REQUIRE(found.figures.size() == 2);
        CHECK(found.figures[0].which == Measurand::prefill);
        CHECK(found.figures[0].prompt == 512.0);
        CHECK(found.figures[0].depth == 0.0);
        CHECK(found.figures[0].tokens_per_second == 1000.0);
        CHECK(found.figures[0].micro_batch == 512.0);
        CHECK(found.figures[0].kv_format == KvFormat::q8_0);
        CHECK(found.figures[1].which == Measurand::decode);
        CHECK(found.figures[1].depth == 4096.0 + 64.0);
        CHECK(found.figures[1].tokens_per_second == 50.5);
        REQUIRE(found.left_out.size() == 1);
        CHECK(found.left_out[0] == "tiny Q8_0 pp512+tg128: mixes prompt and generation");
    }
    CHECK(figures_of(read_llama_bench(kJson, "bench"), tiny()).date == "2026-01-02");
}

TEST_CASE("tests of another model, or not all on the GPU, are told and left out", "[calibrate]") {
    Case c = tiny();
    c.quantization.rest = c.quantization.embedding = 4.5;
    const BenchFigures other = figures_of(read_llama_bench(kJson, "bench"), c);
    CHECK(other.figures.empty());
    CHECK(other.left_out.size() == 3);
    CHECK(other.left_out[1].find("another model or format") != std::string::npos);

    std::string partly = kJson;
    for (std::size_t at; (at = partly.find(":99")) != std::string::npos;) partly.replace(at, 3, ":2");
    const BenchFigures some = figures_of(read_llama_bench(partly, "bench"), tiny());
    CHECK(some.figures.empty());
    CHECK(some.left_out[0] == "tiny Q8_0 pp512: only 2 of 4 layers were on the GPU");
}

TEST_CASE("what is no output of llama-bench is refused", "[calibrate]") {
    for (const char* text :
         {"", "hello\n", "[]", "{\"a\": 1}\n", "[{\"avg_ts\": ", "| a | b |\n|---|---|\n| 1 | 2 |\n"}) {
        INFO(text);
        CHECK_THROWS_AS(read_llama_bench(text, "bench"), InputError);
    }
}

TEST_CASE("the factor is measured over predicted, and the case then gives what was measured", "[calibrate]") {
    LoadedCase loaded = loaded_tiny();
    const double estimate = *predicted(loaded.value, Measurand::decode);
    OwnFigure figure;
    figure.tokens_per_second = 0.8 * estimate;
    const OwnRuns runs = own_runs(loaded, {figure});
    CHECK(*runs.calibration.decode == Approx(0.8));
    CHECK_FALSE(runs.calibration.prefill);
    apply_calibration(runs.calibration, "mine.json", loaded);
    const Estimate e = evaluate(loaded.value);
    CHECK(*e.decode.tokens_per_second == Approx(0.8 * estimate));
    // The terms sum to the step: the calibration is one of them.
    double sum = 0.0;
    for (const Term& term : e.decode.terms) sum += term.seconds->value;
    CHECK(sum == Approx(e.decode.step->value));
    CHECK(*e.decode.no_overlap == Approx(0.8 * estimate));
}

TEST_CASE("prefill is calibrated by its own factor", "[calibrate]") {
    LoadedCase loaded = loaded_tiny();
    const double before = *predicted(loaded.value, Measurand::prefill);
    const double decode = *predicted(loaded.value, Measurand::decode);
    loaded.value.scenario.calibration_prefill = 1.25;
    CHECK(*predicted(loaded.value, Measurand::prefill) == Approx(1.25 * before));
    CHECK(*predicted(loaded.value, Measurand::decode) == Approx(decode));
}

TEST_CASE("of several runs the median counts and the spread is told", "[calibrate]") {
    const LoadedCase loaded = loaded_tiny();
    const double estimate = *predicted(loaded.value, Measurand::decode);
    std::vector<OwnFigure> figures(3);
    figures[0].tokens_per_second = 0.5 * estimate;
    figures[1].tokens_per_second = 0.9 * estimate;
    figures[2].tokens_per_second = 1.0 * estimate;
    const OwnRuns runs = own_runs(loaded, figures);
    CHECK(*runs.calibration.decode == Approx(0.9));
    CHECK(*runs.calibration.spread == Approx(2.0));
    CHECK(runs.calibration.runs == 3);
    figures[0].tokens_per_second = 0.001 * estimate;
    CHECK_THROWS_AS(own_runs(loaded, figures), InputError);
}

TEST_CASE("a calibration is not carried to another case", "[calibrate]") {
    LoadedCase loaded = loaded_tiny();
    OwnFigure figure;
    figure.tokens_per_second = *predicted(loaded.value, Measurand::decode);
    const CalibrationFile mine = own_runs(loaded, {figure}).calibration;
    CHECK(differing(mine, loaded).empty());

    LoadedCase other = loaded;
    other.machine_id = "two-pools";
    CHECK(differing(mine, other) == std::vector<std::string>{"/machine"});
    other = loaded;
    other.value.scenario.runtime.name = "another";
    CHECK(differing(mine, other) == std::vector<std::string>{"/runtime"});
    other = loaded;
    other.value.quantization.name = "q4_k";
    CHECK(differing(mine, other) == std::vector<std::string>{"/format_class"});
    other = loaded;
    other.value.model = synthetic::model();
    CHECK(differing(mine, other) == std::vector<std::string>{"/routing"});
}

TEST_CASE("a calibration file reads back as it was written", "[calibrate]") {
    OwnFigure figure;
    figure.tokens_per_second = 7.0;
    figure.text = "decode=7 tok/s";
    CalibrationFile mine = own_runs(loaded_tiny(), {figure}).calibration;
    mine.date = "2026-01-02";
    const std::string path = (std::filesystem::temp_directory_path() / "spillway-calibration.json").string();
    write_output(path, json_text(write_object(mine)));
    const CalibrationFile back = load_calibration(path);
    std::remove(path.c_str());
    CHECK(json_text(write_object(back)) == json_text(write_object(mine)));
    CHECK(back.scope.machine == "one-pool");
    CHECK(back.scope.format_class == FormatClass::q8);
}

TEST_CASE("classes of formats follow the name, else the width", "[calibrate]") {
    const auto class_of = [](const char* name, double bits) {
        Quantization q;
        q.name = name;
        q.rest = bits;
        return format_class(q, false);
    };
    CHECK(class_of("bf16", 16.0) == FormatClass::f16);
    CHECK(class_of("q8_0", 8.5) == FormatClass::q8);
    CHECK(class_of("8.5", 8.5) == FormatClass::q8);
    CHECK(class_of("gguf-q4-k", 4.9) == FormatClass::k_quant);
    CHECK(class_of("UD-Q4_K_XL", 4.9) == FormatClass::k_quant);
    CHECK(class_of("q4_0", 4.5) == FormatClass::q4_0);
    CHECK(class_of("iq4_xs", 4.25) == FormatClass::i_quant);
    CHECK(class_of("mxfp4", 4.25) == FormatClass::fp4);
    CHECK(class_of("fp8-release", 8.0) == FormatClass::fp8);
    CHECK(class_of("int4-g32", 4.5) == FormatClass::grouped);
    CHECK(class_of("4.5", 4.5) == FormatClass::near_4_bits);
    CHECK(class_of("native", 6.6) == FormatClass::near_6_bits);
    CHECK(class_of("2.6", 2.6) == FormatClass::near_2_bits);
}
