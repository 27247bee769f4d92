// The sentences that every format shows: scenario, verdict, break-even (the second half of views.h).
#include "report/figures.h"
#include "report/notes.h"
#include "report/views.h"

#include <fmt/format.h>

namespace spillway {

namespace {

std::string joined(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, ", ")); }

std::string decode_shortfall(const Report& report) {
    const Estimate& e = report.estimate;
    const double target = report.loaded.value.scenario.target_decode;
    if (!e.verdict.decode_shortfall && e.decode.full_overlap) {
        return fmt::format("reading alone keeps decode below {} tok/s", speed(*e.decode.full_overlap, target));
    }
    if (!e.verdict.decode_shortfall) return fmt::format("decode misses {} tok/s", count(target));
    return fmt::format("decode is {} tok/s short of {}", speed(*e.verdict.decode_shortfall), count(target));
}

std::string prefill_shortfall(const Report& report) {
    const Estimate& e = report.estimate;
    const double target = report.loaded.value.scenario.target_prefill;
    if (e.verdict.prefill_shortfall) {
        return fmt::format("prefill is {} tok/s short of {}", speed(*e.verdict.prefill_shortfall), count(target));
    }
    if (e.prefill.storage_limit) {
        return fmt::format("reading alone keeps prefill below {} tok/s", speed(*e.prefill.storage_limit, target));
    }
    return fmt::format("prefill misses {} tok/s", count(target));
}

std::string alternative_that_holds(const Report& report) {
    const double target = report.loaded.value.scenario.target_decode;
    for (std::size_t i = 0; i < report.estimate.alternatives.size; ++i) {
        const auto& speed_there = report.estimate.alternatives.items[i].tokens_per_second;
        if (speed_there && *speed_there >= target) return report.loaded.value.alternatives[i].name;
    }
    return {};
}

std::string failures(const Report& report) {
    const Estimate& e = report.estimate;
    if (e.placement.fits && !*e.placement.fits) return why_no_decode(report);
    std::vector<std::string> reasons;
    if (e.verdict.decode == State::fails) reasons.push_back(decode_shortfall(report));
    if (e.verdict.prefill == State::fails) reasons.push_back(prefill_shortfall(report));
    return joined(reasons);
}

std::string unknowns(const Report& report) {
    const bool decode = report.estimate.verdict.decode == State::unknown;
    const bool prefill = report.estimate.verdict.prefill == State::unknown;
    const std::string no_decode = decode ? why_no_decode(report) : "",
                      no_prefill = prefill ? why_no_prefill(report) : "";
    if (decode && no_decode == no_prefill) return no_decode;
    std::vector<std::string> reasons;
    if (decode) reasons.push_back("decode: " + no_decode);
    if (prefill) reasons.push_back("prefill: " + no_prefill);
    return joined(reasons);
}

} // namespace

std::string scenario_text(const Scenario& s) {
    std::vector<std::string> parts;
    parts.push_back(count(s.sequences) + (s.sequences == 1.0 ? " sequence" : " sequences"));
    parts.push_back("context " + count(s.context));
    if (s.depth > 0.0) parts.push_back("depth " + count(s.depth));
    parts.push_back("prompt " + count(s.prompt));
    if (s.positions > 1.0) {
        parts.push_back(
            fmt::format("{} positions per step of which {} accepted", count(s.positions), count(s.accepted)));
    }
    parts.push_back(states_misses(s) ? std::string("misses as stated") : "routing " + s.locality.name);
    parts.push_back("runtime " + s.runtime.name);
    return joined(parts);
}

std::string verdict_text(const Report& report) {
    const Scenario& s = report.loaded.value.scenario;
    switch (report.estimate.verdict.overall) {
    case State::holds:
        return fmt::format("HOLDS: decode meets {} tok/s, prefill {}", count(s.target_decode),
                           report.estimate.prefill.tokens_per_second ? "meets " + count(s.target_prefill)
                                                                     : "is " + why_no_prefill(report));
    case State::fails: return "FAILS: " + failures(report);
    case State::depends:
        return fmt::format("DEPENDS: {} with routing {}, but decode holds with measured routing {}",
                           decode_shortfall(report), s.locality.name, alternative_that_holds(report));
    case State::unknown: return "UNKNOWN: " + unknowns(report);
    }
    return {};
}

std::string break_even_text(const Report& report) {
    const ResidencyLine& line = report.line;
    const std::string target = count(line.target) + " tok/s";
    switch (line.answer) {
    case Answer::found: {
        std::string text = fmt::format("{} needs {} residency", target, percent_at_least(line.residency.value_or(1.0)));
        if (line.miss_fraction)
            text += fmt::format(": at most {} of expert reads missing", percent_at_most(*line.miss_fraction));
        if (line.expert_pool)
            text += fmt::format(", an expert pool of at most {} in this budget", gb_at_most(*line.expert_pool));
        return text;
    }
    case Answer::holds_everywhere: return target + " holds even with no expert in memory";
    case Answer::nowhere:
        return fmt::format("{} is out of reach: {} tok/s with every expert in memory", target,
                           line.best ? speed(*line.best, line.target) : "unknown");
    case Answer::no_effect: return "the model has no routed experts: residency changes nothing";
    case Answer::unknown:
        return "unknown: " + (report.estimate.decode.tokens_per_second ? std::string("no value was searched")
                                                                       : why_no_decode(report));
    }
    return {};
}

} // namespace spillway
