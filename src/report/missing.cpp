// Why a figure is missing, in a few words (the second half of notes.h).
#include "report/figures.h"
#include "report/notes.h"

#include <fmt/format.h>

#include <cstddef>

namespace spillway {

namespace {

std::string why_no_term(const Report& report, const Term& term) {
    const Machine& machine = report.loaded.value.machine;
    const TermInfo& info = info_of(term.id);
    if (info.unknown == NoteId::unknown_storage_rate && machine.storage.empty())
        return "the machine has no drive to read experts from";
    const std::string pool = term.pool >= 0 ? machine.memory[static_cast<std::size_t>(term.pool)].name : "";
    const std::string drive = machine.storage.empty() ? "" : machine.storage.front().name;
    return fmt::format(fmt::runtime(info.lacks), fmt::arg("pool", pool), fmt::arg("drive", drive));
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
