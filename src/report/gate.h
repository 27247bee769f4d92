// What a gate shows: its document and JSON over the same rows, the JUnit file for CI systems, and the reader of a
// stored result, which lies here so that it cannot drift from the writer.
#pragma once

#include "explore/gate.h"
#include "explore/levers.h"
#include "io/load_case.h"
#include "report/report.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spillway {

// One entry and what came of it.
struct GateRow {
    std::string name;                  // may be empty
    std::vector<std::string> settings; // the entry's own
    LoadedCase loaded;                 // with the thresholds as targets
    GateResult result;
    std::optional<StoredResult> stored; // what it was compared with
    std::vector<LeverAnswer> changes;   // cheapest change per phase that fails or depends; at most two
};

struct GateReport {
    std::string name; // of the set; empty for a single case
    Require require = Require::all;
    std::vector<std::string> settings; // applied to every entry
    bool has_baseline = false;
    double max_worse = 0.0;        // share, with a baseline
    std::vector<std::string> gone; // stored entries that are not in the set any more
    std::vector<GateRow> rows;
    std::string version;

    GateCounts counts() const;
    bool passed() const { return passes(counts(), require); }
};

// "kimi-k2 (native) on apple-m3-ultra-256gb, scenario default", or its name with that behind it.
std::string entry_label(const GateRow& row);

// Why the entry was rejected, one sentence each; none if it was accepted.
std::vector<std::string> reason_texts(const GateRow& row);
// What is unknown and the flag that supplies it, as code and sentence.
std::vector<std::pair<std::string, std::string>> unknown_texts(const GateRow& row);
// The cheapest change; empty if none was found.
std::string change_text(const GateRow& row);
// Whether everything holds after the changes, each at the next thing that exists where there is one; empty without
// changes.
std::optional<bool> holds_after_changes(const GateRow& row);
// "REJECTED: 2 of 9 entries accepted, all have to be", and a line about those that need the drive.
std::string gate_verdict(const GateReport& report);
std::string storage_sentence(const GateReport& report);

// csv has a row per entry.
Document gate_document(const GateReport& report);
// {"format":1,"kind":"gate",...,"accepted":[..],"rejected":[{..,"reasons":[..],"shortfall","change"}],"counts",
// "require","passed"}
nlohmann::ordered_json gate_json(const GateReport& report);
// One test suite with a test case per entry. Where one accepted entry is enough and there is one, rejected entries
// are skipped instead of failed, so that the file says the same as the exit code.
std::string gate_junit(const GateReport& report);

// What a gate stored, by entry.
struct BaselineEntry {
    std::string key;   // see baseline_key
    std::string label; // for people
    StoredResult result;
};
using Baseline = std::vector<BaselineEntry>;

// An entry's name, or model, machine, quantization, scenario and its own settings if it has none.
std::string baseline_key(const GateRow& row);

// Reads a file that gate_json wrote. Throws InputError if it cannot be read or is something else.
Baseline read_baseline(const std::string& path);

// Takes the first stored entry of this key out of the baseline; empty if there is none.
std::optional<StoredResult> take_stored(Baseline& baseline, const std::string& key);

} // namespace spillway
