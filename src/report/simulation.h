// What `simulate` answers: its document and JSON. Synthetic routing is labelled in every format.
#pragma once

#include "io/load_case.h"
#include "report/document.h"
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

// csv: tokens per second over time, a row per window.
Document simulation_document(const SimulationAnswer& answer);
nlohmann::ordered_json simulation_json(const SimulationAnswer& answer);

} // namespace spillway
