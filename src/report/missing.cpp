// Why a figure is missing, in a few words (the second half of notes.h).
#include "report/figures.h"
#include "report/notes.h"

#include <fmt/format.h>

#include <cstddef>

namespace spillway {

namespace {

std::string why_no_term(const Report& report, const Term& term) {
    const Machine& machine = report.loaded.value.machine;
    const std::string pool = term.pool >= 0 ? machine.memory[static_cast<std::size_t>(term.pool)].name : "";
    switch (term.id) {
    case TermId::layers: return fmt::format("the fixed time per layer in pool {} is unknown", pool);
    case TermId::link_experts:
    case TermId::link_chunk: return "the rate of the link is unknown";
    case TermId::page_cache: return "the rate of the page cache is unknown";
    case TermId::compute: return "the arithmetic rate is unknown";
    case TermId::storage_misses:
    case TermId::lookup:
    case TermId::storage_chunk:
    case TermId::storage_tail:
        if (machine.storage.empty()) return "the machine has no drive to read experts from";
        return fmt::format("the read rate of drive {} is unknown", machine.storage.front().name);
    default: return fmt::format("the bandwidth of pool {} or its sustained share is unknown", pool);
    }
}

std::string why_not_placed(const Report& report) {
    const Placement& p = report.estimate.placement;
    if (p.fits && !*p.fits) return "does not fit: short by " + gb(p.short_by);
    if (p.tiers.size == 0) return "bits per weight are unknown";
    return "the usable memory is unknown";
}

std::string why_missing(const Report& report, const Terms& terms) {
    if (!report.estimate.placement.residency) return why_not_placed(report);
    for (const Term& term : terms) {
        if (!term.seconds) return why_no_term(report, term);
    }
    return "nothing takes time here";
}

} // namespace

std::string why_no_decode(const Report& report) { return why_missing(report, report.estimate.decode.terms); }

std::string why_no_prefill(const Report& report) {
    const Prefill& prefill = report.estimate.prefill;
    if (prefill.total && prefill.total->value <= 0.0) return "not limited by storage";
    return why_missing(report, prefill.terms);
}

} // namespace spillway
