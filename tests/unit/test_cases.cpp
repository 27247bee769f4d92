// Reads every file under tests/cases/ and holds the report's JSON to the numbers stated there. A case names its
// inputs as the command line does; paths of machines and models that start with "data/" lie beside the case files.
#include "explore/break_even.h"
#include "io/load_case.h"
#include "report/report.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>

using namespace spillway;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const fs::path kCases = fs::path(SPILLWAY_TESTS_DIR) / "cases";

std::string resolved(const std::string& name) { return name.rfind("data/", 0) == 0 ? (kCases / name).string() : name; }

// Follows "a.b.NAME.c": members of objects, elements of lists by their "name" or "code".
const json* follow(const json& root, const std::string& path) {
    const json* node = &root;
    std::size_t start = 0;
    while (start <= path.size()) {
        const std::size_t dot = std::min(path.find('.', start), path.size());
        const std::string key = path.substr(start, dot - start);
        start = dot + 1;
        const json* next = nullptr;
        if (node->is_object() && node->contains(key)) next = &node->at(key);
        if (node->is_array()) {
            for (const json& element : *node) {
                if (element.value("name", "") == key || element.value("code", "") == key) next = &element;
            }
        }
        if (!next) return nullptr;
        node = next;
    }
    return node;
}

void check_number(const json& actual, const json& expected) {
    REQUIRE(actual.is_number());
    const double value = expected.at("value"), got = actual;
    if (expected.contains("factor")) { // within a factor: for published runs
        CHECK(got <= value * expected.at("factor").get<double>());
        CHECK(got >= value / expected.at("factor").get<double>());
        return;
    }
    CHECK(std::abs(got - value) <= expected.at("tolerance").get<double>());
}

void check_case(const json& c) {
    CaseRequest request;
    request.model = resolved(c.at("model"));
    request.machine = resolved(c.at("machine"));
    request.scenario = resolved(c.value("scenario", "default"));
    request.quantization = c.value("quant", "native");
    request.settings = c.value("set", std::vector<std::string>{});
    const LoadedCase loaded = load_case(request, Catalogue(data_root("")));
    const Report report{loaded, evaluate(loaded.value), residency_line(loaded.value), {}, "test"};
    const json answer = json::parse(report_json(report).dump());
    for (const auto& [path, expected] : c.at("expect").items()) {
        INFO(path);
        const json* actual = follow(answer, path);
        if (expected.is_string() && expected == "absent") {
            CHECK(actual == nullptr);
            continue;
        }
        if (expected.is_string() && expected == "present") {
            CHECK(actual != nullptr);
            continue;
        }
        REQUIRE(actual != nullptr);
        INFO("actual: " << actual->dump() << ", expected: " << expected.dump());
        if (expected.is_object() && expected.contains("count")) {
            CHECK(actual->size() == expected.at("count").get<std::size_t>());
        } else if (expected.is_object()) {
            check_number(*actual, expected);
        } else {
            CHECK(*actual == expected);
        }
    }
}

} // namespace

TEST_CASE("case files", "[cases]") {
    std::size_t cases = 0;
    for (const auto& entry : fs::directory_iterator(kCases)) {
        if (entry.path().extension() != ".json") continue;
        std::ifstream file(entry.path());
        const json content = json::parse(file);
        for (const json& c : content.at("cases")) {
            ++cases;
            INFO(entry.path().filename().string() << ": " << c.at("name").get<std::string>());
            REQUIRE_FALSE(c.at("source").get<std::string>().empty());
            try {
                check_case(c);
            } catch (const InputError& error) {
                FAIL(error.what());
            }
        }
    }
    CHECK(cases >= 15);
}
