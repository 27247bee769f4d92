#include "simulate/read_trace.h"

#include "simulate/readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace spillway {

void refuse_malformed(const RouteSource& source) {
    const Malformed& malformed = source.malformed();
    if (malformed.count == 0) return;
    Problems problems = malformed.first;
    if (malformed.count > problems.size()) {
        problems.push_back({source.info().name, "", "", "",
                            fmt::format("{} more malformed lines", malformed.count - problems.size())});
    }
    throw InputError(std::move(problems));
}

Problem line_problem(const TextReader& text, std::string_view found, std::string expected, std::string_view message) {
    constexpr std::size_t most = 60;
    std::string shown(found.substr(0, most));
    if (found.size() > most) shown += "...";
    return {text.shown(), fmt::format("line {}", text.line_number()), std::move(shown), std::move(expected),
            std::string(message)};
}

std::string_view trimmed(std::string_view text) {
    const std::size_t from = text.find_first_not_of(" \t\r");
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

bool parse_count(std::string_view text, std::uint64_t& value) {
    text = trimmed(text);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool add_distinct(std::vector<std::uint32_t>& experts, std::uint32_t expert) {
    if (std::find(experts.begin(), experts.end(), expert) != experts.end()) return false;
    experts.push_back(expert);
    return true;
}

std::optional<TraceFormat> recognised_format(std::string_view beginning) {
    if (beginning.starts_with("\xef\xbb\xbf")) beginning.remove_prefix(3);
    const std::size_t at = beginning.find_first_not_of(" \t\r\n");
    if (at == std::string_view::npos) return std::nullopt;
    beginning.remove_prefix(at);
    const std::string_view first = beginning.substr(0, beginning.find('\n'));
    if (first.starts_with("# route_trace") || first.starts_with("turn,")) return TraceFormat::route_trace;
    if (first.starts_with("residency,")) return TraceFormat::counters;
    if (first.starts_with("[")) return TraceFormat::json;
    if (first.starts_with("{")) return TraceFormat::jsonl;
    const bool digit = first.front() >= '0' && first.front() <= '9';
    if (first.starts_with("layer,") || digit || first.starts_with("#")) return TraceFormat::csv;
    return std::nullopt;
}

namespace {

TraceFormat format_of(TextReader& text, const TraceRequest& request) {
    if (request.format != TraceFormat::automatic) return request.format;
    const std::string_view beginning = text.peek(kPeekBytes);
    if (const auto format = recognised_format(beginning)) return *format;
    const std::string_view first = beginning.substr(0, beginning.find('\n'));
    throw InputError({{text.shown(), "", std::string(first.substr(0, 60)),
                       "route_trace v1, rows layer,expert, JSON lines, JSON arrays, or counters residency,hits,misses",
                       trimmed(beginning).empty() ? "is empty" : "is not a trace in a format that is known here"}});
}

} // namespace

bool holds_counters(const TraceRequest& request) {
    if (request.path == "-") return request.format == TraceFormat::counters;
    TextReader text(request.path);
    return format_of(text, request) == TraceFormat::counters;
}

std::unique_ptr<RouteSource> open_trace(const TraceRequest& request) {
    auto text = std::make_unique<TextReader>(request.path);
    switch (format_of(*text, request)) {
    case TraceFormat::route_trace: return read_route_trace(std::move(text), request);
    case TraceFormat::jsonl: return read_jsonl(std::move(text), request);
    case TraceFormat::json: return read_json_arrays(std::move(text), request);
    case TraceFormat::csv: return read_plain_csv(std::move(text), request);
    case TraceFormat::counters:
    case TraceFormat::automatic: break;
    }
    throw InputError(
        {{text->shown(), "", "rows residency,hits,misses", "a trace", "holds counters: only trace fit reads them"}});
}

} // namespace spillway
