#include "io/measured.h"

#include "io/load_files.h"
#include "io/settings.h"
#include "io/write_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

namespace spillway {

namespace {

std::string run_pointer(std::size_t row) { return fmt::format("/runs/{}", row); }

bool begins_with_step(const std::string& pointer, const std::string& start) {
    return pointer.starts_with(start) && (pointer.size() == start.size() || pointer[start.size()] == '/');
}

void mark_unreadable(MeasuredGroup& group, const Problems& problems, std::size_t before) {
    for (std::size_t row = 0; row < group.file.runs.size(); ++row) {
        const std::string at = run_pointer(row);
        const auto is_here = [&](const Problem& problem) { return begins_with_step(problem.pointer, at); };
        group.readable.push_back(
            std::none_of(problems.begin() + static_cast<std::ptrdiff_t>(before), problems.end(), is_here));
    }
}

bool has_outcome(const Outcome& o) {
    return o.decode || o.prefill || o.time_to_first_token || o.missed_per_token || o.storage_per_token ||
           o.resident_per_token || o.weights;
}

void check_outcomes(const MeasuredGroup& group, Problems& problems) {
    for (std::size_t row = 0; row < group.file.runs.size(); ++row) {
        if (!group.readable[row] || has_outcome(group.file.runs[row].measured)) continue;
        problems.push_back({group.shown, run_pointer(row) + "/measured", "an empty object",
                            "at least one of decode, prefill, time_to_first_token, ...",
                            "states no outcome: nothing was measured"});
    }
}

// Rows are told apart by their ids, wherever they lie.
void check_ids(const MeasuredSet& set, Problems& problems) {
    std::map<std::string, std::string> places;
    for (const MeasuredGroup& group : set) {
        for (std::size_t row = 0; row < group.file.runs.size(); ++row) {
            const std::string& id = group.file.runs[row].id;
            const std::string at = run_pointer(row) + "/id";
            const auto [first, is_new] = places.emplace(id, group.shown + ": " + at);
            if (is_new || !group.readable[row]) continue;
            problems.push_back(
                {group.shown, at, '"' + id + '"', "an id of its own", "is the id of another row: " + first->second});
        }
    }
}

std::string machine_text(const MeasuredMachine& machine) {
    auto file = new_file<MachineFile>();
    file.machine = machine.machine;
    return write_object(file).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// An id has to stand for one machine, so that rows of several files can be compared.
void check_machines(const MeasuredSet& set, const Catalogue& catalogue, Problems& problems) {
    const std::vector<std::string> names = catalogue.names(FileKind::machine);
    std::map<std::string, std::string> texts;
    for (const MeasuredGroup& group : set) {
        for (std::size_t i = 0; i < group.file.machines.size(); ++i) {
            const MeasuredMachine& machine = group.file.machines[i];
            const std::string at = fmt::format("/machines/{}/id", i), text = machine_text(machine);
            const bool in_catalogue = std::binary_search(names.begin(), names.end(), machine.id);
            const bool other = texts.emplace(machine.id, text).first->second != text;
            if (!in_catalogue && !other) continue;
            problems.push_back({group.shown, at, '"' + machine.id + '"', "an id of its own",
                                in_catalogue ? "is the name of a machine of the catalogue"
                                             : "is the id of another machine, in this file or in another"});
        }
    }
}

std::optional<MeasuredGroup> read_group(LoadContext& context, const FoundFile& found) {
    const std::size_t before = context.problems.size();
    auto loaded = load_file<MeasuredFile>(context, found);
    if (!loaded) return std::nullopt;
    MeasuredGroup group{found.id, found.shown, std::move(loaded->file)};
    mark_unreadable(group, context.problems, before);
    check_outcomes(group, context.problems);
    return group;
}

const MeasuredMachine* own_machine(const MeasuredGroup& group, const std::string& id) {
    const auto& machines = group.file.machines;
    const auto found = std::find_if(machines.begin(), machines.end(), [&](const auto& m) { return m.id == id; });
    return found == machines.end() ? nullptr : &*found;
}

CaseRequest request_of(const MeasuredGroup& group, const MeasuredRun& run) {
    CaseRequest request;
    request.model = run.model;
    request.machine = run.machine;
    request.quantization = run.quant;
    // Listing the model's other localities is no part of a row's case.
    request.settings = {"scenario.runtime=" + run.runtime, "scenario.alternatives=false"};
    request.settings.insert(request.settings.end(), run.settings.begin(), run.settings.end());
    if (const MeasuredMachine* const own = own_machine(group, run.machine))
        request.provided[run.machine] = machine_text(*own);
    return request;
}

// A problem of the command line's flags is one of the row's members here, one of a machine written out lies there.
Problem placed(const Problem& problem, const MeasuredGroup& group, std::size_t row) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kMembers = {
        {{"-m", "/model"}, {"-d", "/machine"}, {"-q", "/quant"}}};
    Problem moved = problem;
    for (const auto& [flag, member] : kMembers) {
        if (problem.file == flag) moved.pointer = run_pointer(row) + std::string(member);
    }
    if (problem.file == kSetFlag) {
        const bool runtime = problem.pointer == "scenario.runtime";
        moved.pointer = run_pointer(row) + (runtime ? "/runtime" : "/settings");
        if (!runtime && !problem.pointer.empty()) moved.message = problem.pointer + ": " + problem.message;
    }
    const MeasuredMachine* const own = own_machine(group, group.file.runs[row].machine);
    if (own && problem.file == own->id)
        moved.pointer = fmt::format("/machines/{}/machine{}", own - group.file.machines.data(), problem.pointer);
    if (moved.pointer != problem.pointer) moved.file = group.shown;
    return moved;
}

// Problems without repetition: what is wrong with a shared file is said once.
class DistinctProblems {
public:
    explicit DistinctProblems(Problems& problems) : problems_(problems) {}
    void add(const Problem& p) {
        if (known_.emplace(p.file, p.pointer, p.found, p.message).second) problems_.push_back(p);
    }

private:
    Problems& problems_;
    std::set<std::tuple<std::string, std::string, std::string, std::string>> known_;
};

} // namespace

const std::string& source_of(const MeasuredGroup& group, const MeasuredRun& run) {
    return run.source.empty() ? group.file.source : run.source;
}

MeasuredSet read_measured(const std::vector<std::string>& files, const Catalogue& catalogue, Problems& problems) {
    LoadContext context{catalogue, {}};
    MeasuredSet set;
    for (const std::string& name : files.empty() ? catalogue.names(FileKind::measured) : files) {
        const auto found = catalogue.find(FileKind::measured, name, context.problems);
        if (!found) continue;
        if (auto group = read_group(context, *found)) set.push_back(std::move(*group));
    }
    check_ids(set, context.problems);
    check_machines(set, catalogue, context.problems);
    problems.insert(problems.end(), context.problems.begin(), context.problems.end());
    return set;
}

void state_runs(const MeasuredSet& set, const Catalogue& catalogue, const std::function<void(StatedRun&&)>& visit,
                Problems& problems) {
    CaseCache cache;
    DistinctProblems distinct(problems);
    for (const MeasuredGroup& group : set) {
        for (std::size_t row = 0; row < group.file.runs.size(); ++row) {
            const MeasuredRun& run = group.file.runs[row];
            if (!group.readable[row] || !run.not_stated.empty()) continue;
            std::optional<LoadedCase> loaded;
            try {
                loaded = load_case(request_of(group, run), catalogue, cache);
            } catch (const InputError& error) {
                for (const Problem& problem : error.problems()) distinct.add(placed(problem, group, row));
            }
            if (loaded) visit({group, run, std::move(*loaded)});
        }
    }
}

} // namespace spillway
