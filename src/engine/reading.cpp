#include "engine/reading.h"

#include "engine/drive.h"

#include <algorithm>

namespace spillway {

namespace {

// A page cache that is squeezed out altogether leaves page faults: 0.00035-0.067 of the same drive's direct reads, n =
// 3 (docs/physics.md 14.2). Basis of the linear fall to that floor: guess.
constexpr double kSqueezedPageCacheShare = 0.05;

double page_cache_share(const Case& c, const Placement& p) {
    const double wanted = c.scenario.runtime.page_cache_share;
    if (!p.page_cache || wanted <= 0.0) return 1.0;
    const Bytes needed = wanted * c.machine.memory.front().capacity;
    return std::clamp(*p.page_cache / needed, kSqueezedPageCacheShare, 1.0);
}

} // namespace

ReadDemand misses_of(const StepTraffic& t) { return {t.missed, t.missed_experts, t.missing_layers}; }

StorageRead storage_read(const Case& c, const Placement& p, const ReadDemand& demand) {
    StorageRead read;
    const Runtime& r = c.scenario.runtime;
    if (c.machine.storage.empty() || demand.experts <= 0.0 || demand.layers <= 0.0) return read;
    read.in_flight = std::max(1.0, std::min(r.lanes, demand.experts / demand.layers * r.pieces));
    const Bytes piece = demand.bytes / (demand.experts * r.pieces);
    const auto rate = read_rate(c.machine.storage.front(), piece, read.in_flight);
    if (rate) read.rate = r.realised_share * page_cache_share(c, p) * *rate;
    return read;
}

std::optional<BytesPerSecond> lookup_rate(const Case& c, const StepTraffic& t) {
    const double in_flight = std::max(1.0, std::min(c.scenario.runtime.lanes, t.lookup_reads));
    return read_rate(c.machine.storage.front(), t.lookup / t.lookup_reads, in_flight);
}

} // namespace spillway
