#include "io/audit.h"

#include "io/audit_sources.h"
#include "io/check_case.h"
#include "io/measured.h"
#include "text/near.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway {

namespace {

void add_judged(FileAudit& file, std::string what, bool holds, std::string reason) {
    file.audits.push_back({std::move(what),
                           holds ? AuditState::holds : AuditState::fails,
                           Unit::count,
                           {},
                           {},
                           {},
                           holds ? std::string() : std::move(reason)});
}

// Memory pools: fast to slow, limits within the memory, a sustained share that says where it comes from.
void add_pool_audits(std::vector<MemoryPool>& memory, const Sources& sources, FileAudit& file) {
    for (std::size_t i = 0; i < memory.size(); ++i) {
        const MemoryPool& pool = memory[i];
        const std::string at = "pool " + element_word(memory, i);
        const auto within = [&pool](const std::optional<Bytes>& limit) { return !limit || *limit <= pool.capacity; };
        add_judged(file, at + ": usable within the memory", within(pool.usable) && within(pool.usable_default),
                   "a limit is above the memory as built");
        if (i > 0) {
            const auto& before = memory[i - 1].bandwidth;
            add_judged(file, at + ": not faster than the one before",
                       !before || !pool.bandwidth || *pool.bandwidth <= *before, "pools go from fast to slow");
        }
        const std::string path = fmt::format("machine.memory.{}.sustained", element_word(memory, i));
        add_judged(file, at + ": sustained share with its basis",
                   pool.sustained.has_value() && source_of(sources, path) != nullptr,
                   "state the share that read kernels reach, and where it was seen");
        // Without a default beside it the limit is the one that macOS sets by itself, and nothing is to be done.
        if (pool.processor == Processor::apple_gpu && pool.usable_default && pool.usable_default != pool.usable)
            add_judged(file, at + ": command that raises the limit", !pool.limit_command.empty(),
                       "give `limit_command`, since the usable memory is not the default limit");
    }
}

void add_problems(const Findings& findings, const std::string& shown, LoadContext& context) {
    for (const Finding& f : findings) context.problems.push_back({shown, f.at, f.found, f.expected, f.message});
}

template <class File>
std::optional<Loaded<File>> load_clean(LoadContext& context, FileKind kind, const std::string& name) {
    const auto found = find_file(context, kind, name);
    auto loaded = found ? load_file<File>(context, *found) : std::nullopt;
    return loaded && loaded->clean ? std::move(loaded) : std::nullopt;
}

std::optional<FileAudit> model_file(LoadContext& context, const std::string& name) {
    const auto loaded = load_model(context, name);
    if (!loaded) return std::nullopt;
    add_problems(check_model(loaded->file.model), loaded->found.shown, context);
    const auto formats = load_formats(context);
    return audit_model(*loaded, formats ? &*formats : nullptr);
}

std::optional<FileAudit> machine_file(LoadContext& context, const std::string& name) {
    const auto loaded = load_machine(context, name);
    if (!loaded) return std::nullopt;
    add_problems(check_machine(loaded->file.machine), loaded->found.shown, context);
    return audit_machine(*loaded);
}

std::optional<FileAudit> part_file(LoadContext& context, const std::string& name) {
    auto loaded = load_clean<PartFile>(context, FileKind::part, name);
    if (!loaded) return std::nullopt;
    Sources sources;
    add_sources(context, loaded->found.shown, loaded->file, "machine", sources);
    FileAudit result{FileKind::part, loaded->found.id, loaded->found.shown, {}};
    add_pool_audits(loaded->file.memory, sources, result);
    add_source_audits(cover_of(loaded->file, "machine", sources), result);
    return result;
}

std::optional<FileAudit> scenario_file(LoadContext& context, const std::string& name) {
    const auto loaded = load_scenario(context, {name, "", ""});
    if (!loaded) return std::nullopt;
    const Scenario& scenario = loaded->file.scenario;
    add_problems(check_scenario(scenario), loaded->found.shown, context);
    add_problems(check_runtime(scenario.runtime, scenario.working_memory.has_value()), loaded->runtime_shown, context);
    add_problems(check_locality(scenario.locality), loaded->locality_shown, context);
    return audit_scenario(*loaded);
}

std::optional<FileAudit> runtime_file(LoadContext& context, const std::string& name) {
    auto loaded = load_clean<RuntimeFile>(context, FileKind::runtime, name);
    if (!loaded) return std::nullopt;
    Sources sources;
    add_sources(context, loaded->found.shown, loaded->file, "scenario.runtime", sources);
    add_problems(check_runtime(loaded->file.runtime, false), loaded->found.shown, context);
    FileAudit result{FileKind::runtime, loaded->found.id, loaded->found.shown, {}};
    add_source_audits(cover_of(loaded->file, "scenario.runtime", sources), result);
    return result;
}

std::optional<FileAudit> locality_file(LoadContext& context, const std::string& name) {
    const auto loaded = load_locality(context, {name, std::string(kind_flag(FileKind::locality)), "", {}});
    if (!loaded) return std::nullopt;
    add_problems(check_locality(loaded->file.locality), loaded->found.shown, context);
    return audit_locality(*loaded, context.catalogue);
}

std::optional<FileAudit> formats_file(LoadContext& context, const std::string& name) {
    const FoundFile named{name, name, "formats"};
    const auto found = is_path(name) ? std::optional(named) : context.catalogue.formats();
    const auto loaded = found ? load_file<FormatsFile>(context, *found) : std::nullopt;
    if (!loaded || !loaded->clean) return std::nullopt;
    FileAudit result{FileKind::formats, found->id, found->shown, {}};
    SourceCover cover;
    for (const WeightFormat& format : loaded->file.formats) {
        ++cover.quantities;
        if (format.source.empty()) cover.unsourced.push_back(format.name);
    }
    add_source_audits(cover, result);
    return result;
}

std::optional<FileAudit> measured_file(LoadContext& context, const std::string& name) {
    const MeasuredSet set = read_measured({name}, context.catalogue, context.problems);
    double stated = 0.0;
    state_runs(
        set, context.catalogue, [&](const StatedRun&) { ++stated; }, context.problems);
    if (set.empty()) return std::nullopt;
    const MeasuredGroup& group = set.front();
    FileAudit result{FileKind::measured, group.id, group.shown, {}};
    std::vector<std::string> unsourced;
    double excluded = 0.0;
    for (const MeasuredRun& run : group.file.runs) {
        if (source_of(group, run).empty()) unsourced.push_back(run.id);
        excluded += run.excluded.empty() ? 0.0 : 1.0;
    }
    const auto rows = static_cast<double>(group.file.runs.size());
    const auto shown = [&](std::string what, double number) {
        result.audits.push_back({std::move(what), AuditState::shown, Unit::count, {}, number, {}, ""});
    };
    shown("rows", rows);
    shown("rows whose case can be stated", stated);
    shown("rows that are no evidence", excluded);
    add_judged(result, "every row says where it is published", unsourced.empty(),
               "without a source: " + name_list(unsourced, 6));
    return result;
}

std::optional<FileAudit> audit_kind(LoadContext& context, FileKind kind, const std::string& name) {
    switch (kind) {
    case FileKind::model: return model_file(context, name);
    case FileKind::machine: return machine_file(context, name);
    case FileKind::part: return part_file(context, name);
    case FileKind::scenario: return scenario_file(context, name);
    case FileKind::runtime: return runtime_file(context, name);
    case FileKind::locality: return locality_file(context, name);
    case FileKind::formats: return formats_file(context, name);
    case FileKind::measured: return measured_file(context, name);
    }
    return std::nullopt;
}

// The kind that the file itself states.
std::optional<FileKind> stated_kind(LoadContext& context, const std::string& path) {
    const auto json = read_json_file(path, path, context.problems);
    if (!json) return std::nullopt;
    const auto& names = EnumNames<FileKind>::names;
    const auto kind = json->value->is_object() ? json->value->value("kind", nlohmann::json()) : nlohmann::json();
    const auto found = kind.is_string() ? std::find(names.begin(), names.end(), kind.get<std::string>()) : names.end();
    if (found != names.end()) return static_cast<FileKind>(found - names.begin());
    context.problems.push_back({path, "/kind", kind.is_null() ? "nothing" : describe(kind),
                                expected_names(names.data(), names.size()), "does not say what the file holds"});
    return std::nullopt;
}

} // namespace

std::optional<double> Audit::difference() const {
    if (!stated || !computed || *stated == 0.0) return std::nullopt;
    return (*computed - *stated) / *stated;
}

std::size_t FileAudit::count(AuditState state) const {
    return static_cast<std::size_t>(
        std::count_if(audits.begin(), audits.end(), [state](const Audit& audit) { return audit.state == state; }));
}

void add_source_audits(const SourceCover& cover, FileAudit& file) {
    add_judged(file, fmt::format("{} quantities have a source", cover.quantities), cover.unsourced.empty(),
               "without one: " + name_list(cover.unsourced, 6));
    if (cover.guesses.empty()) return;
    const auto number = static_cast<double>(cover.guesses.size());
    file.audits.push_back(
        {"of these a guess", AuditState::shown, Unit::count, {}, number, {}, name_list(cover.guesses, 6)});
}

FileAudit audit_machine(const LoadedMachine& machine) {
    FileAudit result{FileKind::machine, machine.found.id, machine.found.shown, {}};
    MachineFile file = machine.file;
    add_pool_audits(file.machine.memory, machine.sources, result);
    add_source_audits(cover_of(std::move(file), "machine", machine.sources), result);
    return result;
}

FileAudit audit_scenario(const LoadedScenario& scenario) {
    FileAudit result{FileKind::scenario, scenario.found.id, scenario.found.shown, {}};
    add_source_audits(cover_of(scenario.file, "scenario", scenario.sources), result);
    return result;
}

FileAudit audit_locality(const Loaded<LocalityFile>& loaded, const Catalogue& catalogue) {
    FileAudit result{FileKind::locality, loaded.found.id, loaded.found.shown, {}};
    const Locality& locality = loaded.file.locality;
    const std::vector<std::string> models = catalogue.names(FileKind::model);
    const bool known = std::find(models.begin(), models.end(), locality.model) != models.end();
    const bool said = locality.limits.find("not in the catalogue") != std::string::npos;
    add_judged(result, "model in the catalogue, or said not to be", known != said,
               known
                   ? "`limits` says that the model is not in the catalogue, but it is"
                   : fmt::format("there is no model \"{}\"; if so, say in `limits` that it is not in the catalogue. {}",
                                 locality.model, did_you_mean(locality.model, models)));
    add_judged(result, "workload and coverage",
               !locality.workload.empty() && !locality.layers.empty() && !locality.tokens.empty(),
               "say what was run, over which layers and how many tokens");
    add_judged(result, "source", !locality.source.empty(), "say where the numbers come from");
    return result;
}

std::optional<FileAudit> audit_file(LoadContext& context, FileKind kind, const std::string& name) {
    const std::size_t before = context.problems.size();
    auto result = audit_kind(context, kind, name);
    return context.problems.size() == before ? std::move(result) : std::nullopt;
}

std::optional<FileKind> kind_of_file(LoadContext& context, const std::string& name) {
    if (is_path(name)) return stated_kind(context, name);
    std::vector<std::string> known;
    for (std::size_t i = 0; i < EnumNames<FileKind>::names.size(); ++i) {
        const auto kind = static_cast<FileKind>(i);
        const std::vector<std::string> names = context.catalogue.names(kind);
        if (std::find(names.begin(), names.end(), name) != names.end()) return kind;
        known.insert(known.end(), names.begin(), names.end());
    }
    const std::string hint = did_you_mean(name, known);
    context.problems.push_back({"FILE", "", '"' + name + '"', "a path, or a name that \"spillway list\" shows",
                                "there is no such file in the catalogue" + (hint.empty() ? "" : "; " + hint)});
    return std::nullopt;
}

} // namespace spillway
