// A calibration: by how much one's own runs differ from the estimate, as a file. It holds for one machine, one engine,
// one class of weight formats and for dense models or those with experts, and is refused anywhere else: measured, a run
// of the same halves the error, one of another class makes the tail worse.
#pragma once

#include "io/format_class.h"
#include "io/load_case.h"

#include <optional>
#include <string>

namespace spillway {

inline constexpr std::string_view kCalibrationKind = "calibration";
// Factors further from 1 than this are mistakes of the case, not properties of a machine.
inline constexpr double kLowestFactor = 0.02, kHighestFactor = 50.0;

enum class Routing { dense, moe };
template <>
struct EnumNames<Routing> {
    static constexpr std::array<std::string_view, 2> names = {"dense", "moe"};
};

// What a factor may be carried to.
struct CalibrationScope {
    std::string machine, runtime;
    FormatClass format_class = FormatClass::f16;
    Routing routing = Routing::dense;
};
CalibrationScope scope_of(const LoadedCase& loaded);

struct CalibrationFile {
    Header header;
    CalibrationScope scope;
    std::optional<double> decode, prefill; // measured / predicted
    Count runs = 0;
    std::optional<double> spread; // largest over smallest factor of the runs
    std::string date, source;
};
template <class Visitor>
void fields(Visitor& visit, CalibrationFile& f) {
    fields(visit, f.header);
    visit("machine", f.scope.machine, FieldInfo{"machine that was measured"});
    visit("runtime", f.scope.runtime, FieldInfo{"runtime profile that the prediction used"});
    visit("format_class", f.scope.format_class, FieldInfo{"class of weight formats"});
    visit("routing", f.scope.routing, FieldInfo{"whether the model has routed experts"});
    visit("decode", f.decode, optional_field("measured over predicted speed in decode", kLowestFactor, kHighestFactor));
    visit("prefill", f.prefill, optional_field("the same in prefill", kLowestFactor, kHighestFactor));
    visit("runs", f.runs, FieldInfo{"figures that the factors were taken from", Presence::required, 1, 1e6});
    visit("spread", f.spread, optional_field("largest over smallest factor of one kind", 1.0, 1e4));
    visit("date", f.date, optional_field("when it was measured"));
    visit("source", f.source, FieldInfo{"what was measured"});
}

// Reads a file by path. Throws InputError with all that is wrong.
CalibrationFile load_calibration(const std::string& path);

// Sets the case's factors with basis "measured", or throws InputError that names what differs: machine, runtime, class
// or routing.
void apply_calibration(const CalibrationFile& calibration, const std::string& shown, LoadedCase& loaded);

} // namespace spillway
