// How many experts each pool holds: budgets, the residency, ranges of layers whose residency is forced.
// In: Case, its Sizes, a Placement whose tiers know their other charges. Out: the same with budgets and residency.
// See docs/physics.md 5.3 and 5.4.
#pragma once

#include "engine/placement.h"

namespace spillway {

// Memory that a pool leaves for experts; empty if its usable memory is unknown.
std::optional<Bytes> tier_budget(const Case& c, std::size_t pool, const Tier& tier);

// Budget, residency and experts by pool. Needs the tiers' own budgets and known bits.
void settle_residency(const Case& c, const Sizes& sizes, Placement& placement);

} // namespace spillway
