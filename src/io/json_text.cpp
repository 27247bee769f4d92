#include "io/json_text.h"

#include <nlohmann/json.hpp>

namespace spillway {

std::string json_text(const nlohmann::ordered_json& document) {
    return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace spillway
