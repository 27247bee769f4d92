// The arithmetic of an estimate, line by line with the numbers filled in (--explain). Terms print the operands that the
// engine computed them from, at full precision, so that anybody can recompute each line from its own text.
#pragma once

#include "report/report.h"

#include <optional>
#include <string>
#include <vector>

namespace spillway {

// name = expression = value unit. The expression holds numbers with units, "x" for times, + - / ( ) and min() max(); an
// unknown operand is the word "unknown", and the value then is empty.
struct ExplainLine {
    std::string name;
    std::string expression;
    std::optional<double> value;
    std::string unit;
    bool combines = false;               // adds up or divides what other lines say
    std::vector<std::string> paths = {}; // every input whose change moves the line, the strongest first
};

// From the memory budget to the speeds; terms of zero are not there. The inputs behind each line are found by trying
// (explain_inputs.h), so that none can be left out; the shapes of the model are one input, "model".
std::vector<ExplainLine> explain_lines(const Report& report);

// The same without the inputs.
std::vector<ExplainLine> arithmetic_lines(const Report& report);

// The inputs behind the lines, each once, in the order of first use.
std::vector<std::string> explained_paths(const std::vector<ExplainLine>& lines);

// The lines as text, wrapped to `width` columns:
//
//     decode/read_experts[unified]                                    6.33 ms
//       = 4512153600 B / (819000000000 B/s x 0.87)
//       = 0.006332581... s
//       from machine.memory.unified.bandwidth (rated), ...
//
// where lines that combine others name only inputs that no line above has named; then each input with its value, basis
// and source. An expression that is too long goes on below, indented by 8.
std::string explain_text(const Report& report, int width);

} // namespace spillway
