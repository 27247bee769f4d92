// What `sensitivity` answers: what each input is worth, per 1 % and per unit that can be bought.
#pragma once

#include "explore/sensitivity.h"
#include "io/load_case.h"
#include "report/document.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace spillway {

struct SensitivityAnswer {
    const LoadedCase& loaded;
    std::vector<Influence> influences;
    std::vector<Purchase> purchases;
    std::string version;
};

// csv has the influences.
Document sensitivity_document(const SensitivityAnswer& answer);
nlohmann::ordered_json sensitivity_json(const SensitivityAnswer& answer);

} // namespace spillway
