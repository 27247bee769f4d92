#include "calibrate/write_fit.h"

#include "text/path_walk.h"
#include "text/paths.h"
#include "text/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace spillway {

namespace {

double rounded(double value) { return std::strtod(fmt::format("{:.3g}", value).c_str(), nullptr); }

std::string text_of(double value, Unit unit) {
    switch (unit) {
    case Unit::bytes: return print_exact(Bytes(value));
    case Unit::seconds: return print_exact(Seconds(value));
    case Unit::bytes_per_second: return print_exact(BytesPerSecond(value));
    case Unit::flops_per_second: return print_exact(FlopsPerSecond(value));
    default: return fmt::format("{}", value);
    }
}

std::string story(const FittedTerm& term, const std::string& command) {
    const std::string error = term.standard_error ? fmt::format("standard error {:.2g} %", 100.0 * *term.standard_error)
                                                  : std::string("no standard error: held by a limit or not determined");
    return fmt::format("{} runs, {}; {}", term.rows, error, command);
}

void replace_source(std::vector<Source>& sources, const std::string& of, const std::string& text) {
    std::erase_if(sources, [&](const Source& s) { return s.of == of; });
    sources.push_back({of, Basis::fitted, text});
}

// Sets the values in a case that holds the file's object, which knows every path and unit.
void fill(Case& c, std::vector<Source>& sources, std::string_view root, const Fit& f, const std::string& command) {
    for (const FittedTerm& term : f.terms) {
        const auto of = path_after(term.parameter.path, root);
        if (!of || of->empty() || term.rows == 0) continue;
        // A runtime's own shares are no field of a loaded case; they are plain numbers.
        const auto field = number_field(c, term.parameter.path);
        const Unit unit = field ? field->unit : Unit::ratio_or_number;
        if (!set_field(c, term.parameter.path, text_of(rounded(term.value), unit)))
            replace_source(sources, std::string(*of), story(term, command));
    }
}

} // namespace

RuntimeFile with_fit(RuntimeFile file, const Fit& f, const std::string& command) {
    Case c;
    c.scenario.runtime = file.runtime;
    fill(c, file.sources, "scenario.runtime", f, command);
    file.runtime = c.scenario.runtime;
    return file;
}

MachineFile with_fit(MachineFile file, const Fit& f, const std::string& command) {
    Case c;
    c.machine = file.machine;
    fill(c, file.sources, "machine", f, command);
    file.machine = c.machine;
    return file;
}

} // namespace spillway
