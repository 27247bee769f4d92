// An engine's own counters of hits and misses at some residencies.
#include "simulate/fit.h"

#include "simulate/readers.h"

#include <charconv>

namespace spillway {

namespace {

bool parse_share(std::string_view text, double& share) {
    text = trimmed(text);
    const bool per_cent = text.ends_with('%');
    if (per_cent) text = trimmed(text.substr(0, text.size() - 1));
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return false;
    if (per_cent) share /= 100.0;
    return share > 0.0 && share <= 1.0;
}

} // namespace

Counters read_counters(const std::string& path) {
    TextReader text(path);
    Counters counters;
    counters.name = text.shown();
    std::vector<MissPoint> points;
    std::vector<double> weights;
    std::string_view line;
    while (text.line(line)) {
        if (trimmed(line).empty() || line.front() == '#' || line.starts_with("residency")) continue;
        const std::size_t first = line.find(','), second = line.find(',', first + 1);
        double residency = 0.0;
        std::uint64_t hits = 0, misses = 0;
        const bool whole = first != std::string_view::npos && second != std::string_view::npos &&
                           parse_share(line.substr(0, first), residency) &&
                           parse_count(line.substr(first + 1, second - first - 1), hits) &&
                           parse_count(line.substr(second + 1), misses) && hits + misses > 0;
        if (!whole) {
            counters.malformed.add(line_problem(
                text, line, "residency,hits,misses: a share above 0 up to 1, two counts", "not a row of counters"));
            continue;
        }
        const auto lookups = static_cast<double>(hits) + static_cast<double>(misses);
        points.push_back({residency, static_cast<double>(misses) / lookups});
        weights.push_back(lookups);
        counters.lookups += hits + misses;
    }
    if (points.empty()) {
        Problems problems = counters.malformed.first;
        problems.push_back({text.shown(), "", "", "rows residency,hits,misses", "has no usable row"});
        throw InputError(std::move(problems));
    }
    counters.measured = levelled_points(points, weights);
    counters.measured.warm = false; // nobody said what the engine's cache held before
    return counters;
}

} // namespace spillway
