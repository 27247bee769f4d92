// What `simulate` answers, and one writer per format. Synthetic routing is labelled in every one of them.
#pragma once

#include "io/load_case.h"
#include "simulate/simulate.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace spillway {

struct SimulationAnswer {
    const LoadedCase& loaded;
    Simulation simulation;
    std::string version;
};

// Simulated over closed form less one; empty where either is unknown.
std::optional<double> deviation(double simulated, const std::optional<double>& closed);

// `width` columns at most.
std::string simulation_text(const SimulationAnswer& answer, bool color, int width = 80);
nlohmann::ordered_json simulation_json(const SimulationAnswer& answer);
// Tokens per second over time: a row per window.
std::string simulation_csv(const SimulationAnswer& answer);

} // namespace spillway
