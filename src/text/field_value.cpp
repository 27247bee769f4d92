#include "text/field_value.h"

#include "text/near.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace spillway {

namespace {

std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 60;
    if (text.size() <= longest) return '"' + std::string(text) + '"';
    return '"' + std::string(text.substr(0, longest)) + "...\"";
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

bool has_upper_bound(const FieldInfo& info) { return info.maximum < std::numeric_limits<double>::max(); }

// "between 0 and 1", "1 or more"; for what is expected "from 0 to 1".
std::string range_text(const FieldKind& kind, std::string_view before, std::string_view middle) {
    const std::string low = print_value(kind.info.minimum, kind.unit);
    if (!has_upper_bound(kind.info)) return low + " or more";
    return std::string(before) + low + std::string(middle) + print_value(kind.info.maximum, kind.unit);
}

std::optional<Dimension> dimension_of(Unit unit) {
    switch (unit) {
    case Unit::bytes: return Dimension::bytes;
    case Unit::seconds: return Dimension::seconds;
    case Unit::bytes_per_second: return Dimension::bytes_per_second;
    case Unit::flops_per_second: return Dimension::flops_per_second;
    case Unit::tokens_per_second: return Dimension::tokens_per_second;
    default: return std::nullopt;
    }
}

std::optional<double> plain_number(std::string_view text) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// One item of a layer list: "6" or "0-2".
struct LayerRange {
    int first = 0, last = 0;
};
std::optional<LayerRange> layer_range(std::string_view item) {
    LayerRange range;
    const char* const end = item.data() + item.size();
    auto [after, error] = std::from_chars(item.data(), end, range.first);
    if (error != std::errc() || range.first < 0) return std::nullopt;
    range.last = range.first;
    if (after == end) return range;
    if (*after != '-') return std::nullopt;
    const auto [stop, error_last] = std::from_chars(after + 1, end, range.last);
    if (error_last != std::errc() || stop != end || range.last < range.first) return std::nullopt;
    return range;
}

} // namespace

std::string print_value(double value, Unit unit) {
    if (const auto dimension = dimension_of(unit)) return print_exact(value, *dimension);
    std::array<char, 40> buffer{};
    constexpr double largest_exact = 9007199254740992.0; // 2^53
    const bool whole = value == std::floor(value) && std::abs(value) < largest_exact;
    const auto format = whole ? std::chars_format::fixed : std::chars_format::general;
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format);
    return std::string(buffer.data(), result.ptr);
}

std::string expected_text(const FieldKind& kind) {
    switch (kind.unit) {
    case Unit::bytes: return "a size with a unit, such as \"240 GiB\"";
    case Unit::seconds: return "a time with a unit, such as \"35 ms\"";
    case Unit::bytes_per_second: return "a rate with a unit, such as \"6 GB/s\"";
    case Unit::flops_per_second: return "a rate with a unit, such as \"30 TFLOP/s\"";
    case Unit::tokens_per_second: return "a speed with a unit, such as \"41.3 tok/s\"";
    case Unit::count: return "a whole number " + range_text(kind, "from ", " to ");
    case Unit::boolean: return "true or false";
    case Unit::enumeration: return "a name";
    case Unit::text: return kind.layers ? "layer numbers as text, such as \"0-2, 6\"" : "text";
    case Unit::ratio_or_number: break;
    }
    if (kind.info.share) return "a share " + range_text(kind, "from ", " to ") + ", or text such as \"91 %\"";
    return "a number " + range_text(kind, "from ", " to ");
}

std::string expected_names(const std::string_view* names, std::size_t count) {
    return "one of " + name_list(std::vector<std::string>(names, names + count), 32);
}

std::optional<ValueProblem> check_number(double value, const FieldKind& kind) {
    const auto problem = [&](std::string message) {
        return ValueProblem{print_value(value, kind.unit), expected_text(kind), std::move(message)};
    };
    if (!std::isfinite(value))
        return ValueProblem{"an infinite or undefined number", expected_text(kind), "must be finite"};
    if (kind.unit == Unit::count && value != std::floor(value)) return problem("must be a whole number");
    if (value < kind.info.minimum || value > kind.info.maximum)
        return problem("must be " + range_text(kind, "between ", " and "));
    return std::nullopt;
}

CheckedNumber read_number(std::string_view text, const FieldKind& kind) {
    ParsedNumber parsed;
    if (const auto dimension = dimension_of(kind.unit)) {
        parsed = parse_quantity(text, *dimension);
    } else if (kind.info.share) {
        parsed = parse_ratio(text);
    } else {
        parsed.value = plain_number(trimmed(text));
        if (!parsed.value) parsed.problem = kind.unit == Unit::count ? "is not a whole number" : "is not a number";
    }
    if (!parsed.value) return {0.0, ValueProblem{quoted(text), expected_text(kind), parsed.problem}};
    return {*parsed.value, check_number(*parsed.value, kind)};
}

std::optional<ValueProblem> read_layers(std::string_view text, LayerSet& layers) {
    const auto problem = [&](std::string message) {
        return ValueProblem{quoted(text), "layer numbers as text, such as \"0-2, 6\"", std::move(message)};
    };
    LayerSet read;
    for (std::string_view rest = text;;) {
        const std::size_t comma = rest.find(',');
        const std::optional<LayerRange> range = layer_range(trimmed(rest.substr(0, comma)));
        if (!range) return problem("is not a list of layer numbers");
        if (range->last >= kMaxLayers) return problem("layer numbers must be below " + std::to_string(kMaxLayers));
        if (!read.numbers.empty() && range->first <= read.numbers.back()) {
            return problem("layers must be ascending, each named once");
        }
        for (int layer = range->first; layer <= range->last; ++layer) read.numbers.push_back(layer);
        if (comma == std::string_view::npos) break;
        rest.remove_prefix(comma + 1);
    }
    layers = std::move(read);
    return std::nullopt;
}

std::string print_layers(const LayerSet& layers) {
    std::string text;
    const std::vector<int>& numbers = layers.numbers;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t end = i;
        while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
        if (!text.empty()) text += ", ";
        text += std::to_string(numbers[i]);
        if (end > i) text += '-' + std::to_string(numbers[end]);
        i = end + 1;
    }
    return text;
}

std::optional<ValueProblem> read_name(std::string_view text, const std::string_view* names, std::size_t count,
                                      std::size_t& index) {
    const std::string_view* const end = names + count;
    const std::string_view* const match = std::find(names, end, text);
    if (match != end) {
        index = static_cast<std::size_t>(match - names);
        return std::nullopt;
    }
    const std::string hint = did_you_mean(text, std::vector<std::string>(names, end));
    return ValueProblem{quoted(text), expected_names(names, count),
                        hint.empty() ? "is not a known name" : "is not a known name; " + hint};
}

} // namespace spillway
