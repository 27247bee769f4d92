// No knob without a wire: every numeric input that a user can set moves some figure in some case.
#include "explore/figures_of.h"
#include "io/load_case.h"
#include "text/paths.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>

using namespace spillway;

namespace {

const std::vector<CaseRequest>& requests() {
    const std::string mac = "apple-m3-ultra-256gb", small = "apple-m4-24gb", host = "rtx-4090-host-128gb";
    static const std::vector<CaseRequest> list = {
        {"deepseek-v4.1-flash",
         mac,
         "default",
         "mxfp4",
         {"scenario.positions=3", "scenario.accepted=2", "scenario.runtime=streamer-direct", "scenario.depth=9000",
          "scenario.prompt=5000"}},
        {"deepseek-v4.1-flash",
         small,
         "default",
         "mxfp4",
         {"scenario.runtime=streamer-page-cache", "scenario.runtime.insertion_rate=20 GB/s", "scenario.context=4096",
          "scenario.runtime.prefetch_lookahead=1", "scenario.runtime.prefetch_recall=0.5",
          "scenario.runtime.prefetch_waste=0.2", "scenario.expert_budget=3 GB", "scenario.runtime.t_pass=1 ms",
          "scenario.locality=deepseek-v4.1-flash-layers-0-3"}},
        {"qwen3-235b-a22b", host, "default", "q4_k", {"scenario.runtime=llama.cpp-cuda-ram", "scenario.depth=2000"}},
        {"qwen3-235b-a22b",
         host,
         "default",
         "q4_k",
         {"scenario.runtime=llama.cpp-cuda-ram", "scenario.runtime.spill_access=copied",
          "machine.links.0.latency=20 us", "scenario.runtime.policy=cache"}},
        {"llama-3.3-70b", host, "default", "q8_0", {"scenario.runtime=llama.cpp-cuda-ram", "scenario.sequences=2"}},
        {"gpt-oss-120b", small, "default", "gguf-mxfp4", {"scenario.depth=9000", "scenario.runtime=llama.cpp-metal"}},
        {"qwen3-next-80b", small, "default", "q4_k", {"scenario.depth=100", "scenario.runtime.t_layer_moe=0.1 ms"}},
        {"kimi-k2", mac, "default", "2.5", {"scenario.depth=100", "scenario.runtime.realised_share=0.8"}},
        {"kimi-k3", mac, "default", "2.5", {"scenario.depth=100", "scenario.use_other_parts=true"}},
        {"nemotron-3-super", small, "default", "q4_k", {"scenario.depth=100"}},
        {"glm-5.2", mac, "default", "q4_k", {"scenario.depth=9000", "scenario.prompt=9000"}},
        {"llama-4-maverick", mac, "default", "q4_k", {"scenario.depth=20000", "scenario.prompt=20000"}},
        {"inkling", mac, "default", "q4_k", {"scenario.depth=9000"}},
        {"step-3.5-flash", mac, "default", "q4_k", {"scenario.depth=9000"}},
        {"gemma-4-26b-a4b", small, "default", "q4_k", {"scenario.depth=9000", "scenario.use_other_parts=true"}},
        {"hy4-preview", mac, "default", "2.5", {}},
        {"qwen3.8-flash-next", small, "default", "4", {}},
        {"deepseek-v4-pro", mac, "default", "2.5", {"scenario.positions=2"}},
    };
    return list;
}

// A path without the words that only name an element of a list, so that one case of a kind speaks for all.
std::string pattern(Case& c, const std::string& path) {
    std::string words, shorter = path;
    for (std::size_t end = path.find('.'); end != std::string::npos; end = path.find('.', end + 1)) {
        const std::string head = path.substr(0, end);
        const std::string list = head.substr(0, head.rfind('.'));
        // The head of a list element is a canonical path whose last word the list gave it.
        static const std::array<std::string_view, 8> lists = {"memory", "storage", "links",  "blocks",
                                                              "curve",  "points",  "tables", "other_parts"};
        const std::string name = list.substr(list.rfind('.') + 1);
        if (std::find(lists.begin(), lists.end(), name) != lists.end() && !canonical_path(c, head).empty()) {
            const std::size_t at = shorter.find("." + head.substr(head.rfind('.') + 1) + ".", shorter.find(name));
            if (at != std::string::npos) shorter.replace(at, head.size() - list.size(), ".*");
        }
    }
    // The drafter's layers are blocks like any others; where its own have no such attention, the model's stand for
    // them.
    constexpr std::string_view drafter = "model.drafter.blocks.";
    if (shorter.starts_with(drafter)) shorter.replace(0, drafter.size(), "model.blocks.");
    // One value for each kind of processor: a machine has few of them.
    for (const std::string_view kind : EnumNames<Processor>::names) {
        const std::size_t at = shorter.rfind("." + std::string(kind));
        if (at != std::string::npos && at + 1 + kind.size() == shorter.size())
            shorter.replace(at, std::string::npos, ".*");
    }
    return shorter;
}

using Values = std::vector<std::string>;
Values figures(const Case& c) {
    const Estimate e = evaluate(c);
    Values values;
    for (const Figure& figure : all_figures()) {
        if (figure.number) {
            const auto number = figure.number(e);
            values.push_back(number ? std::to_string(*number * 1e6) : "unknown");
        } else {
            values.emplace_back(figure.word(e));
        }
    }
    for (const Component& part : e.placement.components) {
        values.push_back(part.bytes ? std::to_string(part.bytes->value) : "unknown");
    }
    return values;
}

std::vector<double> other_values(const NumberField& field) {
    const std::optional<double> value = field.get();
    std::vector<double> list;
    const double own = value.value_or(0.0);
    for (const double factor : {1.01, 0.99, 2.0, 0.5, 10.0, 0.1}) list.push_back(own * factor);
    for (const double absolute : {0.5, 1.0, 2.0, 4.0, 16.0, 1e-3, 1e9, 1e10}) list.push_back(absolute);
    std::vector<double> allowed;
    for (double other : list) {
        if (field.whole) other = std::round(other);
        if (other >= field.minimum && other <= field.maximum && (!value || other != own)) allowed.push_back(other);
    }
    return allowed;
}

bool moves_a_figure(const Case& c, const std::string& path, const Values& before) {
    Case trial = c;
    const NumberField field = *number_field(trial, path);
    for (const double other : other_values(field)) {
        field.set(other);
        if (figures(trial) != before) return true;
    }
    return false;
}

} // namespace

TEST_CASE("every numeric input moves some figure in some case", "[knobs]") {
    std::set<std::string> seen, live;
    for (const CaseRequest& request : requests()) {
        Case c = load_case(request, Catalogue(data_root(""))).value;
        c.alternatives.clear();
        const Values before = figures(c);
        for (const std::string& path : number_paths(c)) {
            const std::string kind = pattern(c, path);
            seen.insert(kind);
            if (live.count(kind) == 0 && moves_a_figure(c, path, before)) live.insert(kind);
        }
    }
    CHECK(seen.size() > 100);
    for (const std::string& kind : seen) {
        INFO(kind << " is accepted and moves nothing");
        CHECK(live.count(kind) == 1);
    }
}
