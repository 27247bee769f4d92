// spillway import: a manifest from a checkpoint's headers, or what is in it.
#include "checkpoint/import.h"
#include "checkpoint/manifest.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "io/json_text.h"
#include "io/output_file.h"
#include "io/write_files.h"
#include "report/figures.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>

namespace spillway {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
    OutputFlags output;
    std::string path, name;
    bool inspect = false;
    bool strict = false;
    bool allow_incomplete = false;
};

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

// ---- the breakdown ----

std::string billions(double count) { return significant(count / 1e9, 4) + "B"; }

std::string part_label(const PartRow& row) {
    std::string label = row.part == "unmatched" ? "not classified" : row.part;
    std::replace(label.begin(), label.end(), '_', ' ');
    return row.drafter ? "drafter: " + label : label;
}

Table part_table(const Imported& imported) {
    Table table;
    table.columns = {{"part", "part", Show::text},         {"tensors", "tensors", Show::count},
                     {"weights", "weights", Show::params}, {"bytes", "GB", Show::gigabytes},
                     {"share", "share", Show::percent},    {"bits_per_weight", "bits/weight", Show::bits}};
    for (const PartRow& row : imported.parts) {
        table.rows.push_back({part_label(row), row.tensors, row.weights, row.bytes.value, row.share, row.bits});
    }
    return table;
}

std::string counts_line(const ParameterCounts& c) {
    std::string text = fmt::format("parameters of the backbone: {} by the shapes", billions(c.shapes));
    const auto differs = [&](double other) { return fmt::format("{:+.2f} %", 100.0 * (other / c.shapes - 1.0)); };
    if (c.tensors) text += fmt::format(", {} by the tensors ({})", billions(*c.tensors), differs(*c.tensors));
    if (c.declared) text += fmt::format(", {} as stated ({})", billions(*c.declared), differs(*c.declared));
    return text;
}

std::string sizes_line(const Imported& imported) {
    if (imported.parts.empty()) return "no tensors: from " + imported.form + " alone";
    return fmt::format("{} in tensors, {} in files ({})", gb(imported.tensor_bytes), gb(imported.file_bytes),
                       imported.form);
}

Document inspect_document(const Imported& imported) {
    Document document{.kind = "import",
                      .title = imported.file.model.name,
                      .lead = "",
                      .sections = {},
                      .data = part_table(imported),
                      .version = SPILLWAY_VERSION};
    DocumentSection& section = document.add("");
    section.add(Sentence{.text = imported.file.model.name, .in = In::text});
    section.line(sizes_line(imported), Tone::plain, 0, kNeverBroken);
    section.line("");
    // Nothing where there are no tensors.
    if (!imported.parts.empty()) {
        section.add(part_table(imported));
        section.line("");
    }
    section.line(counts_line(imported.counts), Tone::plain, 0, kNeverBroken);
    for (const std::string& name : imported.unmatched)
        section.line("not classified: " + name, Tone::warning, 0, kNeverBroken);
    return document;
}

Json inspect_json(const Imported& imported) {
    Json json = {{"format", 1}, {"name", imported.file.model.name}, {"form", imported.form}};
    json["tensor_bytes"] = write_number(imported.tensor_bytes.value);
    json["file_bytes"] = write_number(imported.file_bytes.value);
    json["parts"] = Json::array();
    for (const PartRow& row : imported.parts) {
        json["parts"].push_back({{"part", row.part},
                                 {"drafter", row.drafter},
                                 {"tensors", row.tensors},
                                 {"weights", write_number(row.weights)},
                                 {"bytes", write_number(row.bytes.value)},
                                 {"share", row.share},
                                 {"bits_per_weight", number(row.bits)}});
    }
    json["parameters"] = {{"shapes", write_number(imported.counts.shapes)},
                          {"tensors", number(imported.counts.tensors)},
                          {"declared", number(imported.counts.declared)}};
    json["unclassified"] = imported.unmatched;
    json["warnings"] = problems_json(imported.warnings)["error"]["problems"];
    return json;
}

int run(const Options& o) {
    const Catalogue catalogue(data_root(o.output.data));
    const ReadOptions read{.strict = o.strict, .allow_incomplete = o.allow_incomplete};
    const Imported imported = import_path(o.path, load_patterns(catalogue), o.name, read);
    if (o.strict) throw_if_any(imported.warnings);
    if (!o.output.quiet) std::fputs(warnings_text(imported.warnings).c_str(), stderr);
    if (!o.inspect)
        write_output(o.output.file, json_text(write_object(imported.file)));
    else
        write_answer(o.output, {[&] { return inspect_json(imported); }, [&] { return inspect_document(imported); }});
    return 0;
}

} // namespace

Command import_command() {
    const auto o = std::make_shared<Options>();
    return {.name = "import",
            .help = "a manifest from GGUF, safetensors or config.json, read from headers alone",
            .flags = joined(
                {{{"path", &o->path, "file, folder or config.json", "PATH", {.required = true}},
                  {"--name", &o->name, "name of the model in the manifest", "NAME"},
                  {"--inspect", &o->inspect, "show what is in it, part by part, instead of the manifest"},
                  {"--strict", &o->strict, "an error where an import would only warn"},
                  {"--allow-incomplete", &o->allow_incomplete, "take sizes from the header of a file that is cut off"}},
                 output_flags(o->output)}),
            .run = [o] { return run(*o); }};
}

} // namespace spillway
