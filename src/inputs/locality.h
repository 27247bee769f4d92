// Routing locality: one curve D(t), the mean number of distinct experts that t consecutive tokens touch in a layer
// (engine/routing.h). Everything the engine asks of a router - misses of a cache, reads of a verify block, experts
// touched by a prompt chunk - is read off it.
#pragma once

#include "inputs/fields.h"
#include "inputs/quantity.h"

#include <array>
#include <string>
#include <vector>

namespace spillway {

// Where the curve comes from. uniform: independent uniform routing, the worst stationary case. fitted: miss fraction
// m(r) = (1 - sqrt r)^exponent. table: measured (residency, miss) points, linear between them.
enum class LocalityKind { uniform, fitted, table };
template <>
struct EnumNames<LocalityKind> {
    static constexpr std::array<std::string_view, 3> names = {"uniform", "fitted", "table"};
};

struct MissPoint {
    double residency = 0.0;
    double miss_fraction = 0.0;
};

template <class Visitor>
void fields(Visitor& visit, MissPoint& point) {
    visit("residency", point.residency, as_share(FieldInfo{"share of the experts kept", Presence::required, 0.0, 1.0}));
    visit("miss_fraction", point.miss_fraction,
          as_share(FieldInfo{"share of the expert reads that miss", Presence::required, 0.0, 1.0}));
}

// A locality profile. The text members say what the numbers are worth; the engine does not read them.
struct Locality {
    std::string name = "uniform";
    LocalityKind kind = LocalityKind::uniform;
    double exponent = 1.0;         // fitted: a >= 1
    std::vector<MissPoint> points; // table: ascending residency, miss fraction not rising
    std::string model;             // catalogue name of the model measured
    std::string workload;
    std::string layers; // which layers were covered
    std::string tokens; // how many tokens
    std::string limits;
    std::string source;
};

template <class Visitor>
void fields(Visitor& visit, Locality& locality) {
    visit("name", locality.name, FieldInfo{"name, as a scenario gives it"});
    visit("curve", locality.kind, FieldInfo{"uniform, fitted or table"});
    visit("exponent", locality.exponent, optional_field("fitted: a in (1 - sqrt r)^a", 1.0, 100.0));
    visit("points", locality.points, optional_field("table: residency -> miss fraction"));
    visit("model", locality.model, optional_field("catalogue name of the model measured"));
    visit("workload", locality.workload, optional_field("what was run"));
    visit("layers", locality.layers, optional_field("layers covered"));
    visit("tokens", locality.tokens, optional_field("tokens covered"));
    visit("limits", locality.limits, optional_field("what the numbers do not say"));
    visit("source", locality.source, optional_field("where the numbers come from"));
}

} // namespace spillway
