#include "calibrate/observation.h"

#include <utility>

namespace spillway {

std::optional<double> predicted(const Case& c, Measurand measurand) {
    const Estimate e = evaluate(c);
    switch (measurand) {
    case Measurand::decode: return e.decode.tokens_per_second;
    case Measurand::prefill: return e.prefill.tokens_per_second;
    case Measurand::time_to_first_token: break;
    }
    const std::optional<Seconds> time = e.prefill.time_to_first_token;
    return time && time->value > 0.0 ? std::optional(1.0 / time->value) : std::nullopt;
}

std::vector<Observation> predictable(std::vector<Observation> rows, std::vector<std::string>& without) {
    std::vector<Observation> usable;
    for (Observation& row : rows) {
        row.value.alternatives.clear();
        if (predicted(row.value, row.measurand))
            usable.push_back(std::move(row));
        else
            without.push_back(row.id);
    }
    return usable;
}

} // namespace spillway
