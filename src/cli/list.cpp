// spillway list: what the catalogue holds, with the figures that people compare.
#include "cli/answer.h"
#include "cli/commands.h"
#include "engine/drive.h"
#include "engine/kv.h"
#include "engine/params.h"
#include "engine/routing.h"
#include "engine/sizes.h"
#include "io/load_files.h"
#include "io/measured.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace spillway {

namespace {

struct Options {
    OutputFlags output;
    std::string what;
    std::vector<std::string> patterns;
    std::string model;
};

template <class Q>
Cell cell(const std::optional<Q>& quantity) {
    return quantity ? Cell(quantity->value) : Cell();
}

bool wanted(const std::string& name, const std::vector<std::string>& patterns) {
    return patterns.empty() ||
           std::any_of(patterns.begin(), patterns.end(), [&](const std::string& p) { return matches_glob(name, p); });
}

// Loads every file of a kind whose name is wanted; `row_of` makes the row.
template <class Load, class RowOf>
void add_rows(LoadContext& context, FileKind kind, const Options& o, Load load, RowOf row_of, Table& table) {
    for (const std::string& name : context.catalogue.names(kind)) {
        if (!wanted(name, o.patterns)) continue;
        const auto file = load(context, name);
        if (file) table.rows.push_back(row_of(name, *file));
    }
}

// Bytes of the expert pool, and of one expert, at 4 bits and one scale per 32 (4.25).
Quantization four_bits() {
    Quantization q;
    q.experts = q.rest = q.embedding = 4.25;
    return q;
}

TableRow model_row(const std::string& name, const LoadedModel& loaded) {
    const Model& m = loaded.file.model;
    Cell experts, active, expert, kv;
    double elements = 0.0;
    for (const Block& block : m.blocks) {
        if (block.attention) elements += layer_count(block) * kv_elements_per_token(*block.attention);
        if (!block.experts) continue;
        experts = block.experts->count;
        active = block.experts->active;
        expert = expert_bytes(*block.experts, four_bits())->value;
    }
    const ModelBytes sizes = model_bytes(m, four_bits());
    Cell pool;
    if (sizes.moe_layers > 0.0) pool = sizes.experts->value;
    return {name, total_params(m), active_params(m), experts, active, expert, pool, 2.0 * elements};
}

Table list_models(LoadContext& context, const Options& o) {
    Table table;
    table.columns = {{"name", "model", Show::text},
                     {"total_params", "total", Show::params},
                     {"active_params", "active", Show::params},
                     {"experts", "experts", Show::count},
                     {"active_experts", "top-k", Show::count},
                     {"expert_bytes_at_4.25_bits", "expert MB", Show::bytes},
                     {"pool_bytes_at_4.25_bits", "pool GB", Show::gigabytes},
                     {"kv_bytes_per_token_16bit", "KV/token", Show::bytes}};
    add_rows(context, FileKind::model, o, load_model, model_row, table);
    table.columns[5].title = "expert";
    return table;
}

TableRow machine_row(const std::string& name, const LoadedMachine& loaded) {
    const Machine& m = loaded.file.machine;
    Bytes capacity;
    std::optional<Bytes> usable = Bytes(0.0);
    for (const MemoryPool& pool : m.memory) {
        capacity += pool.capacity;
        usable = usable && pool.usable ? std::optional(*usable + *pool.usable) : std::nullopt;
    }
    const MemoryPool& first = m.memory.front();
    const auto drive = m.storage.empty() ? std::nullopt : ceiling_rate(m.storage.front());
    const std::string pools = m.memory.size() == 1 ? first.name : first.name + " + " + m.memory[1].name;
    return {name, pools, capacity.value, cell(usable), cell(first.bandwidth), cell(drive), cell(m.compute.rate)};
}

Table list_machines(LoadContext& context, const Options& o) {
    Table table;
    table.columns = {{"name", "machine", Show::text},
                     {"pools", "memory", Show::text},
                     {"memory_bytes", "GiB", Show::gibibytes},
                     {"usable_bytes", "usable", Show::gibibytes},
                     {"bandwidth_bytes_per_second", "GB/s", Show::rate},
                     {"drive_bytes_per_second", "drive GB/s", Show::rate},
                     {"compute_flops_per_second", "GFLOP/s", Show::rate}};
    add_rows(context, FileKind::machine, o, load_machine, machine_row, table);
    return table;
}

Table list_quants(LoadContext& context, const Options& o) {
    Table table;
    table.columns = {{"name", "quant", Show::text},
                     {"experts_bits", "experts", Show::bits},
                     {"rest_bits", "rest", Show::bits},
                     {"embedding_bits", "embedding", Show::bits},
                     {"note", "note", Show::text}};
    if (!o.model.empty()) {
        if (const auto loaded = load_model(context, o.model)) {
            for (const Quantization& q : loaded->file.model.quantizations) {
                if (wanted(q.name, o.patterns)) table.rows.push_back({q.name, q.experts, q.rest, q.embedding, q.note});
            }
        }
    }
    const auto formats = load_formats(context);
    for (const WeightFormat& f : formats ? formats->formats : std::vector<WeightFormat>{}) {
        if (!wanted(f.name, o.patterns)) continue;
        Cell rest;
        if (f.applies_to == AppliesTo::all) rest = f.bits;
        table.rows.push_back(
            {f.name, f.bits, rest, rest,
             f.applies_to == AppliesTo::all ? "every weight but lookup tables" : "experts only, the rest native"});
    }
    return table;
}

Table list_scenarios(LoadContext& context, const Options& o) {
    Table table;
    table.columns = {{"name", "scenario", Show::text},
                     {"context", "context", Show::count},
                     {"prompt", "prompt", Show::count},
                     {"locality", "locality", Show::text},
                     {"runtime", "runtime", Show::text}};
    const auto load = [](LoadContext& c, const std::string& name) { return load_scenario(c, {name, "", ""}); };
    add_rows(
        context, FileKind::scenario, o, load,
        [](const std::string& name, const LoadedScenario& loaded) {
            const Scenario& s = loaded.file.scenario;
            return TableRow{name, s.context, s.prompt, s.locality.name, s.runtime.name};
        },
        table);
    return table;
}

template <class File>
auto loader(FileKind kind) {
    return [kind](LoadContext& context, const std::string& name) -> std::optional<Loaded<File>> {
        const auto found = context.catalogue.find(kind, name, context.problems);
        return found ? load_file<File>(context, *found) : std::nullopt;
    };
}

Table list_runtimes(LoadContext& context, const Options& o) {
    Table table;
    table.columns = {{"name", "runtime", Show::text},
                     {"read_path", "reads", Show::text},
                     {"policy", "placement", Show::text},
                     {"uses_second_pool", "second pool", Show::text},
                     {"micro_batch", "micro-batch", Show::count}};
    add_rows(
        context, FileKind::runtime, o, loader<RuntimeFile>(FileKind::runtime),
        [](const std::string& name, const Loaded<RuntimeFile>& loaded) {
            const Runtime& r = loaded.file.runtime;
            return TableRow{name, std::string(EnumNames<ReadPath>::names[static_cast<std::size_t>(r.read_path)]),
                            std::string(EnumNames<Policy>::names[static_cast<std::size_t>(r.policy)]),
                            r.spills ? "yes" : "no", r.micro_batch};
        },
        table);
    return table;
}

Table list_localities(LoadContext& context, const Options& o) {
    Table table;
    table.columns = {{"name", "locality", Show::text},
                     {"model", "model", Show::text},
                     {"miss_at_25", "miss at 25 %", Show::percent},
                     {"miss_at_50", "at 50 %", Show::percent},
                     {"miss_at_75", "at 75 %", Show::percent}};
    add_rows(
        context, FileKind::locality, o, loader<LocalityFile>(FileKind::locality),
        [](const std::string& name, const Loaded<LocalityFile>& loaded) {
            const Locality& l = loaded.file.locality;
            return TableRow{name, l.model, miss_fraction(l, 0.25), miss_fraction(l, 0.5), miss_fraction(l, 0.75)};
        },
        table);
    return table;
}

Table list_measured(LoadContext& context, const Options& o) {
    Table table;
    table.columns = {{"name", "measured", Show::text},
                     {"title", "group", Show::text},
                     {"rows", "rows", Show::count},
                     {"source", "source", Show::text}};
    add_rows(
        context, FileKind::measured, o, loader<MeasuredFile>(FileKind::measured),
        [](const std::string& name, const Loaded<MeasuredFile>& loaded) {
            const MeasuredFile& file = loaded.file;
            return TableRow{name, file.name, file.runs.size(), file.source};
        },
        table);
    return table;
}

Table list(LoadContext& context, const Options& o) {
    if (o.what == "models") return list_models(context, o);
    if (o.what == "machines") return list_machines(context, o);
    if (o.what == "quants") return list_quants(context, o);
    if (o.what == "scenarios") return list_scenarios(context, o);
    if (o.what == "runtimes") return list_runtimes(context, o);
    if (o.what == "measured") return list_measured(context, o);
    return list_localities(context, o);
}

int run(const Options& o) {
    const Catalogue catalogue(data_root(o.output.data));
    LoadContext context{catalogue, {}};
    const Table table = list(context, o);
    throw_if_any(context.problems);
    const auto document = [&] {
        Document listing{
            .kind = "list", .title = o.what, .lead = "", .sections = {}, .data = {}, .version = SPILLWAY_VERSION};
        listing.add("").add(table);
        return listing;
    };
    write_answer(o.output, {[&] { return table_json(table); }, document});
    return 0;
}

} // namespace

Command list_command() {
    const auto o = std::make_shared<Options>();
    const std::vector<std::string> kinds = {"models",   "machines",   "quants",  "scenarios",
                                            "runtimes", "localities", "measured"};
    return {.name = "list",
            .help = "what the catalogue holds",
            .flags = joined({{{"what", &o->what, "kind of entry", "", {.required = true, .choices = kinds}},
                              {"patterns", &o->patterns, "names to list, as 'qwen3*'", "PATTERN"},
                              {"-m,--model", &o->model, "for quants: also those of this model's manifest", "MODEL"}},
                             output_flags(o->output)}),
            .run = [o] { return run(*o); }};
}

} // namespace spillway
