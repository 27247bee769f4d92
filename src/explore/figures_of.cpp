#include "explore/figures_of.h"

#include <algorithm>
#include <array>

namespace spillway {

namespace {

template <class Q>
std::optional<double> base(const std::optional<Q>& quantity) {
    return quantity ? std::optional(quantity->value) : std::nullopt;
}

std::string_view state(State s) {
    constexpr std::array<std::string_view, 4> names = {"holds", "fails", "depends", "unknown"};
    return names[static_cast<std::size_t>(s)];
}

std::string_view limit(const std::optional<Limit>& l) {
    constexpr std::array<std::string_view, 5> names = {"storage", "memory", "link", "compute", "overhead"};
    return l ? names[static_cast<std::size_t>(*l)] : std::string_view("unknown");
}

std::vector<Figure> make_figures() {
    using E = const Estimate&;
    return {
        {"placement.usable_bytes", [](E e) { return base(e.placement.usable); }},
        {"placement.left_for_os_bytes", [](E e) { return base(e.placement.left_for_os); }},
        {"placement.expert_budget_bytes", [](E e) { return base(e.placement.expert_budget); }},
        {"placement.expert_pool_bytes", [](E e) { return base(e.placement.expert_pool); }},
        {"placement.pool_over_budget", [](E e) { return e.placement.pool_over_budget; }},
        {"placement.residency", [](E e) { return e.placement.residency; }},
        {"placement.slots_per_layer", [](E e) { return e.placement.slots_per_layer; }},
        {"placement.load_seconds", [](E e) { return base(e.placement.load); }},
        {"placement.kv_cache_bytes", [](E e) { return std::optional(e.placement.kv_cache.value); }},
        {"routing.miss_fraction", [](E e) { return e.decode.miss_fraction; }},
        {"decode.tokens_per_second", [](E e) { return e.decode.tokens_per_second; }},
        {"decode.tokens_per_second_total", [](E e) { return e.decode.tokens_per_second_total; }},
        {"decode.bounds.no_overlap", [](E e) { return e.decode.no_overlap; }},
        {"decode.bounds.full_overlap", [](E e) { return e.decode.full_overlap; }},
        {"decode.seconds_per_step", [](E e) { return base(e.decode.step); }},
        {"decode.resident_seconds", [](E e) { return base(e.decode.resident); }},
        {"decode.storage_seconds", [](E e) { return base(e.decode.storage); }},
        {"decode.expert_bytes_per_token", [](E e) { return base(e.decode.expert_bytes_per_token); }},
        {"decode.missed_bytes_per_token", [](E e) { return base(e.decode.missed_bytes_per_token); }},
        {"decode.limit", nullptr, [](E e) { return limit(e.decode.limit); }},
        {"prefill.tokens_per_second", [](E e) { return e.prefill.tokens_per_second; }},
        {"prefill.storage_limit_tokens_per_second", [](E e) { return e.prefill.storage_limit; }},
        {"prefill.time_to_first_token_seconds", [](E e) { return base(e.prefill.time_to_first_token); }},
        {"prefill.limit", nullptr, [](E e) { return limit(e.prefill.limit); }},
        {"storage.cost_ratio", [](E e) { return e.cost_ratio; }},
        {"verdict.decode", nullptr, [](E e) { return state(e.verdict.decode); }},
        {"verdict.prefill", nullptr, [](E e) { return state(e.verdict.prefill); }},
        {"verdict.overall", nullptr, [](E e) { return state(e.verdict.overall); }},
    };
}

} // namespace

const std::vector<Figure>& all_figures() {
    static const std::vector<Figure> figures = make_figures();
    return figures;
}

const Figure* find_figure(std::string_view name) {
    const auto& figures = all_figures();
    const auto found = std::find_if(figures.begin(), figures.end(), [&](const Figure& f) { return f.name == name; });
    return found == figures.end() ? nullptr : &*found;
}

} // namespace spillway
