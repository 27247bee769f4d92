#include "calibrate/own_run.h"

#include "io/problem.h"
#include "text/units.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway {

namespace {

Case stated(const Case& c, const OwnFigure& figure) {
    Case run = c;
    run.alternatives.clear();
    Scenario& s = run.scenario;
    if (figure.prompt) s.prompt = *figure.prompt;
    if (figure.depth) s.depth = *figure.depth;
    if (figure.micro_batch) s.chunk = *figure.micro_batch;
    if (figure.kv_format) s.kv_format = *figure.kv_format;
    const double tokens = s.depth + (figure.which == Measurand::prefill ? s.prompt : 1.0);
    s.context = std::max(s.context, tokens);
    return run;
}

std::optional<double> median(const std::vector<Factor>& factors, Measurand which) {
    std::vector<double> values;
    for (const Factor& factor : factors) {
        if (factor.figure.which == which) values.push_back(factor.factor());
    }
    if (values.empty()) return std::nullopt;
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

double spread(const std::vector<Factor>& factors, Measurand which) {
    double low = 0.0, high = 0.0;
    for (const Factor& f : factors) {
        if (f.figure.which != which) continue;
        low = low == 0.0 ? f.factor() : std::min(low, f.factor());
        high = std::max(high, f.factor());
    }
    return low > 0.0 ? high / low : 1.0;
}

std::string source_text(const LoadedCase& loaded, const std::vector<OwnFigure>& figures) {
    std::string text = fmt::format("{} ({})", loaded.model_id, loaded.quantization_id);
    for (std::size_t i = 0; i < std::min<std::size_t>(figures.size(), 4); ++i) text += ", " + figures[i].text;
    if (figures.size() > 4) text += fmt::format(" and {} more", figures.size() - 4);
    return text;
}

} // namespace

std::optional<OwnFigure> read_figure(const std::string& text, Problems& problems) {
    const std::string expected = "\"decode=41.3 tok/s\" or \"prefill=600 tok/s\"";
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (equals == std::string::npos || (name != "decode" && name != "prefill")) {
        problems.push_back({"--measured", "", '"' + text + '"', expected, "names no figure"});
        return std::nullopt;
    }
    const ParsedNumber speed = parse_quantity(text.substr(equals + 1), Dimension::tokens_per_second);
    if (!speed.value || *speed.value <= 0.0) {
        problems.push_back({"--measured", name, '"' + text.substr(equals + 1) + '"', expected,
                            speed.value ? "must be above zero" : speed.problem});
        return std::nullopt;
    }
    return OwnFigure{name == "decode" ? Measurand::decode : Measurand::prefill, *speed.value, {}, {}, {}, {}, text};
}

OwnRuns own_runs(const LoadedCase& loaded, const std::vector<OwnFigure>& figures) {
    OwnRuns runs;
    Problems problems;
    for (const OwnFigure& figure : figures) {
        const auto speed = predicted(stated(loaded.value, figure), figure.which);
        if (!speed) {
            problems.push_back({"calibrate", "", figure.text, "a case that fits, with every input known",
                                "there is no estimate to compare with; see spillway report"});
            continue;
        }
        const Factor factor{figure, *speed};
        if (factor.factor() < kLowestFactor || factor.factor() > kHighestFactor) {
            problems.push_back({"calibrate", "", fmt::format("{} against {:.3g} tok/s", figure.text, *speed),
                                fmt::format("a factor from {:g} to {:g}", kLowestFactor, kHighestFactor),
                                "is too far off to be a run of this case"});
            continue;
        }
        runs.factors.push_back(factor);
    }
    throw_if_any(problems);
    CalibrationFile& c = runs.calibration;
    c.header.kind = kCalibrationKind;
    c.scope = scope_of(loaded);
    c.decode = median(runs.factors, Measurand::decode);
    c.prefill = median(runs.factors, Measurand::prefill);
    c.runs = static_cast<Count>(runs.factors.size());
    if (runs.factors.size() > 1)
        c.spread = std::max(spread(runs.factors, Measurand::decode), spread(runs.factors, Measurand::prefill));
    c.source = source_text(loaded, figures);
    return runs;
}

} // namespace spillway
