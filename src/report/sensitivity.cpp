#include "report/sensitivity.h"

#include "text/paths.h"
#include "text/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace spillway {

namespace {

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

std::string basis_of(const LoadedCase& loaded, const std::string& path) {
    const Provenance* source = loaded.source_of(path);
    return source ? std::string(EnumNames<Basis>::names[static_cast<std::size_t>(source->basis)]) : "unknown";
}

Table per_cent(const SensitivityAnswer& answer) {
    Table table;
    table.columns = {{"path", "input", Show::text},
                     {"value", "value", Show::text},
                     {"basis", "basis", Show::text},
                     {"decode_percent_per_percent", "decode", Show::text},
                     {"prefill_percent_per_percent", "prefill", Show::text}};
    Case c = answer.loaded.value;
    for (const Influence& influence : answer.influences) {
        table.rows.push_back({influence.path, value_text(c, influence.path, influence.value),
                              basis_of(answer.loaded, influence.path), influence.decode, influence.prefill});
    }
    return table;
}

Table per_purchase(const SensitivityAnswer& answer) {
    Table table;
    table.columns = {{"unit", "one more", Show::text},
                     {"path", "of", Show::text},
                     {"decode_tokens_per_second", "decode tok/s", Show::text},
                     {"prefill_tokens_per_second", "prefill tok/s", Show::text}};
    for (const Purchase& purchase : answer.purchases)
        table.rows.push_back({purchase.unit, purchase.path, purchase.decode, purchase.prefill});
    return table;
}

// Effects get their sign and few digits where people read them.
Table shown(Table table, const char* suffix) {
    for (TableRow& row : table.rows) {
        for (Cell& cell : row.cells) {
            if (const auto number = cell.number()) cell = fmt::format("{:+.3g}{}", *number, suffix);
        }
    }
    return table;
}

} // namespace

Document sensitivity_document(const SensitivityAnswer& answer) {
    const LoadedCase& l = answer.loaded;
    const Table inputs = per_cent(answer);
    Document document{.kind = "estimate",
                      .title = fmt::format("sensitivity of {} ({}) on {}, scenario {}", l.model_id, l.quantization_id,
                                           l.machine_id, l.scenario_id),
                      .lead = "spillway estimate   ",
                      .hang = kNeverBroken,
                      .sections = {},
                      .data = inputs,
                      .version = answer.version,
                      .data_digest = l.data_digest};
    document.add("speed per 1 % more of each input").add(shown(inputs, " %"));
    DocumentSection& units = document.add("speed per unit that can be bought or chosen");
    units.add(shown(per_purchase(answer), ""));
    const auto guess = std::find_if(answer.influences.begin(), answer.influences.end(),
                                    [&](const Influence& i) { return basis_of(l, i.path) == "guess"; });
    if (guess == answer.influences.end()) return document;
    units.line("");
    units.line(fmt::format("measure first: {} rests on a guess", guess->path), Tone::warning);
    return document;
}

nlohmann::ordered_json sensitivity_json(const SensitivityAnswer& answer) {
    const LoadedCase& l = answer.loaded;
    nlohmann::ordered_json json = {
        {"format", 1}, {"kind", "sensitivity"}, {"version", answer.version}, {"data_digest", l.data_digest}};
    json["case"] = {
        {"model", l.model_id}, {"machine", l.machine_id}, {"quant", l.quantization_id}, {"scenario", l.scenario_id}};
    json["per_percent"] = rows_json(per_cent(answer));
    json["per_unit"] = rows_json(per_purchase(answer));
    return json;
}

} // namespace spillway
