// Texts kept in tests/golden: a change is made on purpose, with SPILLWAY_UPDATE_GOLDEN=1 and a look at the difference.
#pragma once

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace spillway {

inline void check_golden(const std::string& name, const std::string& text) {
    const std::string file = std::string(SPILLWAY_TESTS_DIR) + "/golden/" + name;
    const char* update = std::getenv("SPILLWAY_UPDATE_GOLDEN");
    if (update && std::string(update) == "1") {
        std::ofstream(file, std::ios::binary) << text;
        return;
    }
    std::ifstream in(file, std::ios::binary);
    INFO(file);
    REQUIRE(in);
    std::ostringstream kept;
    kept << in.rdbuf();
    CHECK(text == kept.str());
}

} // namespace spillway
