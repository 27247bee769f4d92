// Text <-> quantity: which units are read, which texts are refused and with what advice, and that printing loses
// nothing where it must not. The tags C01 to C09 are rows of docs/faults.md.
#include "text/units.h"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

using namespace spillway;
using namespace spillway::literals;

namespace {

constexpr Dimension kAllDimensions[] = {Dimension::bytes, Dimension::seconds, Dimension::bytes_per_second,
                                        Dimension::flops_per_second, Dimension::tokens_per_second};

double value_of(std::string_view text, Dimension dimension) {
    const ParsedNumber parsed = parse_quantity(text, dimension);
    INFO(std::string(text) << ": " << parsed.problem);
    REQUIRE(parsed.value.has_value());
    CHECK(parsed.problem.empty());
    return *parsed.value;
}

std::string problem_of(std::string_view text, Dimension dimension) {
    const ParsedNumber parsed = parse_quantity(text, dimension);
    INFO(std::string(text));
    CHECK_FALSE(parsed.value.has_value());
    CHECK_FALSE(parsed.problem.empty());
    return parsed.problem;
}

bool mentions(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

struct Row {
    std::string_view text;
    Dimension dimension;
    double value;
};
struct Refusal {
    std::string_view text;
    Dimension dimension;
    std::string_view problem;
};

// Every finite double that is not negative, subnormal ones included, all magnitudes alike.
rc::Gen<double> any_magnitude() {
    constexpr std::uint64_t kInfinity = 0x7ff0'0000'0000'0000;
    return rc::gen::map(rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint64_t>(0, kInfinity)),
                        [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
}

rc::Gen<Dimension> any_dimension() {
    return rc::gen::elementOf(std::vector<Dimension>(std::begin(kAllDimensions), std::end(kAllDimensions)));
}

} // namespace

TEST_CASE("every unit of the grammar is read", "[units]") {
    const Row rows[] = {
        {"7 B", Dimension::bytes, 7.0},
        {"1 kB", Dimension::bytes, 1e3},
        {"1 MB", Dimension::bytes, 1e6},
        {"1 GB", Dimension::bytes, 1e9},
        {"1 TB", Dimension::bytes, 1e12},
        {"1 KiB", Dimension::bytes, kKiB},
        {"1 MiB", Dimension::bytes, kMiB},
        {"1 GiB", Dimension::bytes, kGiB},
        {"1 TiB", Dimension::bytes, kTiB},
        {"8 bit", Dimension::bytes, 1.0},
        {"8 kbit", Dimension::bytes, 1e3},
        {"8 Mbit", Dimension::bytes, 1e6},
        {"8 Gbit", Dimension::bytes, 1e9},
        {"90 ns", Dimension::seconds, 90e-9},
        {"80 us", Dimension::seconds, 80e-6},
        {"35 ms", Dimension::seconds, 0.035},
        {"1.5 s", Dimension::seconds, 1.5},
        {"1 FLOP/s", Dimension::flops_per_second, 1.0},
        {"2 MFLOP/s", Dimension::flops_per_second, 2e6},
        {"3 GFLOP/s", Dimension::flops_per_second, 3e9},
        {"12.4 TFLOP/s", Dimension::flops_per_second, 12.4e12},
        {"1.979 PFLOP/s", Dimension::flops_per_second, 1.979e15},
        {"41.3 tok/s", Dimension::tokens_per_second, 41.3},
    };
    for (const Row& row : rows) {
        INFO(std::string(row.text));
        CHECK(value_of(row.text, row.dimension) == row.value);
        if (row.dimension != Dimension::bytes) continue;
        CHECK(value_of(std::string(row.text) + "/s", Dimension::bytes_per_second) == row.value);
    }
}

TEST_CASE("numbers may carry a sign, an exponent and spaces around them", "[units]") {
    for (const std::string_view text : {"4 GB", "4GB", "  4   GB ", "\t4\tGB", "+4 GB", "4.0 GB", "4. GB", "0.4e1 GB",
                                        "40E-1 GB", "4e+0GB", "4e3 MB", ".004e3 GB", "0004 GB"}) {
        INFO(std::string(text));
        CHECK(value_of(text, Dimension::bytes) == 4e9);
    }
    CHECK(value_of("0 B", Dimension::bytes) == 0.0);
    CHECK(value_of("-0 B", Dimension::bytes) == 0.0);
    CHECK_FALSE(std::signbit(value_of("-0 B", Dimension::bytes)));
    CHECK(value_of("0e999999999999 GB", Dimension::bytes) == 0.0);
}

TEST_CASE("decimal prefixes are applied before rounding", "[units]") {
    // 35 * 1e-3, 0.1 * 1e9 and the like would round twice.
    CHECK(value_of("35 ms", Dimension::seconds) == 0.035);
    CHECK(value_of("19069.67 MB", Dimension::bytes) == 19069670000.0);
    CHECK(value_of("2.3 us", Dimension::seconds) == 2.3e-6);
    CHECK(value_of("1e-300 s", Dimension::seconds) == value_of("1e-291 ns", Dimension::seconds));
    CHECK(value_of("1e309 ns", Dimension::seconds) == 1e300);
}

TEST_CASE("C01: MB is 10^6 and MiB is 2^20, and neither is taken for the other", "[units][C01]") {
    const double working_set = value_of("19069.67 MB", Dimension::bytes);
    CHECK(working_set / kMiB == Approx(18186.25).epsilon(0).margin(0.005)); // the log has two decimals
    CHECK(print_gib(Bytes(working_set)) == "17.76 GiB");
    CHECK(working_set / 25769803776.0 == Approx(0.740).epsilon(0).margin(0.0005));
    CHECK(value_of("18185 MiB", Dimension::bytes) == 19068354560.0);
    CHECK(value_of("1 MiB", Dimension::bytes) / value_of("1 MB", Dimension::bytes) == 1.048576);
    CHECK(problem_of("25769803776", Dimension::bytes) ==
          "no unit: write \"25769803776 GB\" (10^9 bytes) or \"25769803776 GiB\" (2^30 bytes)");
}

TEST_CASE("C02: what was divided by 2^30 is labelled GiB", "[units][C02]") {
    const Bytes card(48318382080.0);
    CHECK(print_gib(card) == "45 GiB");
    CHECK(print_short(card) == "48.3 GB");
    CHECK(print_exact(card) == "45 GiB");
}

TEST_CASE("C03: used and total come out in the same unit", "[units][C03]") {
    const Bytes used(83e9);
    const Bytes total = 80.0_GiB;
    CHECK(used < total);
    CHECK(print_gib(used) == "77.3 GiB");
    CHECK(print_gib(total) == "80 GiB");
    CHECK(print_short(used) == "83.0 GB");
    CHECK(print_short(total) == "85.9 GB");
}

TEST_CASE("C05: rates keep their base, and Mb/s is refused", "[units][C05]") {
    const double measured = value_of("3667 MiB/s", Dimension::bytes_per_second);
    CHECK(measured == 3845128192.0);
    CHECK(print_short(measured, Dimension::bytes_per_second) == "3.85 GB/s");
    CHECK(print_exact(measured, Dimension::bytes_per_second) == "3667 MiB/s");
    const double link = value_of("6.23 GiB/s", Dimension::bytes_per_second);
    CHECK(link == Approx(6.69e9).epsilon(0).margin(0.005e9));
    CHECK(value_of("8 Mbit/s", Dimension::bytes_per_second) == value_of("1 MB/s", Dimension::bytes_per_second));
    CHECK(problem_of("3667 Mb/s", Dimension::bytes_per_second) ==
          "unit \"Mb/s\" is ambiguous: write \"3667 Mbit/s\" (bits) or \"3667 MB/s\" (bytes)");
}

TEST_CASE("C09: sizes pass 32 bits, prefixes agree, and a bare prefix is refused", "[units][C09]") {
    CHECK(value_of("4000 MB", Dimension::bytes) == value_of("4 GB", Dimension::bytes));
    CHECK(value_of("4 GB", Dimension::bytes) == 4e9); // negative as a signed 32-bit number
    CHECK(value_of("5 GB", Dimension::bytes) == 5e9); // 705032704 modulo 2^32
    CHECK(value_of("4 GiB", Dimension::bytes) == 4294967296.0);
    CHECK(value_of("16 TiB", Dimension::bytes) == 17592186044416.0);
    CHECK(value_of("9007199254740993 B", Dimension::bytes) == 9007199254740992.0); // 2^53 + 1, the nearest double
    CHECK(problem_of("4G", Dimension::bytes) ==
          "unit \"G\" is ambiguous: write \"4 GB\" (10^9 bytes) or \"4 GiB\" (2^30 bytes)");
    CHECK(problem_of("4000M", Dimension::bytes) ==
          "unit \"M\" is ambiguous: write \"4000 MB\" (10^6 bytes) or \"4000 MiB\" (2^20 bytes)");
    CHECK(problem_of("1e3G", Dimension::bytes) ==
          "unit \"G\" is ambiguous: write \"1e3 GB\" (10^9 bytes) or \"1e3 GiB\" (2^30 bytes)");
}

TEST_CASE("a unit that is not exactly right is refused with what was likely meant", "[units]") {
    constexpr Dimension kBytes = Dimension::bytes;
    constexpr Dimension kRate = Dimension::bytes_per_second;
    constexpr Dimension kTime = Dimension::seconds;
    constexpr Dimension kFlops = Dimension::flops_per_second;
    const Refusal refusals[] = {
        {"4 Gb", kBytes, "unit \"Gb\" is ambiguous: write \"4 Gbit\" (bits) or \"4 GB\" (bytes)"},
        {"4 gb", kBytes, "unit \"gb\" is ambiguous: write \"4 Gbit\" (bits) or \"4 GB\" (bytes)"},
        {"4 KB", kBytes, "unit \"KB\" is ambiguous: write \"4 kB\" (1000 bytes) or \"4 KiB\" (1024 bytes)"},
        {"4 GBit", kBytes, "unit \"GBit\" is not known: write \"4 Gbit\""},
        {"4 Gi", kBytes, "unit \"Gi\" is not known: write \"4 GiB\""},
        {"4 kiB", kBytes, "unit \"kiB\" is not known: write \"4 KiB\""},
        {"4 Gib", kBytes, "unit \"Gib\" is ambiguous: write \"4 GiB\" (bytes) or \"4 Gbit\" (bits)"},
        {"4 b", kBytes, "unit \"b\" is ambiguous: write \"4 bit\" (bits) or \"4 B\" (bytes)"},
        {"4 bytes", kBytes, "unit \"bytes\" is not known: write \"4 B\""},
        {"240", kBytes, "no unit: write \"240 GB\" (10^9 bytes) or \"240 GiB\" (2^30 bytes)"},
        {"5GBps", kRate, "unit \"GBps\" is ambiguous: write \"5 GB/s\" (bytes) or \"5 Gbit/s\" (bits)"},
        {"5 Gbps", kRate, "unit \"Gbps\" is ambiguous: write \"5 Gbit/s\" (bits) or \"5 GB/s\" (bytes)"},
        {"5 mb/s", kRate, "unit \"mb/s\" is ambiguous: write \"5 Mbit/s\" (bits) or \"5 MB/s\" (bytes)"},
        {"5 GiBps", kRate, "unit \"GiBps\" is not known: write \"5 GiB/s\""},
        {"5 GB/sec", kRate, "unit \"GB/sec\" is not known: write \"5 GB/s\""},
        {"6", kRate, "no unit: write \"6 GB/s\" (10^9 bytes) or \"6 GiB/s\" (2^30 bytes)"},
        {"35 msec", kTime, "unit \"msec\" is not known: write \"35 ms\""},
        {"35 MS", kTime, "unit \"MS\" is not known: write \"35 ms\""},
        {"80 \u00b5s", kTime, "unit \"\u00b5s\" is not known: write \"80 us\""},
        {"5 min", kTime, "unit \"min\" is not known: write one of ns, us, ms, s"},
        {"35", kTime, "no unit: write \"35 s\" (seconds) or \"35 ms\" (milliseconds)"},
        {"12.4 TFLOPS", kFlops, "unit \"TFLOPS\" is not known: write \"12.4 TFLOP/s\""},
        {"12.4 tflops/s", kFlops, "unit \"tflops/s\" is not known: write \"12.4 TFLOP/s\""},
        {"12.4 TOPS", kFlops, "unit \"TOPS\" is not known: write one of FLOP/s, MFLOP/s, GFLOP/s, TFLOP/s, PFLOP/s"},
        {"41.3 t/s", Dimension::tokens_per_second, "unit \"t/s\" is not known: write \"41.3 tok/s\""},
        {"41.3 tokens/s", Dimension::tokens_per_second, "unit \"tokens/s\" is not known: write \"41.3 tok/s\""},
        {"41.3", Dimension::tokens_per_second, "no unit: write \"41.3 tok/s\""},
        {"41.3 ms", Dimension::tokens_per_second,
         "\"41.3 ms\" is a time where a speed belongs: write a speed such as \"41.3 tok/s\""},
        {"12.4", kFlops, "no unit: write \"12.4 TFLOP/s\" (10^12 operations) or \"12.4 GFLOP/s\" (10^9 operations)"},
    };
    for (const Refusal& refusal : refusals) CHECK(problem_of(refusal.text, refusal.dimension) == refusal.problem);
}

TEST_CASE("a unit of another dimension is refused with the unit that belongs there", "[units]") {
    CHECK(problem_of("6 GB", Dimension::bytes_per_second) ==
          "\"6 GB\" is a size where a rate belongs: write \"6 GB/s\"");
    CHECK(problem_of("240 GiB/s", Dimension::bytes) ==
          "\"240 GiB/s\" is a rate where a size belongs: write \"240 GiB\"");
    CHECK(problem_of("35 ms", Dimension::bytes) ==
          "\"35 ms\" is a time where a size belongs: write a size such as \"240 GiB\"");
    CHECK(problem_of("6 GB/s", Dimension::seconds) ==
          "\"6 GB/s\" is a rate where a time belongs: write a time such as \"35 ms\"");
    CHECK(problem_of("6 GB/s", Dimension::flops_per_second) ==
          "\"6 GB/s\" is a rate where a compute rate belongs: write a compute rate such as \"12.4 TFLOP/s\"");
}

TEST_CASE("there is no terabit, and bytes alone are not offered for it", "[units]") {
    for (const std::string_view text : {"1 Tb", "1 Tbit", "1 Tbps"}) {
        CHECK(mentions(problem_of(text, Dimension::bytes), "not known: write one of B, kB, MB, GB, TB, KiB"));
    }
}

TEST_CASE("what is not a plain decimal number is refused", "[units]") {
    const std::string plain = " is not a plain decimal number: write digits without separators and a decimal point, "
                              "such as \"240 GiB\"";
    for (const std::string text : {"1,000 GB", "1,5 GB", "1 000 GB", "1'000 GB", "1_000 GB", "1.000.000 GB", "0x10 GB",
                                   "0x10", "1e5.5 GB", "1..2 GB"}) {
        CHECK(problem_of(text, Dimension::bytes) == "\"" + text + "\"" + plain);
    }
    for (const std::string text : {"inf GB", "nan GB", "-inf GB", "infinity", "GB", ". GB", "-", "+", "+-4 GB",
                                   "--4 GB", "e5 GB", "$4 GB", "four GB"}) {
        CHECK(problem_of(text, Dimension::bytes) ==
              "\"" + text + "\" does not start with a number: write one in plain digits, such as \"240 GiB\"");
    }
    for (const std::string_view text : {"", " ", "\t  "}) {
        CHECK(problem_of(text, Dimension::seconds) == "empty text: write a number, such as \"35 ms\"");
    }
    CHECK(mentions(problem_of("-1e-300 B", Dimension::bytes), "is negative"));
    CHECK(problem_of("-4 GB", Dimension::bytes) == "\"-4 GB\" is negative: write a value of 0 or more");
    CHECK(mentions(problem_of("5e GB", Dimension::bytes), "unit \"e GB\" is not known"));
    CHECK(mentions(problem_of(std::string_view("5 GB\0", 5), Dimension::bytes), "unit \"GB?\" is not known"));
}

TEST_CASE("values that a double cannot hold are refused, never infinite or silently zero", "[units]") {
    for (const std::string_view text :
         {"1e309 B", "1e300 TB", "1.7e308 GiB", "1e99999999999999999999 B", "1e-400 B", "1e-324 B", "5e-324 bit"}) {
        CHECK(mentions(problem_of(text, Dimension::bytes), "is too large or too small: write 0 or a value between"));
    }
    CHECK(value_of("1e-330 TB", Dimension::bytes) == 1e-318);
    CHECK(value_of("1.7976931348623157e308 B", Dimension::bytes) == std::numeric_limits<double>::max());
}

TEST_CASE("messages quote long and unprintable texts safely", "[units]") {
    const std::string problem = problem_of("5 \x1b[31m" + std::string(100'000, 'x'), Dimension::bytes);
    CHECK(problem.size() < 250);
    CHECK_FALSE(mentions(problem, "\x1b"));
    std::string accents = "5 x";
    for (int i = 0; i < 40; ++i) accents += "\u00e9";
    CHECK(mentions(problem_of(accents, Dimension::bytes), "\u00e9...\"")); // cut between characters
}

TEST_CASE("ratios are per cent or plain", "[units]") {
    for (const std::string_view text : {"91 %", "91%", "0.91", "9.1e1 %", " +.91 "}) {
        CHECK(parse_ratio(text).value == 0.91);
    }
    CHECK(parse_ratio("0").value == 0.0);
    CHECK(parse_ratio("100 %").value == 1.0);
    CHECK(parse_ratio("82.3 %").value == 0.823);
    CHECK(parse_ratio("91 GB").problem ==
          "\"91 GB\" is not a ratio: write it as \"91 %\" or as a plain number, \"0.91\"");
    CHECK(parse_ratio("-5 %").problem == "\"-5 %\" is negative: write a value of 0 or more");
    CHECK(parse_ratio("0,91").problem ==
          "\"0,91\" is not a plain decimal number: write digits without separators and a "
          "decimal point, such as \"91 %\"");
    for (const std::string_view text : {"", "%", "nan", "91 %%", "91 percent", "1e400 %"}) {
        CHECK_FALSE(parse_ratio(text).value.has_value());
        CHECK_FALSE(parse_ratio(text).problem.empty());
    }
}

TEST_CASE("print_exact picks the unit a person would", "[units]") {
    CHECK(print_exact(Bytes(257698037760.0)) == "240 GiB");
    CHECK(print_exact(BytesPerSecond(6e9)) == "6 GB/s");
    CHECK(print_exact(BytesPerSecond(800e9)) == "800 GB/s");
    CHECK(print_exact(Seconds(0.035)) == "35 ms");
    CHECK(print_exact(Seconds(80e-6)) == "80 us");
    CHECK(print_exact(FlopsPerSecond(12.4e12)) == "12.4 TFLOP/s");
    CHECK(print_exact(Bytes(18800640.0)) == "18360 KiB");
    CHECK(print_exact(Bytes(1e12)) == "1 TB");
    CHECK(print_exact(Bytes(0.53125)) == "0.53125 B");
    CHECK(print_exact(Bytes(500e6)) == "500 MB"); // not 0.5 GB, as long
    CHECK(print_exact(512.0_GiB) == "512 GiB");   // not 0.5 TiB
    CHECK(print_exact(Bytes(1e18)) == "1000000 TB");
    CHECK(print_exact(Bytes(1e20)) == "1e20 B");
    CHECK(print_exact(Bytes(0.0)) == "0 B");
    CHECK(print_exact(Seconds(0.0)) == "0 s");
    CHECK(print_exact(BytesPerSecond(0.0)) == "0 B/s");
    CHECK(print_exact(FlopsPerSecond(0.0)) == "0 FLOP/s");
}

TEST_CASE("print_exact reads back as the identical double", "[units][property]") {
    for (const Dimension dimension : kAllDimensions) {
        for (const double value : {0.0, 5e-324, 2.2250738585072014e-308, 2.225073858507201e-308, 0.1, 1.0 / 3.0,
                                   9007199254740993.0, std::numeric_limits<double>::max()}) {
            CHECK(parse_quantity(print_exact(value, dimension), dimension).value == value);
        }
    }
    CHECK(rc::check("any finite double", [] {
        const double value = *any_magnitude();
        const Dimension dimension = *any_dimension();
        RC_ASSERT(parse_quantity(print_exact(value, dimension), dimension).value == value);
    }));
    CHECK(rc::check("whole numbers of MiB and of MB", [] {
        const auto count = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint32_t>(0, 100'000'000));
        for (const double unit : {1e6, kMiB}) {
            const Bytes size(count * unit);
            RC_ASSERT(parse_quantity(print_exact(size), Dimension::bytes).value == size.value);
            RC_ASSERT(print_exact(size).size() <= std::to_string(count).size() + 4); // no worse than "<count> MiB"
        }
    }));
}

TEST_CASE("any text is either read or refused, and what is read is finite and not negative", "[units][property]") {
    const auto is_sound = [](const ParsedNumber& parsed) {
        if (parsed.value) return parsed.problem.empty() && std::isfinite(*parsed.value) && !std::signbit(*parsed.value);
        return !parsed.problem.empty();
    };
    CHECK(rc::check("texts made of the grammar's characters", [&] {
        const auto text = *rc::gen::container<std::string>(
            rc::gen::elementOf(std::string("0123456789.,+-eE xkKMGTiBbpsitFLOPn/%u\t")));
        RC_ASSERT(is_sound(parse_quantity(text, *any_dimension())));
        RC_ASSERT(is_sound(parse_ratio(text)));
    }));
    CHECK(rc::check("texts of any bytes", [&] {
        const auto text = *rc::gen::arbitrary<std::string>();
        RC_ASSERT(is_sound(parse_quantity(text, *any_dimension())));
        RC_ASSERT(is_sound(parse_ratio(text)));
    }));
}

TEST_CASE("print_short rounds to three digits and chooses the unit after rounding", "[units]") {
    const Row rows[] = {
        {"28.8 MB", Dimension::bytes, 28.8e6},
        {"4.51 GB", Dimension::bytes, 4.512e9},
        {"288 GB", Dimension::bytes, 288.4e9},
        {"1560 GB", Dimension::bytes, 1559.6e9},
        {"12.3 TB", Dimension::bytes, 12.34e12},
        {"1.00 GB", Dimension::bytes, 999.6e6},
        {"100 GB", Dimension::bytes, 99.96e9},
        {"512 B", Dimension::bytes, 512.0},
        {"0 B", Dimension::bytes, 0.0},
        {"-28.8 MB", Dimension::bytes, -28.8e6},
        {"6.00 GB/s", Dimension::bytes_per_second, 6e9},
        {"798 GB/s", Dimension::bytes_per_second, 798e9},
        {"8000 GB/s", Dimension::bytes_per_second, 8e12},
        {"0.150 GB/s", Dimension::bytes_per_second, 0.15e9},
        {"12.5 MB/s", Dimension::bytes_per_second, 12.5e6},
        {"12.4 TFLOP/s", Dimension::flops_per_second, 12.4e12},
        {"1980 TFLOP/s", Dimension::flops_per_second, 1.979e15},
        {"50.0 GFLOP/s", Dimension::flops_per_second, 50e9},
        {"4.80 ms", Dimension::seconds, 0.0048},
        {"80.0 us", Dimension::seconds, 80e-6},
        {"63.0 s", Dimension::seconds, 63.04},
        {"3730 s", Dimension::seconds, 3726.0},
        {"0 s", Dimension::seconds, 0.0},
    };
    for (const Row& row : rows) CHECK(print_short(row.value, row.dimension) == row.text);
    CHECK(print_short(Seconds(0.035)) == "35.0 ms");
}

TEST_CASE("print_short is within half a unit of its third digit", "[units][property]") {
    CHECK(rc::check("read back", [] {
        const double value = *any_magnitude();
        RC_PRE(value > 1e-290 && value < 1e290);
        const Dimension dimension = *any_dimension();
        const auto read = parse_quantity(print_short(value, dimension), dimension).value;
        RC_ASSERT(read.has_value());
        RC_ASSERT(std::fabs(*read / value - 1.0) <= 0.005 * (1.0 + 1e-9));
    }));
}

TEST_CASE("print_gib drops zeros that say nothing", "[units]") {
    CHECK(print_gib(240.0_GiB) == "240 GiB");
    CHECK(print_gib(0.5_GiB) == "0.5 GiB");
    CHECK(print_gib(Bytes(107.52 * kGiB)) == "107.52 GiB");
    CHECK(print_gib(Bytes(17.756 * kGiB)) == "17.76 GiB");
    CHECK(print_gib(Bytes(0.0)) == "0 GiB");
    CHECK(print_gib(Bytes(-1.0)) == "0 GiB");
    CHECK(print_gib(1024.0 * 1.0_GiB) == "1024 GiB");
    CHECK(print_gib(0.0_GiB - 1.5_GiB) == "-1.5 GiB");
}
