// The document of a simulation.
#include "report/figures.h"
#include "report/simulation.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway {

namespace {

std::string milliseconds(double seconds) { return significant(1e3 * seconds, 3) + " ms"; }

std::string slots_text(const Simulation& s) {
    return s.least_slots == s.most_slots ? fmt::format("{}", s.least_slots)
                                         : fmt::format("{} to {}", s.least_slots, s.most_slots);
}

std::string cache_text(const Simulation& s) {
    const std::string_view policy = EnumNames<EvictionPolicy>::names[static_cast<std::size_t>(s.options.policy)];
    const std::string_view scope = s.options.scope == CacheScope::global ? "one for all layers" : "one per layer";
    return fmt::format("cache: {}, {}, {} slots a layer in {} layers ({} of the experts)", policy, scope, slots_text(s),
                       s.layers, percent(s.residency));
}

// "closed form 18.2, deviation +0.40 %".
std::string beside(double simulated, const std::optional<double>& closed) {
    const auto difference = deviation(simulated, closed);
    if (!difference) return "closed form unknown";
    return fmt::format("closed form {}, deviation {:+.2f} %", speed(*closed), 100.0 * *difference);
}

void add_head(const SimulationAnswer& answer, Document& document) {
    const Simulation& s = answer.simulation;
    DocumentSection& head = document.add("");
    const auto add = [&](std::string text, Tone tone = Tone::plain) { head.line(std::move(text), tone); };
    add("scenario " + answer.loaded.scenario_id);
    if (s.info.synthetic) add("SYNTHETIC routing, not measured: good for what-ifs only", Tone::warning);
    add("routing: " + s.info.name);
    if (s.malformed.count > 0)
        add(fmt::format("{} malformed lines of the trace left out", s.malformed.count), Tone::warning);
    add(cache_text(s));
    if (s.positions > 1.0)
        add(fmt::format("a step is a block of {} positions, {} accepted", count(s.positions), count(s.accepted)));
    if (s.page_cache_left_out)
        add("the OS page cache is not simulated: every miss is read from the drive", Tone::warning);
    if (s.later_pools) add("experts in several memory pools are priced at the placement's shares", Tone::warning);
}

Fact drive_fact(const DriveFigures& drive) {
    return {"drive", fmt::format("{} read, busy {}, queue {} deep, {} in flight", gb(Bytes(drive.bytes)),
                                 percent(drive.utilisation), significant(drive.queue_depth, 3),
                                 significant(drive.in_flight, 3))};
}

Facts facts() { return {.rows = {}, .width = 11}; }

void add_prefill(const PrefillSimulation& p, Document& document) {
    DocumentSection& section = document.add(fmt::format("prefill, {} tokens in {} chunk{}, cache cold at the first",
                                                        p.tokens, p.chunks, p.chunks == 1 ? "" : "s"));
    if (!p.seconds) {
        section.line("time unknown: so is the time to compute a chunk", Tone::plain, 2);
        section.line(gb(Bytes(p.drive.bytes)) + " read", Tone::plain, 2);
        return;
    }
    Facts list = facts();
    list.rows.push_back(
        {"speed", fmt::format("{} tok/s with the cold start", speed(p.tokens_per_second.value_or(0.0)))});
    if (p.warm_tokens_per_second)
        list.rows.push_back({"warm", speed(*p.warm_tokens_per_second) + " tok/s",
                             beside(*p.warm_tokens_per_second, p.closed_tokens_per_second)});
    list.rows.push_back(drive_fact(p.drive));
    section.add(std::move(list));
}

// --- decode -----------------------------------------------------------------------------------------------------

void add_speed(const Simulation& s, DocumentSection& section) {
    const DecodeSimulation& d = s.decode;
    Facts list = facts();
    list.rows.push_back(
        {"speed", speed(d.tokens_per_second) + " tok/s", beside(d.tokens_per_second, d.closed_tokens_per_second)});
    list.rows.push_back({"token", fmt::format("mean {}, p50 {}, p90 {}, p99 {}", milliseconds(d.mean),
                                              milliseconds(d.p50), milliseconds(d.p90), milliseconds(d.p99))});
    const std::string closed = d.closed_miss_fraction ? percent(1.0 - *d.closed_miss_fraction) : "unknown";
    list.rows.push_back({"hit rate", fmt::format("{} of {} lookups", percent(1.0 - d.miss_fraction()), d.lookups),
                         "closed form " + closed});
    list.rows.push_back(drive_fact(d.drive));
    section.add(std::move(list));
    section.line(fmt::format("closed form: the same slots, {}", s.closed_locality), Tone::plain, 2, 13);
}

void add_times(const DecodeSimulation& d, Document& document) {
    Table table;
    table.columns = {{"part", "part", Show::text, 22},
                     {"time", "time", Show::figure, 12, 0},
                     {"share", "share", Show::figure, 8, 2}};
    table.heads = false;
    const auto add = [&](const char* name, double seconds) {
        if (seconds == 0.0) return;
        const double share = seconds * static_cast<double>(d.steps) / d.seconds;
        table.rows.push_back({name, milliseconds(seconds), fmt::format("{:.1f} %", 100.0 * share)});
    };
    add("computing", d.split.resident);
    add("router sync", d.split.sync);
    add("waiting for storage", d.split.waiting);
    add("insertion", d.split.insertion);
    add("hidden by overlap", -d.split.hidden);
    document.add(fmt::format("time of a step, mean {}", milliseconds(d.seconds / static_cast<double>(d.steps))))
        .add(std::move(table));
}

void add_windows(const DecodeSimulation& d, Document& document) {
    Table table;
    table.columns = {{"first_token", "first token", Show::figure, 10},
                     {"speed", "tok/s", Show::speed, 8, 1},
                     {"hit", "", Show::text, 3, 2, In::text},
                     {"hit_rate", "hit rate", Show::percent, 8, 1},
                     {"bar", "", Show::bar}};
    table.heads = false;
    double most = 0.0;
    for (const SpeedWindow& w : d.windows) most = std::max(most, w.tokens_per_second);
    for (const SpeedWindow& w : d.windows) {
        const double share = most > 0.0 ? w.tokens_per_second / most : 0.0;
        table.rows.push_back({w.first_token, w.tokens_per_second, "hit", w.hit_rate, share});
    }
    document.add("tok/s over time, from the first token on").add(std::move(table));
}

void add_decode(const Simulation& s, Document& document) {
    const DecodeSimulation& d = s.decode;
    if (d.steps == 0) {
        document.add("decode").line("no whole step after the warm-up", Tone::plain, 2);
        return;
    }
    add_speed(s, document.add(fmt::format("decode, {} tokens, counted from token {}", d.tokens, d.warm_after)));
    add_times(d, document);
    add_windows(d, document);
}

Table data_of(const Simulation& s) {
    Table table;
    table.short_numbers = true;
    for (const char* name : {"routing", "first_token", "tokens", "start_seconds", "tokens_per_second", "hit_rate",
                             "closed_tokens_per_second"})
        table.columns.push_back({name, name});
    for (const SpeedWindow& w : s.decode.windows) {
        table.rows.push_back({s.info.synthetic ? "synthetic" : "trace", w.first_token, w.tokens, w.start,
                              w.tokens_per_second, w.hit_rate, s.decode.closed_tokens_per_second});
    }
    return table;
}

} // namespace

Document simulation_document(const SimulationAnswer& answer) {
    const Case& c = answer.loaded.value;
    Document document{.kind = "simulation",
                      .title = fmt::format("{} ({}) on {}", c.model.name, c.quantization.name, c.machine.name),
                      .lead = "spillway simulation   ",
                      .hang = 22,
                      .sections = {},
                      .data = data_of(answer.simulation),
                      .version = answer.version,
                      .data_digest = answer.loaded.data_digest};
    add_head(answer, document);
    if (answer.simulation.prefill) add_prefill(*answer.simulation.prefill, document);
    add_decode(answer.simulation, document);
    return document;
}

} // namespace spillway
