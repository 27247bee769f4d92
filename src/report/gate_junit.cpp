// The JUnit file of a gate. Written by hand: seven elements do not need a library, only care with what XML forbids.
#include "report/gate.h"

#include <fmt/format.h>

#include <cstdint>

namespace spillway {

namespace {

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 1; // 0: not UTF-8
};

Character character_at(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    const std::uint32_t lead = byte(at);
    if (lead < 0x80) return {lead, 1};
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || at + length > text.size()) return {0, 0};
    std::uint32_t code = lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0U) != 0x80U) return {0, 0};
        code = (code << 6U) | (byte(at + i) & 0x3FU);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    return overlong ? Character{0, 0} : Character{code, length};
}

// The characters of XML 1.0; tab and line breaks are written as references, so that attributes keep them.
bool allowed(std::uint32_t code) {
    if (code < 0x20) return false;
    return code <= 0xD7FF || (code >= 0xE000 && code <= 0xFFFD) || (code >= 0x10000 && code <= 0x10FFFF);
}

std::string xml(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const Character c = character_at(text, at);
        switch (c.bytes == 1 ? text[at] : '\0') {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&apos;"; break;
        case '\t': out += "&#9;"; break;
        case '\n': out += "&#10;"; break;
        case '\r': out += "&#13;"; break;
        default:
            if (c.bytes > 0 && allowed(c.code))
                out += text.substr(at, c.bytes);
            else
                out += '?';
        }
        at += c.bytes > 0 ? c.bytes : 1;
    }
    return out;
}

// What a reader of the failure needs, a line each.
std::string details(const GateRow& row) {
    std::vector<std::string> lines = reason_texts(row);
    for (const auto& unknown : unknown_texts(row)) lines.push_back(unknown.second);
    const std::string change = change_text(row);
    if (!change.empty()) lines.push_back("cheapest change: " + change);
    if (!holds_after_changes(row).value_or(true)) lines.emplace_back("even so the case would not hold");
    std::string text;
    for (const std::string& line : lines) text += xml(line) + "\n";
    return text;
}

} // namespace

std::string gate_junit(const GateReport& report) {
    const GateCounts counts = report.counts();
    const bool skips = report.passed(); // rejected entries do not fail a gate that passed
    const std::string totals =
        fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"0\"", report.rows.size(),
                    skips ? 0 : counts.rejected, skips ? counts.rejected : 0);
    const std::string suite = report.name.empty() ? "spillway gate" : "spillway gate: " + report.name;
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    text += fmt::format("<testsuites name=\"spillway\" {}>\n", totals);
    text += fmt::format("  <testsuite name=\"{}\" {}>\n", xml(suite), totals);
    for (const GateRow& row : report.rows) {
        const std::string opening = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"0\"",
                                                xml("spillway.gate." + row.loaded.machine_id), xml(entry_label(row)));
        if (row.result.accepted) {
            text += opening + "/>\n";
            continue;
        }
        const std::string message = fmt::format("{}", fmt::join(reason_texts(row), "; "));
        if (skips)
            text += fmt::format("{}>\n      <skipped message=\"{}\"/>\n    </testcase>\n", opening,
                                xml("rejected, but one accepted entry is enough: " + message));
        else
            text += fmt::format("{}>\n      <failure type=\"rejected\" message=\"{}\">{}</failure>\n    </testcase>\n",
                                opening, xml(message), details(row));
    }
    return text + "  </testsuite>\n</testsuites>\n";
}

} // namespace spillway
