#include "report/notes.h"

#include "report/figures.h"
#include "text/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace spillway {

namespace {

using Pools = std::vector<MemoryPool>;

// The first pool in use without the value, by name; the first pool if all have it.
template <class Member>
const MemoryPool& pool_without(const Report& report, Member member) {
    const Pools& pools = report.loaded.value.machine.memory;
    const auto in_use = std::min(pools.size(), static_cast<std::size_t>(report.estimate.placement.pools_in_use));
    const auto end = pools.begin() + static_cast<std::ptrdiff_t>(in_use);
    const auto found = std::find_if(pools.begin(), end, [member](const MemoryPool& pool) { return !(pool.*member); });
    return found == end ? pools.front() : *found;
}

// Quoted for a shell as a whole where the path holds the space of a name.
std::string supply(std::string_view path, std::string_view example) {
    if (path.find(' ') != std::string_view::npos) return fmt::format("Supply it with --set '{}={}'.", path, example);
    return fmt::format("Supply it with --set {}=\"{}\".", path, example);
}

std::string unknown_of_pool(const MemoryPool& pool, std::string_view what, std::string_view field,
                            std::string_view example) {
    return fmt::format("{} of memory pool {} is unknown. {}", what, pool.name,
                       supply(fmt::format("machine.memory.{}.{}", pool.name, field), example));
}

std::string unknown_storage_rate(const Machine& machine) {
    const std::string& drive = machine.storage.front().name;
    return fmt::format("The read rate of drive {} is unknown. {}", drive,
                       supply(fmt::format("machine.storage.{}.rate", drive), "6 GB/s"));
}

// Arithmetic of another processor has no rate of its own in a machine's profile.
std::string unknown_compute(const Report& report) {
    bool beside = false;
    for (const Term& term : report.estimate.prefill.terms) {
        const bool memory = term.id == TermId::memory_fixed || term.id == TermId::memory_experts;
        beside = beside || (memory && term.pool > 0);
    }
    if (beside) {
        return "Prefill is computed in part by the processor beside the first memory pool, whose arithmetic rate is "
               "unknown. " +
               supply("scenario.prefill_compute", "2 s") + " It is the compute time per chunk.";
    }
    return "The arithmetic rate in prefill is unknown, so prefill has no speed. " +
           supply("machine.compute.rate", "20 TFLOP/s");
}

std::string unknown_bits(const Quantization& q) {
    const std::string_view part = !q.experts ? "experts" : !q.rest ? "rest" : "embedding";
    return fmt::format("Bits per weight of the part \"{}\" are unknown in quantization {}. {}", part, q.name,
                       supply(fmt::format("quantization.{}", part), "4.25"));
}

std::string unknown_link_rate(const Machine& machine) {
    if (machine.links.empty()) {
        return "The machine has no link between its first two memory pools. Add one to \"links\" in the machine's "
               "file.";
    }
    const std::string& link = machine.links.front().name;
    return fmt::format("The rate of link {} is unknown. {}", link,
                       supply(fmt::format("machine.links.{}.rate", link), "25 GB/s"));
}

std::string unknown_layer_time(const Report& report) {
    const Pools& pools = report.loaded.value.machine.memory;
    std::size_t pool = 0;
    for (const Term& term : report.estimate.decode.terms) {
        if (term.id == TermId::layers && !term.seconds) pool = static_cast<std::size_t>(term.pool);
    }
    const std::string_view kind = EnumNames<Processor>::names[static_cast<std::size_t>(pools[pool].processor)];
    return fmt::format("Runtime {} does not state its fixed time per layer on a processor of kind {}. {}",
                       report.loaded.value.scenario.runtime.name, kind,
                       supply(fmt::format("scenario.runtime.t_layer.{}", kind), "0.1 ms"));
}

std::string unknown_text(const Report& report, NoteId id) {
    const Case& c = report.loaded.value;
    switch (id) {
    case NoteId::unknown_usable:
        return unknown_of_pool(pool_without(report, &MemoryPool::usable), "The usable memory", "usable", "48 GiB");
    case NoteId::unknown_bandwidth:
        return unknown_of_pool(pool_without(report, &MemoryPool::bandwidth), "The bandwidth", "bandwidth", "400 GB/s");
    case NoteId::unknown_sustained:
        return unknown_of_pool(pool_without(report, &MemoryPool::sustained), "The sustained share of the bandwidth",
                               "sustained", "80 %");
    case NoteId::unknown_storage_rate: return unknown_storage_rate(c.machine);
    case NoteId::unknown_compute: return unknown_compute(report);
    case NoteId::unknown_bits: return unknown_bits(c.quantization);
    case NoteId::unknown_link_rate: return unknown_link_rate(c.machine);
    case NoteId::unknown_page_cache_rate:
        return "The rate of reads that the page cache serves is unknown. " +
               supply("scenario.runtime.page_cache_rate", "28 GB/s");
    default: return unknown_layer_time(report);
    }
}

} // namespace

std::string note_text(const Report& report, const Note& note) {
    const Bytes bytes(note.value);
    switch (note.id) {
    case NoteId::does_not_fit:
        return fmt::format("What must lie in memory beside the experts exceeds it by {}. A smaller context, fewer "
                           "sequences, fewer bits per weight or more memory would help.",
                           gb(bytes));
    case NoteId::not_limited_by_storage:
        return "Prefill reads nothing from storage and no other time is priced here, so it has no speed: it is not "
               "limited by storage.";
    case NoteId::no_storage:
        return "Experts must spill, and the machine has no drive. Add one to \"storage\" in the machine's file.";
    case NoteId::forced_pass_below_bound:
        return fmt::format("The forced resident pass is faster than memory bandwidth allows: no step that reads these "
                           "weights exceeds {} tok/s.",
                           speed(note.value));
    case NoteId::uniform_routing:
        return "Routing is taken as uniform, the worst stationary case. Measured routers mostly miss less.";
    case NoteId::prefill_uniform: return "Prefill takes routing as uniform: a chunk touches nearly every expert.";
    case NoteId::over_capacity:
        return fmt::format("The forced expert budget and the parts beside it exceed the usable memory by {}.",
                           gb(bytes));
    case NoteId::page_cache_short:
        return fmt::format("The page cache is {} short of what this read path needs to keep its rate. A smaller "
                           "scenario.expert_budget can be faster.",
                           gb(bytes));
    case NoteId::fewer_slots_than_active:
        return fmt::format("Only {} experts per layer fit, fewer than one token uses.", significant(note.value, 3));
    case NoteId::union_upper_bound:
        return "Sequences are taken as independent: the experts that they touch together are an upper bound.";
    case NoteId::sparse_attention_dense:
        return "Attention of sparse or compressed layers is priced by the tokens it attends to; the indexer's own "
               "arithmetic is "
               "not modelled.";
    case NoteId::tables_small_reads:
        return "Lookup rows are small reads, priced at the drive's rate for large ones: no curve for small reads is "
               "known. Supply one in \"curve\" of the drive in the machine's file.";
    case NoteId::spills_to_storage_in_place:
        return "Experts past the last memory pool are paged in while another processor computes on them.";
    default: return unknown_text(report, note.id);
    }
}

} // namespace spillway
