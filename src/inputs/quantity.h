// Physical quantities whose dimension the compiler checks: bytes, seconds, floating-point operations and what
// products and quotients of them give. The value is always in base units (B, s, FLOP); text with units lives in
// units.h and nowhere else. Ratios and counts are plain double.
#pragma once

#include <compare>

namespace spillway {

// A quantity of dimension byte^B * second^S * flop^F. `value` is in base units; no range is enforced here: values
// are checked once, where text becomes a Case (io/).
template <int B, int S, int F>
struct Quantity {
    double value = 0.0;

    constexpr Quantity() = default;
    constexpr explicit Quantity(double base_units) : value(base_units) {}

    constexpr Quantity& operator+=(Quantity other) {
        value += other.value;
        return *this;
    }
    constexpr Quantity& operator-=(Quantity other) {
        value -= other.value;
        return *this;
    }
    friend constexpr auto operator<=>(const Quantity&, const Quantity&) = default;
};

namespace detail {
// A dimensionless result is a plain double, so that ratios need no unwrapping.
template <int B, int S, int F>
constexpr auto make(double value) {
    if constexpr (B == 0 && S == 0 && F == 0) {
        return value;
    } else {
        return Quantity<B, S, F>(value);
    }
}
} // namespace detail

template <int B, int S, int F>
constexpr Quantity<B, S, F> operator+(Quantity<B, S, F> a, Quantity<B, S, F> b) {
    return Quantity<B, S, F>(a.value + b.value);
}
template <int B, int S, int F>
constexpr Quantity<B, S, F> operator-(Quantity<B, S, F> a, Quantity<B, S, F> b) {
    return Quantity<B, S, F>(a.value - b.value);
}
template <int B, int S, int F>
constexpr Quantity<B, S, F> operator*(Quantity<B, S, F> a, double factor) {
    return Quantity<B, S, F>(a.value * factor);
}
template <int B, int S, int F>
constexpr Quantity<B, S, F> operator*(double factor, Quantity<B, S, F> a) {
    return Quantity<B, S, F>(factor * a.value);
}
template <int B, int S, int F>
constexpr Quantity<B, S, F> operator/(Quantity<B, S, F> a, double divisor) {
    return Quantity<B, S, F>(a.value / divisor);
}
template <int B1, int S1, int F1, int B2, int S2, int F2>
constexpr auto operator*(Quantity<B1, S1, F1> a, Quantity<B2, S2, F2> b) {
    return detail::make<B1 + B2, S1 + S2, F1 + F2>(a.value * b.value);
}
template <int B1, int S1, int F1, int B2, int S2, int F2>
constexpr auto operator/(Quantity<B1, S1, F1> a, Quantity<B2, S2, F2> b) {
    return detail::make<B1 - B2, S1 - S2, F1 - F2>(a.value / b.value);
}

using Bytes = Quantity<1, 0, 0>;
using Seconds = Quantity<0, 1, 0>;
using BytesPerSecond = Quantity<1, -1, 0>;
using Flops = Quantity<0, 0, 1>;
using FlopsPerSecond = Quantity<0, -1, 1>;
using PerSecond = Quantity<0, -1, 0>;

inline constexpr double kKiB = 1024.0;
inline constexpr double kMiB = 1024.0 * kKiB;
inline constexpr double kGiB = 1024.0 * kMiB;
inline constexpr double kTiB = 1024.0 * kGiB;

// Literals for tests and constants: 240.0_GiB, 6.0_GB_s, 35.0_ms. GB is 10^9 bytes, GiB is 2^30 bytes.
namespace literals {
constexpr Bytes operator""_B(long double v) { return Bytes(static_cast<double>(v)); }
constexpr Bytes operator""_MB(long double v) { return Bytes(static_cast<double>(v) * 1e6); }
constexpr Bytes operator""_GB(long double v) { return Bytes(static_cast<double>(v) * 1e9); }
constexpr Bytes operator""_KiB(long double v) { return Bytes(static_cast<double>(v) * kKiB); }
constexpr Bytes operator""_MiB(long double v) { return Bytes(static_cast<double>(v) * kMiB); }
constexpr Bytes operator""_GiB(long double v) { return Bytes(static_cast<double>(v) * kGiB); }
constexpr BytesPerSecond operator""_GB_s(long double v) { return BytesPerSecond(static_cast<double>(v) * 1e9); }
constexpr FlopsPerSecond operator""_TFLOP_s(long double v) { return FlopsPerSecond(static_cast<double>(v) * 1e12); }
constexpr Seconds operator""_s(long double v) { return Seconds(static_cast<double>(v)); }
constexpr Seconds operator""_ms(long double v) { return Seconds(static_cast<double>(v) / 1e3); }
constexpr Seconds operator""_us(long double v) { return Seconds(static_cast<double>(v) / 1e6); }
} // namespace literals

} // namespace spillway
