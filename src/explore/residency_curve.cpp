#include "explore/residency_curve.h"

#include "explore/turned_case.h"

#include <algorithm>

namespace spillway {

namespace {

// Every 2 % to 90 %, then every 1 %, and close before 1: a step that reads nothing from storage leaves out what a miss
// costs apart from its bytes, so that the last bit of residency can be a jump.
std::vector<double> residencies(const ResidencyCurve& curve) {
    std::vector<double> list;
    for (int i = 0; i <= 90; i += 2) list.push_back(i / 100.0);
    for (int i = 91; i <= 100; ++i) list.push_back(i / 100.0);
    list.insert(list.end(), {0.995, 0.9999});
    if (curve.residency) list.push_back(std::clamp(*curve.residency, 0.0, 1.0));
    if (curve.line.residency) list.push_back(*curve.line.residency);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
}

LocalityCurve curve_of(const Case& c, const Locality& locality, const std::vector<double>& at) {
    Case other = c;
    other.scenario.locality = locality;
    TurnedCase turned(other, "scenario.residency");
    LocalityCurve curve;
    curve.locality = locality.name;
    curve.uniform = locality.kind == LocalityKind::uniform;
    for (const double residency : at) {
        const Decode decode = turned.estimate_at(residency).decode;
        curve.points.push_back({residency, decode.tokens_per_second, decode.miss_fraction});
    }
    return curve;
}

bool is_drawn(const ResidencyCurve& curve, const Locality& locality) {
    return std::any_of(curve.lines.begin(), curve.lines.end(), [&](const LocalityCurve& line) {
        return line.locality == locality.name || (line.uniform && locality.kind == LocalityKind::uniform);
    });
}

} // namespace

ResidencyCurve residency_curve(const Case& c, const ResidencyLine& line) {
    const Estimate own = evaluate(c);
    ResidencyCurve curve;
    curve.target = c.scenario.target_decode;
    curve.line = line;
    curve.residency = own.placement.residency;
    curve.speed = own.decode.tokens_per_second;
    const bool fits = own.placement.fits.value_or(true);
    if (!fits || own.placement.sizes.moe_layers <= 0.0) return curve;
    const std::vector<double> at = residencies(curve);
    curve.lines.push_back(curve_of(c, c.scenario.locality, at));
    curve.lines.front().own = true;
    std::vector<Locality> others = {Locality{}};
    others.insert(others.end(), c.alternatives.begin(), c.alternatives.end());
    for (const Locality& locality : others) {
        if (!is_drawn(curve, locality)) curve.lines.push_back(curve_of(c, locality, at));
    }
    return curve;
}

} // namespace spillway
