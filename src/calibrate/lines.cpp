#include "calibrate/lines.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace spillway {

namespace {

// Bytes of weights that a step reads from the first pool; empty where it waits for anything else than that pool.
std::optional<double> weight_bytes(const Case& c) {
    const Estimate e = evaluate(c);
    double bytes = 0.0;
    for (const Term& term : e.decode.terms) {
        if (term.pool != 0 || term.id == TermId::forced_pass || term.id == TermId::read_drafter) return std::nullopt;
        if (term.id == TermId::read_fixed || term.id == TermId::read_experts) bytes += term.a;
    }
    return bytes > 0.0 ? std::optional(bytes) : std::nullopt;
}

struct Points {
    std::vector<std::size_t> rows;
    std::vector<double> bytes, seconds;
};

std::size_t distinct_sizes(std::vector<double> bytes) {
    std::sort(bytes.begin(), bytes.end());
    std::size_t sizes = bytes.empty() ? 0 : 1;
    for (std::size_t i = 1; i < bytes.size(); ++i) sizes += bytes[i] > 1.002 * bytes[i - 1] ? 1 : 0;
    return sizes;
}

double mean(const std::vector<double>& values) {
    double sum = 0.0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

// Ordinary least squares of the seconds on the bytes.
void lay(const Points& p, Line& line) {
    const double n = static_cast<double>(p.rows.size());
    const double x = mean(p.bytes), y = mean(p.seconds);
    double xx = 0.0, xy = 0.0, rest = 0.0;
    for (std::size_t i = 0; i < p.rows.size(); ++i) {
        xx += (p.bytes[i] - x) * (p.bytes[i] - x);
        xy += (p.bytes[i] - x) * (p.seconds[i] - y);
    }
    const double slope = xy / xx;
    line.rate = 1.0 / slope;
    line.constant = y - slope * x;
    line.degrees_of_freedom = static_cast<int>(p.rows.size()) - 2;
    line.correlation = -x / std::sqrt(x * x + xx / n);
    for (std::size_t i = 0; i < p.rows.size(); ++i)
        rest += std::pow(p.seconds[i] - line.constant - slope * p.bytes[i], 2);
    if (line.degrees_of_freedom < 1) return;
    const double variance = rest / line.degrees_of_freedom;
    line.rate_error = std::sqrt(variance / xx) / (slope * slope);
    line.constant_error = std::sqrt(variance * (1.0 / n + x * x / xx));
}

LineState judge(const Line& line) {
    if (line.rate <= 0.0) return LineState::negative_rate;
    if (line.rated && line.rate > *line.rated) return LineState::above_rating;
    if (line.constant < -2.0 * line.constant_error.value_or(0.0)) return LineState::negative_constant;
    return LineState::good;
}

using Key = std::tuple<std::string, std::string, std::string, std::string, double, double>;

Key key_of(const Observation& row) {
    return {row.label(Label::machine), row.label(Label::model),  row.label(Label::engine),
            row.label(Label::group),   row.value.scenario.depth, row.value.scenario.sequences};
}

} // namespace

std::vector<Line> lines(const std::vector<Observation>& rows) {
    std::map<Key, Points> groups;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Scenario& s = rows[i].value.scenario;
        if (rows[i].measurand != Measurand::decode || s.positions != 1.0 || s.accepted != 1.0) continue;
        const auto bytes = weight_bytes(rows[i].value);
        if (!bytes) continue;
        Points& points = groups[key_of(rows[i])];
        points.rows.push_back(i);
        points.bytes.push_back(*bytes);
        points.seconds.push_back(1.0 / rows[i].measured);
    }
    std::vector<Line> found;
    for (auto& [key, points] : groups) {
        if (distinct_sizes(points.bytes) < kLineSizes) continue;
        Line line;
        std::tie(line.machine, line.model, line.engine, line.group, line.depth, std::ignore) = key;
        lay(points, line);
        const auto& bandwidth = rows[points.rows.front()].value.machine.memory.front().bandwidth;
        if (bandwidth) line.rated = bandwidth->value;
        line.state = judge(line);
        line.rows = std::move(points.rows);
        found.push_back(std::move(line));
    }
    return found;
}

std::vector<std::size_t> refused(const std::vector<Line>& lines) {
    std::vector<std::size_t> rows;
    for (const Line& line : lines) {
        if (line.state == LineState::negative_rate) rows.insert(rows.end(), line.rows.begin(), line.rows.end());
    }
    return rows;
}

} // namespace spillway
