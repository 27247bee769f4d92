#include "io/calibration.h"

#include "io/read_fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway {

namespace {

bool has_experts(const Model& model) {
    return std::any_of(model.blocks.begin(), model.blocks.end(), [](const Block& b) { return b.experts.has_value(); });
}

template <class Enum>
std::string name_of(Enum value) {
    return std::string(EnumNames<Enum>::names[static_cast<std::size_t>(value)]);
}

void check_header_of(const nlohmann::json& object, const std::string& shown, Problems& problems) {
    const std::string expected = fmt::format("\"{}\"", kCalibrationKind);
    const auto kind = object.is_object() ? object.find("kind") : object.end();
    if (object.is_object() && kind != object.end() && *kind == kCalibrationKind) return;
    problems.push_back({shown, "/kind", object.is_object() && kind != object.end() ? describe(*kind) : "nothing",
                        expected, "is not a calibration, as spillway calibrate writes one"});
}

} // namespace

CalibrationScope scope_of(const LoadedCase& loaded) {
    const bool experts = has_experts(loaded.value.model);
    return {loaded.machine_id, loaded.value.scenario.runtime.name, format_class(loaded.value.quantization, experts),
            experts ? Routing::moe : Routing::dense};
}

CalibrationFile load_calibration(const std::string& path) {
    Problems problems;
    CalibrationFile file;
    const std::optional<JsonFile> json = read_json_file(path, path, problems);
    if (json) check_header_of(*json->value, path, problems);
    throw_if_any(problems);
    ReadState state{path, problems, {}, false};
    file = read_file_object<CalibrationFile>(state, *json->value);
    if (!file.decode && !file.prefill)
        problems.push_back({path, "", "no factor", "decode, prefill or both", "says nothing about a speed"});
    throw_if_any(problems);
    return file;
}

void apply_calibration(const CalibrationFile& calibration, const std::string& shown, LoadedCase& loaded) {
    const CalibrationScope here = scope_of(loaded), there = calibration.scope;
    Problems problems;
    const auto differs = [&](const char* member, const std::string& found, const std::string& expected) {
        if (found == expected) return;
        problems.push_back({shown, std::string("/") + member, '"' + found + '"', '"' + expected + '"',
                            "the calibration is of another case: what one measured says nothing here"});
    };
    differs("machine", there.machine, here.machine);
    differs("runtime", there.runtime, here.runtime);
    differs("format_class", name_of(there.format_class), name_of(here.format_class));
    differs("routing", name_of(there.routing), name_of(here.routing));
    throw_if_any(problems);
    Scenario& s = loaded.value.scenario;
    const auto set = [&](const std::optional<double>& factor, std::optional<double>& field, const char* path) {
        if (!factor) return;
        field = factor;
        loaded.sources.emplace_back(path, Provenance{Basis::measured, calibration.source});
    };
    set(calibration.decode, s.calibration_decode, "scenario.calibration_decode");
    set(calibration.prefill, s.calibration_prefill, "scenario.calibration_prefill");
}

} // namespace spillway
