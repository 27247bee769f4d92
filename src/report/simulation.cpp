#include "report/simulation.h"
#include "engine/routing.h"
#include "report/figures.h"
#include "report/page.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kBar = 30; // columns of the longest bar

std::string milliseconds(double seconds) { return significant(1e3 * seconds, 3) + " ms"; }

std::string slots_text(const Simulation& s) {
    return s.least_slots == s.most_slots ? fmt::format("{}", s.least_slots)
                                         : fmt::format("{} to {}", s.least_slots, s.most_slots);
}

std::string_view policy_of(const Simulation& s) {
    return EnumNames<EvictionPolicy>::names[static_cast<std::size_t>(s.options.policy)];
}
std::string_view scope_of(const Simulation& s) {
    return EnumNames<CacheScope>::names[static_cast<std::size_t>(s.options.scope)];
}
std::string_view scope_text(const Simulation& s) {
    return s.options.scope == CacheScope::global ? "one for all layers" : "one per layer";
}

// "closed form 18.2, +0.4 %".
std::string beside(double simulated, const std::optional<double>& closed) {
    const auto difference = deviation(simulated, closed);
    if (!difference) return "closed form unknown";
    return fmt::format("closed form {}, deviation {:+.2f} %", speed(*closed), 100.0 * *difference);
}

void add_head(const SimulationAnswer& answer, Page& page) {
    const Simulation& s = answer.simulation;
    const Case& c = answer.loaded.value;
    page.line(fmt::format("spillway simulation   {} ({}) on {}", c.model.name, c.quantization.name, c.machine.name), 22,
              Paint::heading);
    page.line("scenario " + answer.loaded.scenario_id);
    if (s.info.synthetic) page.line("SYNTHETIC routing, not measured: good for what-ifs only", 4, Paint::warning);
    page.line("routing: " + s.info.name);
    if (s.malformed.count > 0)
        page.line(fmt::format("{} malformed lines of the trace left out", s.malformed.count), 4, Paint::warning);
    page.line(fmt::format("cache: {}, {}, {} slots a layer in {} layers ({} of the experts)", policy_of(s),
                          scope_text(s), slots_text(s), s.layers, percent(s.residency)));
    if (s.positions > 1.0)
        page.line(fmt::format("a step is a block of {} positions, {} accepted", count(s.positions), count(s.accepted)));
    if (s.page_cache_left_out)
        page.line("the OS page cache is not simulated: every miss is read from the drive", 4, Paint::warning);
    if (s.later_pools)
        page.line("experts in several memory pools are priced at the placement's shares", 4, Paint::warning);
}

void add_times(const DecodeSimulation& d, Page& page) {
    page.heading(fmt::format("time of a step, mean {}", milliseconds(d.seconds / static_cast<double>(d.steps))));
    const auto row = [&](const char* name, double seconds) {
        if (seconds == 0.0) return;
        const double share = seconds * static_cast<double>(d.steps) / d.seconds;
        page.line(fmt::format("  {:<22}{:>12}  {:>6.1f} %", name, milliseconds(seconds), 100.0 * share));
    };
    row("computing", d.split.resident);
    row("router sync", d.split.sync);
    row("waiting for storage", d.split.waiting);
    row("insertion", d.split.insertion);
    row("hidden by overlap", -d.split.hidden);
}

void add_windows(const DecodeSimulation& d, Page& page) {
    page.heading("tok/s over time, from the first token on");
    double most = 0.0;
    for (const SpeedWindow& w : d.windows) most = std::max(most, w.tokens_per_second);
    for (const SpeedWindow& w : d.windows) {
        const auto bar = most > 0.0 ? static_cast<std::size_t>(std::lround(kBar * w.tokens_per_second / most)) : 0U;
        page.line(fmt::format("  {:>10} {:>8}  hit {:>8}  {}", w.first_token, speed(w.tokens_per_second),
                              percent(w.hit_rate), std::string(bar, '#')));
    }
}

void add_drive(const DriveFigures& drive, Page& page) {
    page.line(fmt::format("  drive      {} read, busy {}, queue {} deep, {} in flight", gb(Bytes(drive.bytes)),
                          percent(drive.utilisation), significant(drive.queue_depth, 3),
                          significant(drive.in_flight, 3)),
              13);
}

void add_decode(const Simulation& s, Page& page) {
    const DecodeSimulation& d = s.decode;
    if (d.steps == 0) {
        page.heading("decode");
        page.line("  no whole step after the warm-up");
        return;
    }
    page.heading(fmt::format("decode, {} tokens, counted from token {}", d.tokens, d.warm_after));
    page.line(fmt::format("  speed      {} tok/s   {}", speed(d.tokens_per_second),
                          beside(d.tokens_per_second, d.closed_tokens_per_second)),
              13);
    page.line(fmt::format("  token      mean {}, p50 {}, p90 {}, p99 {}", milliseconds(d.mean), milliseconds(d.p50),
                          milliseconds(d.p90), milliseconds(d.p99)),
              13);
    const std::string closed = d.closed_miss_fraction ? percent(1.0 - *d.closed_miss_fraction) : "unknown";
    page.line(fmt::format("  hit rate   {} of {} lookups   closed form {}", percent(1.0 - d.miss_fraction()), d.lookups,
                          closed),
              13);
    add_drive(d.drive, page);
    page.line(fmt::format("  closed form: the same slots, {}", s.closed_locality), 13);
    add_times(d, page);
    add_windows(d, page);
}

void add_prefill(const PrefillSimulation& p, Page& page) {
    page.heading(fmt::format("prefill, {} tokens in {} chunk{}, cache cold at the first", p.tokens, p.chunks,
                             p.chunks == 1 ? "" : "s"));
    if (!p.seconds) {
        page.line("  time unknown: so is the time to compute a chunk");
        page.line(fmt::format("  {} read", gb(Bytes(p.drive.bytes))));
        return;
    }
    page.line(fmt::format("  speed      {} tok/s with the cold start", speed(p.tokens_per_second.value_or(0.0))), 13);
    if (p.warm_tokens_per_second)
        page.line(fmt::format("  warm       {} tok/s   {}", speed(*p.warm_tokens_per_second),
                              beside(*p.warm_tokens_per_second, p.closed_tokens_per_second)),
                  13);
    add_drive(p.drive, page);
}

Json number(const std::optional<double>& value) { return value && std::isfinite(*value) ? Json(*value) : Json(); }

Json drive_json(const DriveFigures& d) {
    return {{"read_bytes", d.bytes},
            {"utilisation", d.utilisation},
            {"mean_queue_depth", d.queue_depth},
            {"mean_in_flight", d.in_flight}};
}

Json windows_json(const DecodeSimulation& d) {
    Json windows = Json::array();
    for (const SpeedWindow& w : d.windows) {
        windows.push_back({{"first_token", w.first_token},
                           {"tokens", w.tokens},
                           {"start_seconds", w.start},
                           {"tokens_per_second", w.tokens_per_second},
                           {"hit_rate", w.hit_rate}});
    }
    return windows;
}

Json decode_json(const Simulation& s) {
    const DecodeSimulation& d = s.decode;
    const bool any = d.steps > 0;
    const auto known = [any](double value) { return any ? Json(value) : Json(); };
    return {{"tokens", d.tokens},
            {"warm_after_tokens", d.warm_after},
            {"steps_counted", d.steps},
            {"seconds_counted", d.seconds},
            {"tokens_per_second", known(d.tokens_per_second)},
            {"closed_form",
             {{"routing", s.closed_locality},
              {"tokens_per_second", number(d.closed_tokens_per_second)},
              {"hit_rate", d.closed_miss_fraction ? Json(1.0 - *d.closed_miss_fraction) : Json()},
              {"deviation_percent", any && deviation(d.tokens_per_second, d.closed_tokens_per_second)
                                        ? Json(100.0 * *deviation(d.tokens_per_second, d.closed_tokens_per_second))
                                        : Json()}}},
            {"token_seconds",
             {{"mean", known(d.mean)}, {"p50", known(d.p50)}, {"p90", known(d.p90)}, {"p99", known(d.p99)}}},
            {"lookups", d.lookups},
            {"hits", d.hits},
            {"hit_rate", known(1.0 - d.miss_fraction())},
            {"missed_bytes", d.missed_bytes},
            {"drive", drive_json(d.drive)},
            {"step_seconds",
             {{"computing", known(d.split.resident)},
              {"router_sync", known(d.split.sync)},
              {"waiting_for_storage", known(d.split.waiting)},
              {"insertion", known(d.split.insertion)},
              {"hidden_by_overlap", known(-d.split.hidden)}}},
            {"windows", windows_json(d)}};
}

Json prefill_json(const PrefillSimulation& p) {
    const auto difference =
        p.warm_tokens_per_second ? deviation(*p.warm_tokens_per_second, p.closed_tokens_per_second) : std::nullopt;
    return {{"prompts", p.prompts},
            {"chunks", p.chunks},
            {"tokens", p.tokens},
            {"seconds", number(p.seconds)},
            {"tokens_per_second", number(p.tokens_per_second)},
            {"warm_tokens", p.warm_tokens},
            {"warm_tokens_per_second", number(p.warm_tokens_per_second)},
            {"closed_form",
             {{"routing", "uniform"},
              {"tokens_per_second", number(p.closed_tokens_per_second)},
              {"deviation_percent", difference ? Json(100.0 * *difference) : Json()}}},
            {"lookups", p.lookups},
            {"hits", p.hits},
            {"missed_bytes", p.missed_bytes},
            {"drive", drive_json(p.drive)}};
}

} // namespace

std::optional<double> deviation(double simulated, const std::optional<double>& closed) {
    if (!closed || *closed <= 0.0) return std::nullopt;
    return simulated / *closed - 1.0;
}

std::string simulation_text(const SimulationAnswer& answer, bool color, int width) {
    Page page(width, color);
    add_head(answer, page);
    if (answer.simulation.prefill) add_prefill(*answer.simulation.prefill, page);
    add_decode(answer.simulation, page);
    return page.text();
}

Json simulation_json(const SimulationAnswer& answer) {
    const Simulation& s = answer.simulation;
    const LoadedCase& l = answer.loaded;
    Json json = {{"format", 1},
                 {"kind", "simulation"},
                 {"version", answer.version},
                 {"data_digest", l.data_digest},
                 {"synthetic", s.info.synthetic}};
    json["case"] = {
        {"model", l.model_id}, {"machine", l.machine_id}, {"quant", l.quantization_id}, {"scenario", l.scenario_id}};
    json["routing"] = {{"name", s.info.name}, {"format", s.info.format}, {"malformed_lines", s.malformed.count}};
    json["cache"] = {{"policy", policy_of(s)},
                     {"scope", scope_of(s)},
                     {"layers", s.layers},
                     {"least_slots_per_layer", s.least_slots},
                     {"most_slots_per_layer", s.most_slots},
                     {"placed_slots_first_layer", s.placed_slots},
                     {"residency", s.residency},
                     {"page_cache_simulated", !s.page_cache_left_out}};
    json["seed"] = s.options.seed;
    json["positions"] = s.positions;
    json["accepted"] = s.accepted;
    json["prefill"] = s.prefill ? prefill_json(*s.prefill) : Json();
    json["decode"] = decode_json(s);
    return json;
}

std::string simulation_csv(const SimulationAnswer& answer) {
    const Simulation& s = answer.simulation;
    std::string csv = "routing,first_token,tokens,start_seconds,tokens_per_second,hit_rate,closed_tokens_per_second\n";
    const auto& closed = s.decode.closed_tokens_per_second;
    for (const SpeedWindow& w : s.decode.windows) {
        csv += fmt::format("{},{},{},{},{},{},{}\n", s.info.synthetic ? "synthetic" : "trace", w.first_token, w.tokens,
                           w.start, w.tokens_per_second, w.hit_rate, closed ? fmt::format("{}", *closed) : "");
    }
    return csv;
}

} // namespace spillway
