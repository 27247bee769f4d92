#include "report/input_paths.h"

#include "text/path_walk.h"

#include <cstddef>

namespace spillway {

namespace {

// Where a name stands twice in a list, the path form is the index.
template <class T>
std::string element_path(std::string_view list_path, const std::vector<T>& list, std::size_t i,
                         std::string_view field) {
    return path_join(path_join(path_join("", list_path), element_word(list, i)), field);
}

std::string drive_path(const Case& c) {
    const Drive& drive = c.machine.storage.front();
    return element_path("machine.storage", c.machine.storage, 0, drive.curve.empty() ? "rate" : "curve");
}

std::string by_kind(const Case& c, int pool, std::string_view table) {
    const MemoryPool& memory = c.machine.memory[static_cast<std::size_t>(pool)];
    return path_join(path_join("scenario.runtime", table),
                     EnumNames<Processor>::names[static_cast<std::size_t>(memory.processor)]);
}

std::vector<std::string> memory_paths(const Case& c, int pool, std::string_view bits) {
    const auto i = static_cast<std::size_t>(pool);
    return {pool_path(c, i, "bandwidth"), pool_path(c, i, "sustained"), path_join("quantization", bits)};
}

std::vector<std::string> storage_paths(const Case& c) {
    if (c.machine.storage.empty()) return {};
    return {drive_path(c), "scenario.runtime.realised_share", "scenario.runtime.lanes", "scenario.runtime.pieces"};
}

std::vector<std::string> link_paths(const Case& c) {
    if (c.machine.links.empty()) return {};
    return {element_path("machine.links", c.machine.links, 0, "rate")};
}

std::vector<std::string> compute_paths(const Case& c, int pool) {
    if (c.machine.compute.rate || !c.machine.compute.rated) return {"machine.compute.rate"};
    return {"machine.compute.rated", by_kind(c, pool, "compute_share")};
}

std::vector<std::string> hidden_paths(const Runtime& r) {
    if (r.prefetch_lookahead <= 0.0) return {"scenario.runtime.overlap_decode"};
    return {"scenario.runtime.overlap_decode", "scenario.runtime.prefetch_lookahead",
            "scenario.runtime.prefetch_recall"};
}

} // namespace

std::string pool_path(const Case& c, std::size_t pool, std::string_view field) {
    return element_path("machine.memory", c.machine.memory, pool, field);
}

std::vector<std::string> input_paths(const Case& c, const Term& term) {
    switch (term.id) {
    case TermId::forced_pass: return {"scenario.resident_pass"};
    case TermId::read_fixed:
    case TermId::memory_fixed: return memory_paths(c, term.pool, "rest");
    case TermId::read_experts:
    case TermId::memory_experts: return memory_paths(c, term.pool, "experts");
    case TermId::read_kv:
        return {pool_path(c, static_cast<std::size_t>(term.pool), "bandwidth"), "scenario.runtime.kv_share",
                "scenario.depth"};
    case TermId::read_drafter: return memory_paths(c, term.pool, "drafter_rest");
    case TermId::layers: return {by_kind(c, term.pool, "t_layer")};
    case TermId::moe_layers: return {"scenario.runtime.t_layer_moe"};
    case TermId::pass: return {"scenario.runtime.t_pass"};
    case TermId::sync: return {"scenario.runtime.t_sync"};
    case TermId::handoff: return {"scenario.runtime.handoff"};
    case TermId::link_experts:
    case TermId::link_chunk: return link_paths(c);
    case TermId::link_latency: return {"machine.links.0.latency"};
    case TermId::storage_misses:
    case TermId::storage_chunk:
    case TermId::storage_tail: return storage_paths(c);
    case TermId::page_cache: return {"scenario.runtime.page_cache_rate"};
    case TermId::insertion: return {"scenario.runtime.insertion_rate"};
    case TermId::lookup: return {drive_path(c), "scenario.runtime.lanes", "quantization.tables"};
    case TermId::hidden: return hidden_paths(c.scenario.runtime);
    case TermId::forced_compute: return {"scenario.prefill_compute"};
    case TermId::compute: return compute_paths(c, term.pool);
    }
    return {};
}

} // namespace spillway
