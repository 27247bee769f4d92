// The arithmetic of an estimate, line by line with the numbers filled in (--explain). Terms print the operands that the
// engine computed them from, at full precision, so that anybody can recompute each line from its own text.
#pragma once

#include "report/report.h"

#include <optional>
#include <string>
#include <vector>

namespace spillway {

// name = expression = value unit. The expression holds numbers with units, "x" for times, + - / ( ) and min() max(); an
// unknown operand is the word "unknown", and the value then is empty. `paths` name the inputs behind it.
struct ExplainLine {
    std::string name;
    std::string expression;
    std::optional<double> value;
    std::string unit;
    std::vector<std::string> paths;
};

// From the memory budget to the speeds; terms of zero are not there.
std::vector<ExplainLine> explain_lines(const Report& report);

// The inputs behind the lines, each once, in the order of first use.
std::vector<std::string> explained_paths(const std::vector<ExplainLine>& lines);

// The lines as text, wrapped to `width` columns:
//
//     decode/read_experts[unified]                                    6.33 ms
//       = 4512153600 B / (819000000000 B/s x 0.87)
//       = 0.006332581... s
//       from machine.memory.unified.bandwidth (rated), ...
//
// then each input with its value, basis and source. An expression that is too long goes on below, indented by 8.
std::string explain_text(const Report& report, int width);

} // namespace spillway
