#include "io/write_fields.h"

namespace spillway {

OrderedJson write_number(double value) {
    constexpr double largest_exact = 9007199254740992.0; // 2^53
    if (value == std::floor(value) && std::abs(value) < largest_exact) return static_cast<std::int64_t>(value);
    return value;
}

} // namespace spillway
