// Two cases side by side: every number of their reports with its difference, and what changed the verdict. Works on
// the reports' JSON, so that a figure cannot be another here than there and a new one joins by itself.
#pragma once

#include "report/report.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace spillway {

// One figure of a report, in base units; empty on the side where it is null or does not exist.
struct ComparedFigure {
    std::string name; // the JSON's keys joined by dots; members of lists by their name: "decode.terms.lookup.seconds"
    std::optional<double> left, right;

    bool same() const { return left == right; }
    std::optional<double> difference() const; // right - left
    std::optional<double> relative() const;   // difference / |left|; empty where left is 0
};

// Every number of the two JSON documents, in their order; figures that are null on both sides are left out.
std::vector<ComparedFigure> compared_figures(const nlohmann::ordered_json& left, const nlohmann::ordered_json& right);

// {figure,value}: every number of one report, for csv.
Table figures_table(const Report& report);

struct Comparison {
    const Report& left;
    const Report& right;
};

// One sentence: "The verdict changes from FAILS to HOLDS: decode rises from 4.40 to 28.6 tok/s, past its target of 10."
std::string verdict_change_text(const Comparison& comparison);

// Figures that both reports lead with, and below them those that differ; csv has all.
Document compare_document(const Comparison& comparison);
// {"format":1,"kind":"comparison","left":{case},"right":{case},"verdict":{..},"figures":[{"name","left","right",
// "difference","relative"}]}; all figures, also equal ones.
nlohmann::ordered_json compare_json(const Comparison& comparison);

} // namespace spillway
