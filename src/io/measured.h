// Published runs: a case as a source states it, and what was measured. One file per source or table, described by
// fields() like every other kind; lies in scenarios/measured/. In: files and the catalogue that their rows name. Out:
// the set as written, and each row as a case that evaluate() takes. Everything that is wrong with any row is gathered.
#pragma once

#include "io/case_cache.h"
#include "io/files.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace spillway {

// Where the weights lay, as the source states it. split: a card and the host's memory; cards: several in one box;
// machines: several boxes.
enum class RunKind { resident, split, cpu, streamed, cards, machines };
template <>
struct EnumNames<RunKind> {
    static constexpr std::array<std::string_view, 6> names = {"resident", "split", "cpu",
                                                              "streamed", "cards", "machines"};
};

// What was measured. Speeds are those of one sequence.
struct Outcome {
    std::optional<PerSecond> decode, prefill; // tok/s
    std::optional<Seconds> time_to_first_token;
    std::optional<Bytes> missed_per_token;
    std::optional<Seconds> storage_per_token, resident_per_token;
    std::optional<Bytes> weights;
};
template <class Visitor>
void fields(Visitor& visit, Outcome& o) {
    constexpr double slowest = 1e-9, fastest = 1e9;
    visit("decode", o.decode, optional_field("decode speed of one sequence", slowest, fastest));
    visit("prefill", o.prefill, optional_field("prefill speed", slowest, fastest));
    visit("time_to_first_token", o.time_to_first_token, optional_field("from prompt to first token", 1e-9, 1e9));
    visit("missed_per_token", o.missed_per_token, optional_field("bytes read from the drive per token", 0.0, 1e15));
    visit("storage_per_token", o.storage_per_token, optional_field("time per token for the drive", 0.0, 1e6));
    visit("resident_per_token", o.resident_per_token, optional_field("time per token for all else", 0.0, 1e6));
    visit("weights", o.weights, optional_field("size of the weights as loaded", 1.0, 1e17));
}

// One row: what the source states in the product's own names and paths and nothing else, and its outcome.
struct MeasuredRun {
    std::string id;
    RunKind kind = RunKind::resident;
    std::string model, machine, quant, runtime, engine, build;
    std::vector<std::string> settings; // "path=value"
    Outcome measured;
    std::string date, source, remarks;
    std::string excluded;   // why it is no evidence; empty: it is
    std::string not_stated; // why its case cannot be stated; empty: it can

    bool is_evidence() const { return excluded.empty() && not_stated.empty(); }
};
template <class Visitor>
void fields(Visitor& visit, MeasuredRun& r) {
    visit("id", r.id, FieldInfo{"name of the row, unique in the whole set"});
    visit("kind", r.kind, FieldInfo{"where the weights lay, as the source states it"});
    visit("model", r.model, FieldInfo{"model of the catalogue"});
    visit("machine", r.machine, FieldInfo{"machine of the catalogue, or an id of this file's `machines`"});
    visit("quant", r.quant, FieldInfo{"quantization as -q takes it: a name, or bits per expert weight"});
    visit("runtime", r.runtime, FieldInfo{"runtime profile nearest to the engine"});
    visit("engine", r.engine, FieldInfo{"the engine's own name"});
    visit("build", r.build, optional_field("version, commit or date of the engine"));
    visit("settings", r.settings, optional_field("what else the source states: \"path=value\", as given to --set"));
    visit("measured", r.measured, FieldInfo{"what was measured"});
    visit("date", r.date, optional_field("when it was measured or published"));
    visit("source", r.source, optional_field("where it is published; default: the file's"));
    visit("remarks", r.remarks, optional_field("facts that no field holds"));
    visit("excluded", r.excluded, optional_field("why the row is no evidence; kept, and left out of statistics"));
    visit("not_stated", r.not_stated, optional_field("why its case cannot be stated; counted apart"));
}

// A machine that only these rows need.
struct MeasuredMachine {
    std::string id;
    Machine machine;
};
template <class Visitor>
void fields(Visitor& visit, MeasuredMachine& m) {
    visit("id", m.id, FieldInfo{"name that rows give it"});
    visit("machine", m.machine, FieldInfo{"the machine, as its own file would state it"});
}

struct MeasuredFile {
    static constexpr FileKind kKind = FileKind::measured;
    Header header;
    std::string name, source;
    std::vector<MeasuredMachine> machines;
    std::vector<MeasuredRun> runs;
};
template <class Visitor>
void fields(Visitor& visit, MeasuredFile& f) {
    fields(visit, f.header);
    visit("name", f.name, FieldInfo{"name of the group for people"});
    visit("source", f.source, FieldInfo{"where its rows are published"});
    visit("machines", f.machines, optional_field("machines that only these rows need"));
    visit("runs", f.runs, FieldInfo{"the rows"});
}

// One file as read. `id`, its stem, names the group: the rows of one thread or table, which share their errors.
struct MeasuredGroup {
    std::string id, shown;
    MeasuredFile file;
    std::vector<bool> readable = {}; // by row: whether nothing was wrong with it
};
using MeasuredSet = std::vector<MeasuredGroup>;

// The source of a row: its own, or the file's.
const std::string& source_of(const MeasuredGroup& group, const MeasuredRun& run);

// Reads files by name (scenarios/measured/NAME.json) or path; none: all that the catalogue has. Problems of the rows
// themselves are gathered: unreadable fields, no outcome, ids that occur twice.
MeasuredSet read_measured(const std::vector<std::string>& files, const Catalogue& catalogue, Problems& problems);

// A row and its case, handed to a visitor in the order of the set.
struct StatedRun {
    const MeasuredGroup& group;
    const MeasuredRun& run;
    LoadedCase loaded;
};

// States every readable row whose case can be stated; also those that are no evidence, whose cases have to be right
// too. Problems are gathered with the row's place in its file. Files that rows share are read once.
void state_runs(const MeasuredSet& set, const Catalogue& catalogue, const std::function<void(StatedRun&&)>& visit,
                Problems& problems);

} // namespace spillway
