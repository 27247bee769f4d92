#include "report/views.h"

#include "engine/placement.h"
#include "report/figures.h"
#include "text/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace spillway {

namespace {

// Non-expert weights and working memory of models whose layers are spread over pools. In the first pool the working
// memory is what its charge holds beside the listed parts: the KV cache of the layers there, with its floor.
void split_layers(const Placement& p, std::vector<PlacedPart>& parts) {
    for (PlacedPart& part : parts) {
        if (part.part == Part::non_expert)
            part.bytes = p.tiers.items[0].weight_share * *p.sizes.layers + *p.sizes.outside;
    }
    Bytes beside;
    for (const PlacedPart& part : parts) {
        const bool listed = part.pool == 0 && part.part != Part::working_memory && part.part != Part::experts;
        if (listed && part.bytes) beside += *part.bytes;
    }
    for (PlacedPart& part : parts) {
        if (part.part == Part::working_memory) part.bytes = p.tiers.items[0].fixed - beside;
    }
    for (std::size_t i = 1; i < p.tiers.size; ++i) {
        const Tier& tier = p.tiers.items[i];
        if (tier.weight_share <= 0.0) continue;
        const int pool = static_cast<int>(i);
        parts.push_back({Part::non_expert, tier.weight_share * *p.sizes.layers, pool});
        parts.push_back({Part::working_memory, tier.kv_share * p.kv_cache, pool});
    }
}

void add_experts(const Placement& p, std::vector<PlacedPart>& parts) {
    if (!p.residency) {
        parts.push_back({Part::experts, p.sizes.experts, kNotLoaded});
        return;
    }
    for (std::size_t i = 0; i < p.tiers.size; ++i) {
        const Bytes held = p.tiers.items[i].expert_bytes;
        if (held.value > 0.0) parts.push_back({Part::experts, held, static_cast<int>(i)});
    }
    const std::optional<Bytes> spilled = spilled_experts(p);
    if (spilled && spilled->value > 0.0) parts.push_back({Part::experts, *spilled, kOnStorage});
}

std::string replaced(std::string text, std::string_view what, const std::string& with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
        text.replace(at, what.size(), with);
    }
    return text;
}

} // namespace

std::string place_name(const Machine& machine, int pool) {
    if (pool == kOnStorage) return "storage";
    if (pool == kNotLoaded) return "not loaded";
    return machine.memory[static_cast<std::size_t>(pool)].name;
}

std::string term_place(const Machine& machine, const Term& term) {
    const bool on_drive = term.pool == kOnStorage && !machine.storage.empty();
    return on_drive ? machine.storage.front().name : place_name(machine, term.pool);
}

std::vector<PlacedPart> placed_parts(const Report& report) {
    const Placement& p = report.estimate.placement;
    std::vector<PlacedPart> parts;
    bool experts = false;
    for (const Component& component : p.components) {
        experts = experts || component.part == Part::experts;
        if (component.part != Part::experts) parts.push_back({component.part, component.bytes, component.pool});
    }
    if (p.tiers.size > 1 && p.tiers.items[0].weight_share < 1.0) split_layers(p, parts);
    if (experts) add_experts(p, parts);
    return parts;
}

std::optional<Bytes> spilled_experts(const Placement& p) {
    if (!p.residency || !p.expert_pool) return std::nullopt;
    if (*p.residency >= 1.0) return Bytes(0.0);
    Bytes held;
    for (const Tier& tier : p.tiers) held += tier.expert_bytes;
    return std::max(Bytes(0.0), *p.expert_pool - held);
}

double experts_per_layer(const Model& model) {
    double most = 0.0;
    for (const Block& block : model.blocks) {
        if (block.experts) most = std::max(most, static_cast<double>(block.experts->count));
    }
    return most;
}

std::string engine_flags(const Report& report) {
    const Placement& p = report.estimate.placement;
    const std::string& flags = report.loaded.value.scenario.runtime.flags;
    if (flags.empty() || !p.residency || p.tiers.size == 0) return {};
    const Tier& first = p.tiers.items[0];
    if (first.weight_share < 1.0) return {};
    // The tolerance keeps n whole layers at n despite rounding.
    const double beside = std::ceil(p.sizes.moe_layers * (1.0 - first.expert_share) - 1e-6);
    std::string text = replaced(flags, "{layers_beside}", fmt::format("{:.0f}", std::max(0.0, beside)));
    text = replaced(text, "{layers}", fmt::format("{:.0f}", first.layers));
    text = replaced(text, "{cache_bytes}", fmt::format("{:.0f}", std::floor(first.expert_bytes.value)));
    text = replaced(text, "{cache_gib}", fmt::format("{:.0f}", std::floor(first.expert_bytes.value / kGiB)));
    return replaced(text, "{slots}", fmt::format("{:.0f}", std::floor(p.slots_per_layer.value_or(0.0))));
}

std::string_view basis_of(const Report& report, std::string_view path) {
    const auto* source = report.loaded.source_of(path);
    return source ? EnumNames<Basis>::names[static_cast<std::size_t>(source->basis)] : std::string_view();
}

std::string source_text(const Report& report, std::string_view path) {
    const auto* source = report.loaded.source_of(path);
    return source ? source->source : std::string();
}

std::string value_text(const Report& report, const std::string& path) {
    Case c = report.loaded.value; // number_field() wants to be able to write
    const std::optional<NumberField> field = number_field(c, path);
    if (!field) return {};
    const std::optional<double> value = field->get();
    return value ? print_value(*value, field->unit) : "unknown";
}

std::vector<Guess> guesses(const Report& report) {
    std::vector<Guess> list;
    for (const Influence& influence : report.influences) {
        if (basis_of(report, influence.path) != "guess") continue;
        list.push_back({influence.path, value_text(report, influence.path), source_text(report, influence.path)});
    }
    const bool drafts = report.loaded.value.scenario.positions > 1.0;
    for (const auto& [path, provenance] : report.loaded.sources) {
        const bool of_model = path.rfind("model.", 0) == 0 && path.rfind("model.quantizations", 0) != 0;
        if (provenance.basis != Basis::guess || !of_model) continue;
        if (path.rfind("model.drafter", 0) == 0 && !drafts) continue;
        list.push_back({path, "", provenance.source});
    }
    return list;
}

std::vector<std::string> guess_sentences(const Report& report) {
    std::vector<std::string> sentences;
    std::size_t shapes = 0;
    const std::vector<Guess> list = guesses(report);
    for (const Guess& guess : list) {
        if (guess.value.empty()) {
            ++shapes;
        } else {
            sentences.push_back(fmt::format("leans on a guess: {} = {} ({})", guess.path, guess.value, guess.source));
        }
    }
    if (shapes == 0) return sentences;
    const auto first = std::find_if(list.begin(), list.end(), [](const Guess& guess) { return guess.value.empty(); });
    sentences.push_back(fmt::format("leans on a guess about the model's shape in {} {}, such as {} ({})", shapes,
                                    shapes == 1 ? "place" : "places", first->path, first->source));
    return sentences;
}

std::vector<std::string> forced_paths(const Scenario& s) {
    std::vector<std::string> list;
    if (s.expert_budget) list.emplace_back("scenario.expert_budget");
    if (s.residency) list.emplace_back("scenario.residency");
    if (!s.residency_ranges.empty()) list.emplace_back("scenario.residency_ranges");
    if (s.first_pool_experts) list.emplace_back("scenario.first_pool_experts");
    if (s.cpu_moe_layers) list.emplace_back("scenario.cpu_moe_layers");
    if (s.hit_rate) list.emplace_back("scenario.hit_rate");
    if (s.missed_bytes) list.emplace_back("scenario.missed_bytes");
    if (s.resident_pass) list.emplace_back("scenario.resident_pass");
    if (s.prefill_compute) list.emplace_back("scenario.prefill_compute");
    return list;
}

Tone tone_of(State state) {
    switch (state) {
    case State::holds: return Tone::good;
    case State::fails: return Tone::bad;
    case State::depends:
    case State::unknown: return Tone::warning;
    }
    return Tone::plain;
}

Seconds step_allowed(const Scenario& s) { return Seconds(s.accepted / s.target_decode); }

PrefillTerms prefill_terms(const Prefill& prefill) {
    // Either pass begins with its arithmetic.
    PrefillTerms terms;
    int passes = 0;
    for (const Term& term : prefill.terms) {
        if (term.id == TermId::compute || term.id == TermId::forced_compute) ++passes;
        (passes > 1 ? terms.tail : terms.chunk).push_back(term);
    }
    return terms;
}

} // namespace spillway
