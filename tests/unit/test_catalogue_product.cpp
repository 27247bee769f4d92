// Every shipped model on every shipped machine: an answer or a named reason, and no figure that is none.
#include "engine/estimate.h"
#include "io/load_case.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

using namespace spillway;

namespace {

using Texts = std::vector<std::string>;

// What is said about a figure that is missing.
bool is_reason(NoteId id) {
    switch (id) {
    case NoteId::does_not_fit:
    case NoteId::not_limited_by_storage:
    case NoteId::unknown_usable:
    case NoteId::unknown_bandwidth:
    case NoteId::unknown_sustained:
    case NoteId::unknown_storage_rate:
    case NoteId::unknown_compute:
    case NoteId::unknown_bits:
    case NoteId::unknown_link_rate:
    case NoteId::unknown_layer_time:
    case NoteId::unknown_page_cache_rate:
    case NoteId::no_storage: return true;
    default: return false;
    }
}

bool has_experts(const Model& model) {
    return std::any_of(model.blocks.begin(), model.blocks.end(), [](const Block& b) { return b.experts.has_value(); });
}

// Names of figures that are infinite, not a number or negative.
Texts bad_numbers(const Estimate& e) {
    Texts bad;
    const auto check = [&bad](const char* name, const auto& value) {
        if (!value) return;
        double number = 0.0;
        if constexpr (requires { value->value; })
            number = value->value;
        else
            number = *value;
        if (!(std::isfinite(number) && number >= 0.0)) bad.emplace_back(name);
    };
    check("usable", e.placement.usable);
    check("expert_budget", e.placement.expert_budget);
    check("expert_pool", e.placement.expert_pool);
    check("pool_over_budget", e.placement.pool_over_budget);
    check("residency", e.placement.residency);
    check("load", e.placement.load);
    check("kv_cache", std::optional(e.placement.kv_cache));
    check("short_by", std::optional(e.placement.short_by));
    check("decode", e.decode.tokens_per_second);
    check("decode total", e.decode.tokens_per_second_total);
    check("no_overlap", e.decode.no_overlap);
    check("full_overlap", e.decode.full_overlap);
    check("step", e.decode.step);
    check("resident", e.decode.resident);
    check("storage", e.decode.storage);
    check("miss_fraction", e.decode.miss_fraction);
    check("missed_bytes", e.decode.missed_bytes_per_token);
    check("bandwidth_bound", e.decode.bandwidth_bound);
    check("storage_rate", e.decode.storage_rate);
    check("prefill", e.prefill.tokens_per_second);
    check("storage_limit", e.prefill.storage_limit);
    check("prefill total", e.prefill.total);
    check("first token", e.prefill.time_to_first_token);
    check("cost_ratio", e.cost_ratio);
    for (const Component& part : e.placement.components) check("a component", part.bytes);
    for (const Alternative& a : e.alternatives) check("an alternative", a.tokens_per_second);
    for (const Terms* terms : {&e.decode.terms, &e.prefill.terms}) {
        for (const Term& term : *terms) {
            if (term.form != Form::negative) check("a term", term.seconds);
        }
    }
    return bad;
}

// What is wrong with the answer to one case; empty if nothing.
Texts faults(const Case& c) {
    const Estimate e = evaluate(c);
    Texts found = bad_numbers(e);
    const bool explained =
        std::any_of(e.notes.begin(), e.notes.end(), [](const Note& note) { return is_reason(note.id); });
    if (explained) return found;
    if (!e.placement.residency && has_experts(c.model)) found.emplace_back("no residency, no reason");
    if (!e.decode.tokens_per_second) found.emplace_back("no decode, no reason");
    if (!e.prefill.tokens_per_second) found.emplace_back("no prefill, no reason");
    return found;
}

bool same_answer(const Estimate& a, const Estimate& b) {
    return a.decode.tokens_per_second == b.decode.tokens_per_second &&
           a.prefill.tokens_per_second == b.prefill.tokens_per_second && a.placement.residency == b.placement.residency;
}

} // namespace

// Models and machines are loaded as a user's request loads them, each once, and put together in memory. That this
// equals loading the pair is checked on every machine.
TEST_CASE("every model reports against every machine", "[catalogue]") {
    const Catalogue catalogue(data_root(""));
    const Texts models = catalogue.names(FileKind::model), machines = catalogue.names(FileKind::machine);
    std::vector<Machine> hosts;
    for (const std::string& machine : machines)
        hosts.push_back(load_case({models.front(), machine}, catalogue).value.machine);

    Texts wrong;
    std::size_t cases = 0, answered = 0;
    for (std::size_t i = 0; i < models.size(); ++i) {
        for (const char* quantization : {"native", "q4_k"}) {
            Case c = load_case({models[i], machines.front(), "default", quantization}, catalogue).value;
            for (std::size_t j = 0; j < hosts.size(); ++j) {
                c.machine = hosts[j];
                for (const std::string& fault : faults(c))
                    wrong.push_back(fmt::format("{} {} on {}: {}", models[i], quantization, machines[j], fault));
                ++cases;
                if (j != i % hosts.size()) continue;
                const Estimate pair =
                    evaluate(load_case({models[i], machines[j], "default", quantization}, catalogue).value);
                CHECK(same_answer(pair, evaluate(c)));
                answered += pair.decode.tokens_per_second ? 1 : 0;
            }
        }
    }
    wrong.resize(std::min<std::size_t>(wrong.size(), 20));
    INFO(fmt::format("{}", fmt::join(wrong, "\n")));
    CHECK(wrong.empty());
    CHECK(cases == 2 * models.size() * machines.size());
    CHECK(cases >= 5000);
    CHECK(answered > 0);
}
