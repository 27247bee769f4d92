// spillway sensitivity: what each input is worth, per 1 % and per unit that a person can buy.
#include "explore/sensitivity.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "io/json_text.h"
#include "io/output_file.h"
#include "report/table.h"
#include "text/paths.h"
#include "text/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace spillway {

namespace {

using Cell = nlohmann::ordered_json;

struct Options {
    OutputFlags output;
    CaseRequest request;
};

std::string value_text(Case& c, const std::string& path, double value) {
    const auto field = number_field(c, path);
    const Unit unit = field ? field->unit : Unit::ratio_or_number;
    switch (unit) {
    case Unit::bytes: return print_exact(Bytes(value));
    case Unit::seconds: return print_exact(Seconds(value));
    case Unit::bytes_per_second: return print_exact(BytesPerSecond(value));
    case Unit::flops_per_second: return print_exact(FlopsPerSecond(value));
    default: return fmt::format("{:.6g}", value);
    }
}

Cell number(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }

std::string basis_of(const LoadedCase& loaded, const std::string& path) {
    const Provenance* source = loaded.source_of(path);
    return source ? std::string(EnumNames<Basis>::names[static_cast<std::size_t>(source->basis)]) : "unknown";
}

Table per_cent(const LoadedCase& loaded) {
    Table table;
    table.columns = {{"path", "input", Show::text},
                     {"value", "value", Show::text},
                     {"basis", "basis", Show::text},
                     {"decode_percent_per_percent", "decode", Show::text},
                     {"prefill_percent_per_percent", "prefill", Show::text}};
    Case c = loaded.value;
    for (const Influence& influence : influences(loaded.value)) {
        table.rows.push_back({influence.path, value_text(c, influence.path, influence.value),
                              basis_of(loaded, influence.path), number(influence.decode), number(influence.prefill)});
    }
    return table;
}

Table per_purchase(const LoadedCase& loaded) {
    Table table;
    table.columns = {{"unit", "one more", Show::text},
                     {"path", "of", Show::text},
                     {"decode_tokens_per_second", "decode tok/s", Show::text},
                     {"prefill_tokens_per_second", "prefill tok/s", Show::text}};
    for (const Purchase& purchase : purchases(loaded.value)) {
        table.rows.push_back({purchase.unit, purchase.path, number(purchase.decode), number(purchase.prefill)});
    }
    return table;
}

// Numbers of effect get their sign and few digits in text only.
Table shown(Table table, const char* suffix) {
    for (auto& row : table.rows) {
        for (Cell& cell : row) {
            if (cell.is_number()) cell = fmt::format("{:+.3g}{}", cell.get<double>(), suffix);
        }
    }
    return table;
}

std::string render(const LoadedCase& loaded, const Options& o) {
    const Table inputs = per_cent(loaded), units = per_purchase(loaded);
    if (o.output.wants_json()) {
        Cell json = {
            {"format", 1}, {"kind", "sensitivity"}, {"version", SPILLWAY_VERSION}, {"data_digest", loaded.data_digest}};
        json["case"] = {{"model", loaded.model_id},
                        {"machine", loaded.machine_id},
                        {"quant", loaded.quantization_id},
                        {"scenario", loaded.scenario_id}};
        json["per_percent"] = table_json(inputs)["rows"];
        json["per_unit"] = table_json(units)["rows"];
        return json_text(json);
    }
    if (o.output.format == "csv") return table_csv(inputs);
    const auto table = [&](const Table& t, const char* suffix) {
        return o.output.format == "markdown" ? table_markdown(shown(t, suffix)) : table_text(shown(t, suffix));
    };
    std::string text = fmt::format(
        "spillway estimate   sensitivity of {} ({}) on {}, scenario {}\n\nspeed per 1 % more of each input\n",
        loaded.model_id, loaded.quantization_id, loaded.machine_id, loaded.scenario_id);
    text += table(inputs, " %") + "\nspeed per unit that can be bought or chosen\n" + table(units, "");
    for (const auto& row : inputs.rows) {
        if (row[2] == "guess")
            return text + fmt::format("\nmeasure first: {} rests on a guess\n", row[0].get<std::string>());
    }
    return text;
}

int run(const Options& o) {
    const LoadedCase loaded = load_requested(o.request, o.output);
    write_output(o.output.file, render(loaded, o));
    return 0;
}

} // namespace

Command sensitivity_command() {
    const auto o = std::make_shared<Options>();
    return {.name = "sensitivity",
            .help = "what each input is worth",
            .flags = joined({case_flags(o->request), output_flags(o->output, {"text", "json", "csv", "markdown"})}),
            .run = [o] { return run(*o); }};
}

} // namespace spillway
