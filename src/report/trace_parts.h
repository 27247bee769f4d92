// What the documents of `trace` share: their head, and lines about what the trace did not say.
#pragma once

#include "report/trace.h"

#include <optional>
#include <string>

namespace spillway {

// A document with its first section: synthetic routing and the model are told there.
Document trace_head(std::string kind, const TraceInfo& info, const std::string& version);

// "3 layers".
std::string layers_text(std::size_t count);
// "74.4 %", "-" if unknown.
std::string share_text(const std::optional<double>& value);

// That the number of experts is read off the routes, where nobody stated it.
void add_experts_line(std::uint32_t experts, bool stated, DocumentSection& section);

// A chart of misses over residency, and a line in it with its legend.
LineChart miss_chart(std::string id, std::string title);
void add_line(ChartLine line, Curve& curve);

// Lines that were left out, if any, as a section of their own.
void add_malformed(const Malformed& malformed, Document& document);

} // namespace spillway
