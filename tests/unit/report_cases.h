// Cases that the tests of report/ run through, loaded from the source tree's catalogue: streamed, two pools,
// speculating, overlapping, several chunks, page-cached, dense, not fitting, and one per kind of unknown input.
#pragma once

#include "report/report.h"

#include <string>
#include <vector>

namespace spillway {

struct ReportCase {
    std::string name;
    CaseRequest request;
};

inline std::vector<ReportCase> report_cases() {
    const std::string mac = "apple-m3-ultra-256gb", host = "rtx-5090-host-128gb", v41 = "deepseek-v4.1-flash";
    const auto streamed = [&](std::vector<std::string> settings) {
        return CaseRequest{v41, mac, "default", "native", std::move(settings)};
    };
    return {
        {"streamed", streamed({})},
        {"the article's arithmetic", {v41, mac, "offload-arithmetic", "native", {}}},
        {"all in memory", {v41, mac, "offload-arithmetic", "2.5", {}}},
        {"speculating", streamed({"scenario.positions=6", "scenario.accepted=3"})},
        {"overlapping", streamed({"scenario.runtime.overlap_decode=0.5", "scenario.runtime.overlap_prefill=0.5"})},
        {"several chunks", streamed({"scenario.prompt=9000", "scenario.depth=8000", "scenario.sequences=2"})},
        {"forced residency", streamed({"scenario.residency=0.5"})},
        {"small budget", streamed({"scenario.expert_budget=3 GB"})},
        {"page cache", streamed({"scenario.runtime=streamer-page-cache"})},
        {"two pools and a drive", {v41, host, "default", "native", {}}},
        {"two pools", {"gpt-oss-120b", host, "default", "native", {"scenario.runtime=llama.cpp-cuda-ram"}}},
        {"dense over two pools", {"llama-3.3-70b", host, "default", "native", {}}},
        {"does not fit", {"deepseek-v4-pro", "apple-m4-16gb", "default", "native", {}}},
        {"unknown compute", streamed({"machine.compute.rate=null", "machine.compute.rated=null"})},
        {"unknown drive", streamed({"machine.storage.internal.rate=null"})},
        {"unknown memory", streamed({"machine.memory.unified.usable=null"})},
        {"unknown bandwidth", streamed({"machine.memory.unified.bandwidth=null"})},
        {"unknown bits", streamed({"quantization.rest=null"})},
        {"unknown layer time", streamed({"scenario.runtime.t_layer.apple-gpu=null"})},
    };
}

inline LoadedCase load(const CaseRequest& request) { return load_case(request, Catalogue(SPILLWAY_TESTS_DIR "/..")); }

inline Report report_of(const LoadedCase& loaded) {
    return Report{loaded, evaluate(loaded.value), residency_line(loaded.value), influences(loaded.value), "0"};
}

} // namespace spillway
