// A machine as a user can state it: memory pools fast to slow, drives, links, compute. Plain values in base units;
// what is not known is an empty optional, never a default. Where each value comes from lies beside the Case (io/).
#pragma once

#include "inputs/fields.h"
#include "inputs/quantity.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace spillway {

// Which kind of processor reads a memory pool. Runtimes state their sustained share and time per layer per kind,
// because these follow from the kernels for that kind of processor (docs/physics.md 3.1).
enum class Processor {
    apple_gpu,
    apple_cpu,
    nvidia_gpu,
    nvidia_datacenter,
    gb10,
    amd_gpu,
    strix_halo,
    cpu_desktop,
    cpu_server
};
inline constexpr int kProcessorKinds = 9;

template <>
struct EnumNames<Processor> {
    static constexpr std::array<std::string_view, kProcessorKinds> names = {
        "apple-gpu", "apple-cpu",  "nvidia-gpu",  "nvidia-datacenter", "gb10",
        "amd-gpu",   "strix-halo", "cpu-desktop", "cpu-server"};
};

// One memory pool. Unified memory is one pool; a GPU host has two (VRAM, then RAM).
struct MemoryPool {
    std::string name;
    Processor processor = Processor::apple_gpu;
    Bytes capacity;                          // as built; memory is sold in GiB
    std::optional<Bytes> usable;             // what a runtime may wire: GPU limit, GTT, capacity less driver reserve
    std::optional<Bytes> usable_default;     // the limit before anyone raised it, where that differs
    std::string limit_command;               // how to set `usable`, for the report; empty if nothing is to be set
    std::optional<BytesPerSecond> bandwidth; // rated
    std::optional<double> sustained;         // share of `bandwidth` that a tuned read kernel reaches, 0 to 1
};

template <class Visitor>
void fields(Visitor& visit, MemoryPool& pool) {
    visit("name", pool.name, FieldInfo{"name of the pool, usable in paths"});
    visit("processor", pool.processor, FieldInfo{"which kind of processor computes on this pool"});
    visit("capacity", pool.capacity, FieldInfo{"memory as built", Presence::required, 1.0, 1e18});
    visit("usable", pool.usable, FieldInfo{"what a runtime may wire", Presence::required, 0.0, 1e18});
    visit("usable_default", pool.usable_default, optional_field("limit before anyone raised it", 0.0, 1e18));
    visit("limit_command", pool.limit_command, optional_field("command that sets the usable limit"));
    visit("bandwidth", pool.bandwidth, FieldInfo{"rated bandwidth", Presence::required, 1.0, 1e18});
    visit("sustained", pool.sustained,
          as_share(FieldInfo{"share of the rated bandwidth that read kernels reach", Presence::required, 1e-6, 1.0}));
}

// One measured point of a drive: read rate at a piece size with so many reads in flight.
struct RatePoint {
    Bytes piece;
    double in_flight = 1.0;
    BytesPerSecond rate;
};

template <class Visitor>
void fields(Visitor& visit, RatePoint& point) {
    visit("piece", point.piece, FieldInfo{"size of one read", Presence::required, 1.0, 1e15});
    visit("in_flight", point.in_flight, FieldInfo{"reads in flight", Presence::required, 1.0, 1e6});
    visit("rate", point.rate, FieldInfo{"bytes per second over all reads in flight", Presence::required, 1.0, 1e15});
}

// A drive: its device ceiling, and its curve where one was measured. With an empty curve the rate is flat. A rate
// given for a drive with a curve scales the curve to that ceiling.
struct Drive {
    std::string name;
    std::optional<BytesPerSecond> rate;
    std::vector<RatePoint> curve;
    double pcie_generation = 0; // of its slot; 0: not stated
    double pcie_lanes = 0;
};

template <class Visitor>
void fields(Visitor& visit, Drive& drive) {
    visit("name", drive.name, FieldInfo{"name of the drive, usable in paths"});
    visit("rate", drive.rate,
          FieldInfo{"read rate that the drive reaches at large pieces and enough reads in flight", Presence::required,
                    1.0, 1e15});
    visit("curve", drive.curve, optional_field("measured points: piece size x reads in flight -> rate; flat if empty"));
    visit("pcie_generation", drive.pcie_generation, optional_field("PCIe generation of its slot; 0: not stated", 0, 6));
    visit("pcie_lanes", drive.pcie_lanes, optional_field("PCIe lanes of its slot; 0: not stated", 0, 16));
}

// A connection between two pools (PCIe) or two machines (network).
struct Link {
    std::string name;
    std::optional<BytesPerSecond> rate; // achieved, one way
    std::optional<Seconds> latency;     // of one transfer
    double pcie_generation = 0;         // 0: no PCIe, or not stated
    double pcie_lanes = 0;
};

// What PCIe carries one way: transfers per second x lanes x coding / 8; Gen4 x16 is 31.5 GB/s (15.75 is Gen3 x16).
// No engine reaches it; 0 for a generation outside 1 to 6 (docs/physics.md 3.3).
BytesPerSecond pcie_bandwidth(double generation, double lanes);

// Share of it that pinned copies to a device reach: 0.76-0.89, n = 16, median 0.865 (NVIDIA/nvbandwidth#15 on Gen4,
// tinygrad/open-gpu-kernel-modules#29 on Gen5); 0.84 is the cautious middle.
inline constexpr double kPcieShare = 0.84;

template <class Visitor>
void fields(Visitor& visit, Link& link) {
    visit("name", link.name, FieldInfo{"name of the link, usable in paths"});
    visit("rate", link.rate, FieldInfo{"achieved rate, one way", Presence::required, 1.0, 1e15});
    visit("latency", link.latency, optional_field("time of one empty transfer", 0.0, 1e3));
    visit("pcie_generation", link.pcie_generation, optional_field("PCIe generation; 0: not stated", 0, 6));
    visit("pcie_lanes", link.pcie_lanes, optional_field("PCIe lanes; 0: not stated", 0, 16));
}

// Arithmetic for prefill. `rate` is achieved on prompts, empty where nobody has measured it; `rated` is the vendor's
// half-precision figure and is used only through a runtime's measured share of it.
struct Compute {
    std::optional<FlopsPerSecond> rate;
    std::optional<FlopsPerSecond> rated;
};

template <class Visitor>
void fields(Visitor& visit, Compute& compute) {
    visit("rate", compute.rate, FieldInfo{"FLOP/s achieved in prefill", Presence::required, 1.0, 1e21});
    visit("rated", compute.rated, optional_field("vendor's dense half-precision FLOP/s", 1.0, 1e21));
}

// The whole machine. `memory` is ordered fast to slow and never empty. `storage` may be empty: then nothing spills.
struct Machine {
    std::string name;
    std::vector<MemoryPool> memory;
    std::vector<Drive> storage; // the first drive holds the model
    std::vector<Link> links;    // the first link joins the first pool to the second
    Compute compute;
};

template <class Visitor>
void fields(Visitor& visit, Machine& machine) {
    visit("name", machine.name, FieldInfo{"name for people"});
    visit("memory", machine.memory, FieldInfo{"memory pools, fast to slow"});
    visit("storage", machine.storage, FieldInfo{"drives; the first one holds the model"});
    visit("links", machine.links, optional_field("links; the first one joins the first two pools"));
    visit("compute", machine.compute, FieldInfo{"arithmetic for prefill"});
}

} // namespace spillway
