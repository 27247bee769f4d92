// How an input struct describes itself once: a function fields(visit, object) that names every member with its
// range and a line of documentation. Reading, writing, --set, sweep axes, schemas and the docs all walk that list,
// so a parameter is added in one line.
#pragma once

#include <limits>
#include <string_view>

namespace spillway {

// Whether a file must name a field. A required field of type std::optional may be null, which says "unknown"; it
// may not be left out, so that a gap is always somebody's decision. An optional field that is left out keeps the
// struct's initial value, which means "there is none" (no window, no drafter, no forced value), never a guess.
enum class Presence { required, optional };

// What an empty value says, where that is not what its presence says.
enum class Empty { by_presence, unknown, none };

// What is said about one field. `minimum` and `maximum` are inclusive and in base units (bytes, seconds, ratio,
// count). They apply to numbers only, as do the words after them.
struct FieldInfo {
    std::string_view doc;
    Presence presence = Presence::required;
    double minimum = 0.0;
    double maximum = std::numeric_limits<double>::max();
    bool whole = false; // a double that only makes sense whole: it is one because formulas multiply it
    bool share = false; // a double from 0 to at most 1 that may be written as "91 %"
    Empty empty = Empty::by_presence;

    constexpr bool empty_is_unknown() const {
        return empty == Empty::unknown || (empty == Empty::by_presence && presence == Presence::required);
    }
};

inline constexpr FieldInfo optional_field(std::string_view doc, double minimum = 0.0,
                                          double maximum = std::numeric_limits<double>::max()) {
    return FieldInfo{doc, Presence::optional, minimum, maximum};
}

inline constexpr FieldInfo as_whole(FieldInfo info) {
    info.whole = true;
    return info;
}

inline constexpr FieldInfo as_share(FieldInfo info) {
    info.share = true;
    return info;
}

inline constexpr FieldInfo with_empty(Empty empty, FieldInfo info) {
    info.empty = empty;
    return info;
}

// The text names of an enumeration's values, in the order of the values, which start at 0 and have no gaps.
// Specialised next to each enum that appears in a file.
template <class Enum>
struct EnumNames;

} // namespace spillway
