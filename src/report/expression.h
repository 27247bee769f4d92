// Pieces of --explain lines: numbers at full precision, sums, and the lines of decode and prefill.
#pragma once

#include "report/explain.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// The shortest text that reads back as the same double, and its unit; "unknown" if empty.
std::string number(std::optional<double> value, std::string_view unit = "");

// "a + b + c"; "0" of nothing.
std::string sum_of(const std::vector<std::string>& summands);

// A term's operands as its form combines them.
std::string expression_of(const Term& term);

void add_decode_lines(const Report& report, std::vector<ExplainLine>& lines);
void add_prefill_lines(const Report& report, std::vector<ExplainLine>& lines);

} // namespace spillway
