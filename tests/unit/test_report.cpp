#include "report_cases.h"

#include "report/figures.h"
#include "report/page.h"
#include "report/print.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

using namespace spillway;
using Json = nlohmann::ordered_json;

namespace {

// The contract of docs/json.md, as JSON pointers; "/-" stands for every element of a list.
const std::vector<std::string> kContract = {"/format",
                                            "/kind",
                                            "/version",
                                            "/data_digest",
                                            "/case/model",
                                            "/case/machine",
                                            "/case/quant",
                                            "/case/scenario",
                                            "/placement/usable_bytes",
                                            "/placement/left_for_os_bytes",
                                            "/placement/expert_budget_bytes",
                                            "/placement/expert_pool_bytes",
                                            "/placement/pool_over_budget",
                                            "/placement/residency",
                                            "/placement/slots_per_layer",
                                            "/placement/fits",
                                            "/placement/load_seconds",
                                            "/placement/components/-/name",
                                            "/placement/components/-/bytes",
                                            "/placement/components/-/pool",
                                            "/placement/pools/-/name",
                                            "/placement/pools/-/access",
                                            "/placement/pools/-/capacity_bytes",
                                            "/placement/pools/-/usable_bytes",
                                            "/placement/pools/-/fixed_bytes",
                                            "/placement/pools/-/expert_budget_bytes",
                                            "/placement/pools/-/expert_bytes",
                                            "/placement/pools/-/expert_share",
                                            "/routing/locality",
                                            "/routing/miss_fraction",
                                            "/decode/tokens_per_second",
                                            "/decode/tokens_per_second_total",
                                            "/decode/bounds/no_overlap",
                                            "/decode/bounds/full_overlap",
                                            "/decode/band",
                                            "/decode/seconds_per_step",
                                            "/decode/resident_seconds",
                                            "/decode/storage_seconds",
                                            "/decode/expert_bytes_per_token",
                                            "/decode/missed_bytes_per_token",
                                            "/decode/per_layer/missed_bytes",
                                            "/decode/per_layer/storage_seconds",
                                            "/decode/per_layer/resident_seconds",
                                            "/decode/limit",
                                            "/decode/terms/-/name",
                                            "/decode/terms/-/seconds",
                                            "/prefill/tokens_per_second",
                                            "/prefill/storage_limit_tokens_per_second",
                                            "/prefill/chunk_tokens",
                                            "/prefill/compute_seconds_per_chunk",
                                            "/prefill/storage_seconds_per_chunk",
                                            "/prefill/time_to_first_token_seconds",
                                            "/prefill/limit",
                                            "/alternatives/-/locality",
                                            "/alternatives/-/decode_tokens_per_second",
                                            "/alternatives/-/miss_fraction",
                                            "/alternatives/-/workload",
                                            "/alternatives/-/layers_covered",
                                            "/alternatives/-/source",
                                            "/break_even/target_tokens_per_second",
                                            "/break_even/residency",
                                            "/break_even/miss_fraction",
                                            "/break_even/expert_pool_bytes",
                                            "/storage/cost_ratio",
                                            "/verdict/decode",
                                            "/verdict/prefill",
                                            "/verdict/overall",
                                            "/verdict/change",
                                            "/notes/-/code",
                                            "/notes/-/text"};

void check_has(const Json& json, const std::string& pointer) {
    const std::size_t each = pointer.find("/-");
    if (each == std::string::npos) {
        INFO(pointer);
        CHECK(json.contains(Json::json_pointer(pointer)));
        return;
    }
    const Json& list = json.at(Json::json_pointer(pointer.substr(0, each)));
    REQUIRE(list.is_array());
    for (const Json& element : list) check_has(element, pointer.substr(each + 2));
}

void check_finite(const Json& json) {
    if (json.is_number()) CHECK(std::isfinite(json.get<double>()));
    if (json.is_structured()) {
        for (const auto& item : json.items()) check_finite(item.value());
    }
}

// Nothing is null without a note that says why.
void check_reasons(const Json& json) {
    const bool no_decode = json["decode"]["tokens_per_second"].is_null();
    const bool no_prefill = json["prefill"]["tokens_per_second"].is_null();
    if (no_decode || no_prefill) CHECK_FALSE(json["notes"].empty());
    for (const Json& note : json["notes"]) {
        const std::string code = note["code"], text = note["text"];
        INFO(code);
        CHECK(text.size() > 20);
        if (code.compare(0, 8, "unknown-") == 0) CHECK(text.find("--set ") != std::string::npos);
    }
}

double sum_of_terms(const Json& decode) {
    double sum = 0.0;
    for (const Json& term : decode["terms"]) sum += term["seconds"].get<double>();
    return sum;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::string without_color(std::string text) {
    for (std::size_t at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b')) {
        text.erase(at, text.find('m', at) - at + 1);
    }
    return text;
}

} // namespace

TEST_CASE("report JSON keeps its contract") {
    for (const ReportCase& test : report_cases()) {
        INFO(test.name);
        const LoadedCase loaded = load(test.request);
        const Json json = report_json(report_of(loaded), true);
        for (const std::string& pointer : kContract) check_has(json, pointer);
        check_finite(json);
        check_reasons(json);
        CHECK(Json::parse(json.dump()) == json);
        const Json& decode = json["decode"];
        if (decode["seconds_per_step"].is_null()) continue;
        const double step = decode["seconds_per_step"];
        CHECK(std::abs(sum_of_terms(decode) - step) <= 1e-12 * step);
    }
}

TEST_CASE("report JSON lists what was given") {
    const LoadedCase loaded =
        load({"deepseek-v4.1-flash", "apple-m3-ultra-256gb", "default", "native", {"scenario.residency=90 %"}});
    const Json json = report_json(report_of(loaded));
    CHECK(json["case"]["settings"] == Json::parse(R"([{"path":"scenario.residency","value":"0.9"}])"));
    CHECK(json["case"]["forced"] == Json::parse(R"(["scenario.residency"])"));
    CHECK(json.count("explain") == 0);
}

TEST_CASE("the parts of a report's memory add up") {
    for (const ReportCase& test : report_cases()) {
        const LoadedCase loaded = load(test.request);
        const Json placement = report_json(report_of(loaded))["placement"];
        if (placement["residency"].is_null()) continue;
        for (const Json& pool : placement["pools"]) {
            double parts = 0.0;
            for (const Json& component : placement["components"]) {
                if (component["pool"] == pool["name"]) parts += component["bytes"].get<double>();
            }
            INFO(test.name << ": " << pool["name"]);
            const double held = pool["fixed_bytes"].get<double>() + pool["expert_bytes"].get<double>();
            CHECK(std::abs(parts - held) <= 1e-9 * held);
        }
    }
}

TEST_CASE("report text fits 80 columns of plain ASCII") {
    for (const ReportCase& test : report_cases()) {
        const LoadedCase loaded = load(test.request);
        const Report report = report_of(loaded);
        const std::string text = print_text(report_document(report, true), {});
        for (const std::string& line : lines_of(text)) {
            INFO(test.name << ": " << line);
            CHECK(line.size() <= 80);
            CHECK(std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; }));
        }
        CHECK(text.find("estimate") != std::string::npos);
        CHECK(without_color(print_text(report_document(report, true), {.color = true})) == text);
    }
}

TEST_CASE("report text answers the question first") {
    const LoadedCase loaded = load({"deepseek-v4.1-flash", "apple-m3-ultra-256gb", "offload-arithmetic", "native", {}});
    const std::string text = print_text(report_document(report_of(loaded)), {});
    for (const char* words :
         {"decode    4.40 tok/s   fails 10", "limited by storage", "prefill   167 tok/s    holds 100",
          "FAILS: decode is 5.60 tok/s short of 10", "expert budget                   215.0 GB  forced",
          "resident pass (forced)", "10 tok/s needs 91.4 % residency", "at most 8.6 %", "235.3 GB",
          "sudo sysctl iogpu.wired_limit_mb=245760", "as 133 from memory"}) {
        INFO(words << "\n" << text);
        CHECK(text.find(words) != std::string::npos);
    }
}

TEST_CASE("report says what is unknown, what does not fit and what is a guess") {
    const auto text_of = [](const CaseRequest& request) {
        const LoadedCase loaded = load(request);
        const Report report = report_of(loaded);
        return print_text(report_document(report), {}) + print_markdown(report_document(report, true));
    };
    for (const ReportCase& test : report_cases()) {
        const std::string text = text_of(test.request);
        INFO(test.name << "\n" << text);
        if (test.name.compare(0, 7, "unknown") == 0) CHECK(text.find("unknown") != std::string::npos);
        if (test.name == "does not fit") CHECK(text.find("does not fit: short by 16.48 GB") != std::string::npos);
        if (test.name == "all in memory") CHECK(text.find("prefill   not limited by storage") != std::string::npos);
        if (test.name == "streamed")
            CHECK(text.find("leans on a guess: scenario.runtime.working_memory_share") != std::string::npos);
        if (test.name == "two pools") CHECK(text.find("engine flags: -ngl 99 --n-cpu-moe 21") != std::string::npos);
        CHECK(text.find("\n|---") != std::string::npos);
    }
}

TEST_CASE("rounding of a report keeps the side of a limit") {
    CHECK(speed(4.3961) == "4.40");
    CHECK(speed(166.64) == "167");
    CHECK(speed(9.996) == "10.0");
    CHECK(speed(9.996, 10.0) == "9.996");
    CHECK(speed(10.0, 10.0) == "10.0");
    CHECK(speed(0.0) == "0");
    CHECK(percent(0.7445) == "74.5 %");
    CHECK(percent(0.99999) == "> 99.9 %");
    CHECK(percent(1e-6) == "< 0.1 %");
    CHECK(percent(1.0) == "100.0 %");
    CHECK(percent_at_least(0.91301) == "91.4 %");
    CHECK(percent_at_most(0.08699) == "8.6 %");
    CHECK(gb(Bytes(237.5387e9)) == "237.5 GB");
    CHECK(gb(Bytes(9.851e9)) == "9.85 GB");
    CHECK(gb(Bytes(1.3e6)) == "0.001 GB");
    CHECK(gb_at_most(Bytes(235.38e9)) == "235.3 GB");
    CHECK(effect(-0.001) == "0.00 %");
}

TEST_CASE("a page wraps, and files cannot steer the terminal") {
    Page page(40, false);
    page.line("  one two three four five six seven eight nine ten", 4);
    page.line(std::string(95, 'z'), 2);
    page.line("a\x1b[31mred\x07 \xc2\x9b end", 2);
    for (const std::string& line : lines_of(page.text())) CHECK(columns(line) <= 40);
    CHECK(page.text().find('\x1b') == std::string::npos);
    CHECK(page.text().find("a?[31mred? ? end") != std::string::npos);
    CHECK(std::count(page.text().begin(), page.text().end(), 'z') == 95);
}
