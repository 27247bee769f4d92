#include "cli/calibrate_own.h"

#include "calibrate/llama_bench.h"
#include "calibrate/own_run.h"
#include "cli/answer.h"
#include "io/json_text.h"
#include "io/output_file.h"
#include "io/write_fields.h"
#include "report/document.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace spillway {

namespace {

std::string file_text(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw InputError({{path, "", "nothing", "a file", "cannot be read"}});
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

OrderedJson json_of(const OwnRuns& runs, const std::vector<std::string>& left_out) {
    OrderedJson json = {{"format", 1}, {"kind", "own-runs"}};
    json["calibration"] = write_object(runs.calibration);
    json["figures"] = OrderedJson::array();
    for (const Factor& f : runs.factors)
        json["figures"].push_back({{"figure", EnumNames<Measurand>::names[static_cast<std::size_t>(f.figure.which)]},
                                   {"text", f.figure.text},
                                   {"measured_tokens_per_second", f.figure.tokens_per_second},
                                   {"predicted_tokens_per_second", f.predicted},
                                   {"factor", f.factor()}});
    json["left_out"] = left_out;
    return json;
}

Table figures_table(const OwnRuns& runs) {
    Table table;
    table.columns = {{"figure", "figure", Show::text},
                     {"measured_tokens_per_second", "measured tok/s", Show::speed},
                     {"predicted_tokens_per_second", "estimate tok/s", Show::speed},
                     {"factor", "factor", Show::text}};
    for (const Factor& f : runs.factors)
        table.rows.push_back(
            {f.figure.text, f.figure.tokens_per_second, f.predicted, fmt::format("{:.3f}", f.factor())});
    return table;
}

Document document_of(const OwnRuns& runs, const std::vector<std::string>& left_out, const OutputFlags& output) {
    const CalibrationScope& s = runs.calibration.scope;
    Document document{.kind = "own runs",
                      .title = fmt::format("own runs on {}, {}", s.machine, s.runtime),
                      .lead = "spillway calibrate   ",
                      .data = figures_table(runs),
                      .version = SPILLWAY_VERSION};
    DocumentSection& figures = document.add("");
    figures.add(figures_table(runs));
    for (const std::string& row : left_out) figures.line("left out: " + row, Tone::warning, 2);
    DocumentSection& section = document.add("the calibration");
    const auto factor = [&](const char* name, const std::optional<double>& value) {
        if (value) section.line(fmt::format("{} times {:.3f}", name, *value), Tone::plain, 2);
    };
    factor("decode", runs.calibration.decode);
    factor("prefill", runs.calibration.prefill);
    section.line(fmt::format("holds on {} with {} for {} models in formats of the class {}; it is refused elsewhere, "
                             "because there it would tell nothing",
                             s.machine, s.runtime, s.routing == Routing::moe ? "MoE" : "dense",
                             EnumNames<FormatClass>::names[static_cast<std::size_t>(s.format_class)]),
                 Tone::plain, 2);
    section.line(output.file.empty() ? "-o FILE writes it, --calibration FILE uses it in every command"
                                     : fmt::format("written to {}: use it with --calibration", output.file),
                 Tone::plain, 2);
    return document;
}

} // namespace

int calibrate_own(const CaseRequest& request, const OwnRunFlags& flags, const OutputFlags& output) {
    const LoadedCase loaded = load_requested(request, output);
    Problems problems;
    std::vector<OwnFigure> figures;
    for (const std::string& text : flags.measured) {
        if (auto figure = read_figure(text, problems)) figures.push_back(std::move(*figure));
    }
    throw_if_any(problems);
    BenchFigures bench;
    if (!flags.llama_bench.empty())
        bench = figures_of(read_llama_bench(file_text(flags.llama_bench), flags.llama_bench), loaded.value);
    figures.insert(figures.end(), bench.figures.begin(), bench.figures.end());
    if (figures.empty()) {
        for (const std::string& why : bench.left_out)
            problems.push_back({flags.llama_bench, "", why, "a test of this case", "is not of the case"});
        throw_if_any(problems);
    }
    OwnRuns runs = own_runs(loaded, figures);
    runs.calibration.date = flags.date.empty() ? bench.date : flags.date;
    if (!output.file.empty()) write_output(output.file, json_text(write_object(runs.calibration)));
    OutputFlags answer = output;
    answer.file.clear(); // -o names the calibration
    write_answer(answer, {[&] { return json_of(runs, bench.left_out); },
                          [&] { return document_of(runs, bench.left_out, output); }});
    return 0;
}

} // namespace spillway
