// The readers behind open_trace(), one per family of formats, and what they share.
#pragma once

#include "simulate/read_trace.h"
#include "simulate/text_reader.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

inline constexpr std::size_t kPeekBytes = 512;

std::unique_ptr<RouteSource> read_route_trace(std::unique_ptr<TextReader> text, const TraceRequest& request);
std::unique_ptr<RouteSource> read_plain_csv(std::unique_ptr<TextReader> text, const TraceRequest& request);
std::unique_ptr<RouteSource> read_jsonl(std::unique_ptr<TextReader> text, const TraceRequest& request);
std::unique_ptr<RouteSource> read_json_arrays(std::unique_ptr<TextReader> text, const TraceRequest& request);

// A problem in a line: "line 12: ...".
Problem line_problem(const TextReader& text, std::string_view found, std::string expected, std::string_view message);

// Whole text as a number without sign; false if it is not one or does not fit. Blanks around it are allowed.
bool parse_count(std::string_view text, std::uint64_t& value);
std::string_view trimmed(std::string_view text);

// Adds an expert to those of a route unless it is there; false if it is. Routes are short, so a search is fast.
bool add_distinct(std::vector<std::uint32_t>& experts, std::uint32_t expert);

} // namespace spillway
