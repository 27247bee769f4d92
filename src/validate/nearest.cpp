#include "validate/nearest.h"

#include "io/read_fields.h"

#include <simdjson.h>

#include <array>
#include <charconv>
#include <cmath>

namespace spillway {

namespace {

constexpr std::string_view kNoEngine = "generic";

// What nearness looks at in a row, so that a row need not be read before it is known to be near.
struct Look {
    std::string_view model, machine, runtime, engine, quant;
    std::vector<std::string_view> settings;
    bool has_decode = false, is_evidence = false; // evidence of any speed
};

std::optional<Nearness> nearness_of(const Look& look, const LoadedCase& loaded) {
    const std::string& runtime = loaded.value.scenario.runtime.name;
    const bool engine = runtime == kNoEngine || look.runtime == runtime || look.engine == runtime;
    const bool model = look.model == loaded.model_id, machine = look.machine == loaded.machine_id;
    if (!look.is_evidence || !(model || (machine && engine))) return std::nullopt;
    if (model && machine && engine) return Nearness::this_case;
    return model ? Nearness::this_model : Nearness::this_machine;
}

// The number that a text begins with; empty if it begins with none.
std::optional<double> leading_number(std::string_view text) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() ? std::optional(value) : std::nullopt;
}

// A count that a row states for a path.
std::optional<double> stated_number(const Look& look, std::string_view path) {
    for (const std::string_view setting : look.settings) {
        if (setting.starts_with(path) && setting.substr(path.size()).starts_with('='))
            return leading_number(setting.substr(path.size() + 1));
    }
    return std::nullopt;
}

// In factors, so that 4 and 8 bits are as far apart as 8 and 16. A row that says its format by name alone stands a
// factor of two away unless it is the case's own name.
double distance(const Look& look, const LoadedCase& loaded) {
    const Case& c = loaded.value;
    constexpr double kShortContext = 2048.0;               // depths below are as good as none
    constexpr double kOtherMachine = 2.0, kNoDecode = 4.0; // as far as a quarter of the width, or a sixteenth
    const double depth = stated_number(look, "scenario.depth").value_or(0.0);
    double far = std::abs(std::log2((depth + kShortContext) / (c.scenario.depth + kShortContext)));
    const std::optional<double> own = c.quantization.experts ? c.quantization.experts : c.quantization.rest;
    const std::optional<double> bits = leading_number(look.quant);
    if (look.quant != loaded.quantization_id) far += bits && own ? std::abs(std::log2(*bits / *own)) : 1.0;
    far += std::abs(std::log2(stated_number(look, "scenario.sequences").value_or(1.0) / c.scenario.sequences));
    if (look.machine != loaded.machine_id) far += kOtherMachine;
    return far + (look.has_decode ? 0.0 : kNoDecode);
}

// The best so far of each nearness; `Row` says where the row is.
template <class Row>
struct Nearest {
    struct Candidate {
        std::optional<Row> row;
        double far = 0.0;
    };
    std::array<Candidate, EnumNames<Nearness>::names.size()> best;

    template <class RowOf>
    void offer(const Look& look, const LoadedCase& loaded, RowOf row_of) {
        const auto nearness = nearness_of(look, loaded);
        if (!nearness) return;
        Candidate& here = best[static_cast<std::size_t>(*nearness)];
        const double far = distance(look, loaded);
        if (!here.row || far < here.far) here = {row_of(), far};
    }
};

Look look_at(const MeasuredRun& run) {
    const bool has_speed = run.measured.decode || run.measured.prefill;
    return {run.model,
            run.machine,
            run.runtime,
            run.engine,
            run.quant,
            {run.settings.begin(), run.settings.end()},
            run.measured.decode.has_value(),
            run.is_evidence() && has_speed};
}

std::string_view member(const simdjson::dom::element& object, std::string_view name) {
    std::string_view text;
    return object[name].get(text) == simdjson::SUCCESS ? text : std::string_view();
}

bool has(const simdjson::dom::element& object, std::string_view name) {
    return object[name].error() == simdjson::SUCCESS;
}

Look look_at(const simdjson::dom::element& run) {
    const simdjson::simdjson_result<simdjson::dom::element> measured = run["measured"];
    const bool decode = measured.error() == simdjson::SUCCESS && has(measured.value_unsafe(), "decode");
    const bool prefill = measured.error() == simdjson::SUCCESS && has(measured.value_unsafe(), "prefill");
    Look look{member(run, "model"),
              member(run, "machine"),
              member(run, "runtime"),
              member(run, "engine"),
              member(run, "quant"),
              {},
              decode,
              (decode || prefill) && !has(run, "excluded") && !has(run, "not_stated")};
    simdjson::dom::array settings;
    if (run["settings"].get(settings) != simdjson::SUCCESS) return look;
    for (const simdjson::dom::element setting : settings) {
        std::string_view text;
        if (setting.get(text) == simdjson::SUCCESS) look.settings.push_back(text);
    }
    return look;
}

// A row that is not read yet, with its file's source.
struct UnreadRow {
    std::string json, source;
};

void offer_file(const std::filesystem::path& path, const LoadedCase& loaded, simdjson::dom::parser& parser,
                Nearest<UnreadRow>& nearest) {
    simdjson::dom::element document;
    simdjson::dom::array runs;
    if (parser.load(path.string()).get(document) != simdjson::SUCCESS) return;
    if (document["runs"].get(runs) != simdjson::SUCCESS) return;
    for (const simdjson::dom::element run : runs) {
        if (member(run, "model") != loaded.model_id && member(run, "machine") != loaded.machine_id) continue;
        nearest.offer(look_at(run), loaded, [&] {
            return UnreadRow{simdjson::minify(run), std::string(member(document, "source"))};
        });
    }
}

// Read as any other row; empty if something is wrong with it.
std::optional<NearRun> read_row(const UnreadRow& row, Nearness nearness) {
    Problems problems;
    ReadState state{"", problems, {}, false};
    auto run = read_file_object<MeasuredRun>(state, nlohmann::json::parse(row.json));
    if (!problems.empty()) return std::nullopt;
    return NearRun{nearness, run.source.empty() ? row.source : run.source, std::move(run)};
}

} // namespace

std::vector<NearRun> nearest_runs(const MeasuredSet& set, const LoadedCase& loaded) {
    Nearest<NearRun> nearest;
    for (const MeasuredGroup& group : set) {
        for (const MeasuredRun& run : group.file.runs)
            nearest.offer(look_at(run), loaded, [&] { return NearRun{{}, source_of(group, run), run}; });
    }
    std::vector<NearRun> near;
    for (std::size_t i = 0; i < nearest.best.size(); ++i) {
        if (!nearest.best[i].row) continue;
        near.push_back(*nearest.best[i].row);
        near.back().nearness = static_cast<Nearness>(i);
    }
    return near;
}

std::optional<std::vector<NearRun>> nearest_runs(const Catalogue& catalogue, const LoadedCase& loaded) {
    const std::vector<std::string> names = catalogue.names(FileKind::measured);
    if (names.empty()) return std::nullopt;
    Nearest<UnreadRow> nearest;
    simdjson::dom::parser parser;
    for (const std::string& name : names) {
        Problems problems;
        const auto found = catalogue.find(FileKind::measured, name, problems);
        if (found) offer_file(found->path, loaded, parser, nearest);
    }
    std::vector<NearRun> near;
    for (std::size_t i = 0; i < nearest.best.size(); ++i) {
        if (!nearest.best[i].row) continue;
        if (auto row = read_row(*nearest.best[i].row, static_cast<Nearness>(i))) near.push_back(std::move(*row));
    }
    return near;
}

} // namespace spillway
