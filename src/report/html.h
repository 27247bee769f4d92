// Pages for people who would rather look: one HTML file with its charts inline, readable without scripts, on paper, in
// light and dark. They show what the text forms show, rounded likewise; the numbers behind are in the JSON.
#pragma once

#include "explore/residency_curve.h"
#include "report/report.h"
#include "report/table.h"

#include <optional>
#include <string>
#include <vector>

namespace spillway {

// Verdict, break-even chart, where the time of a step goes, memory, what moves the answer, notes.
std::string report_html(const Report& report, const ResidencyCurve& curve);

// The levers of one phase: a heading, the table, and sentences below it.
struct LeverSection {
    std::string title;
    Table table;
    std::vector<std::string> sentences;
};

// The break-even chart and the levers of each phase.
std::string break_even_html(const LoadedCase& loaded, const ResidencyCurve& curve,
                            const std::vector<LeverSection>& sections, const std::string& version);

// What a sweep's page is told beside its rows.
struct SweepPage {
    std::string title;               // "12 cases"
    std::vector<std::string> labels; // names of the columns that tell rows apart; those not in the table are ignored
    std::string decode, prefill;     // names of the columns with tok/s; no chart for one that is not in the table
    std::optional<double> target_decode, target_prefill; // tok/s; empty: no line (it differs by row)
    std::vector<std::string> notes;
    std::string version;
};

// Bars of decode (and prefill) tok/s against the target, the first 120 rows in their order, and the table of all rows.
// Label columns that say the same in every row are named once above the bars instead of in each.
std::string sweep_html(const Table& table, const SweepPage& page);

} // namespace spillway
