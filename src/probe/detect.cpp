#include "probe/detect.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

namespace spillway {

namespace {

constexpr double kPage = 4096.0;

std::optional<double> number(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end == text.data() || !std::isfinite(value) || value < 0.0) return std::nullopt;
    return value;
}

// "MemTotal:  123 kB" of /proc/meminfo; the kernel's kB are 1024 bytes.
std::optional<Bytes> meminfo(const std::string& text, std::string_view key) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind(std::string(key) + ":", 0) != 0) continue;
        const auto kib = number(std::string_view(line).substr(key.size() + 1));
        return kib ? std::optional(Bytes(*kib * kKiB)) : std::nullopt;
    }
    return std::nullopt;
}

std::string processor_name(const std::string& cpuinfo) {
    std::istringstream lines(cpuinfo);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(": ");
        if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
    }
    return {};
}

std::size_t threads(const std::string& cpuinfo) {
    std::size_t count = 0;
    std::istringstream lines(cpuinfo);
    for (std::string line; std::getline(lines, line);) count += line.rfind("processor", 0) == 0 ? 1 : 0;
    return count;
}

bool contains(const std::string& text, std::string_view word) { return text.find(word) != std::string::npos; }

void source(Detection& d, std::string of, Basis basis, std::string text) {
    d.file.sources.push_back({std::move(of), basis, std::move(text)});
}

Processor host_processor(const std::string& name) {
    const bool server = contains(name, "EPYC") || contains(name, "Xeon") || contains(name, "Threadripper");
    return server ? Processor::cpu_server : Processor::cpu_desktop;
}

// Share of memory that recent macOS lets the GPU wire by default, by size in GiB (llama.cpp logs and other sightings;
// see the sources of the Mac profiles). Sizes between are not known.
std::optional<double> default_wired_share(double gib) {
    struct Row {
        double gib, share;
    };
    for (const Row row : {Row{16, 0.74}, Row{24, 0.74}, Row{48, 0.78}, Row{64, 0.81}, Row{128, 0.84}}) {
        if (std::abs(gib - row.gib) < 0.5) return row.share;
    }
    return std::nullopt;
}

void detect_apple(const SystemTexts& t, Detection& d) {
    const auto bytes = number(t.memsize);
    MemoryPool pool;
    pool.name = "unified";
    pool.processor = Processor::apple_gpu;
    pool.capacity = Bytes(bytes.value_or(0.0));
    source(d, "memory.unified.capacity", Basis::measured, "hw.memsize of this machine");
    const double limit = number(t.wired_limit).value_or(0.0);
    const double gib = pool.capacity.value / kGiB;
    if (limit > 0.0) {
        pool.usable = Bytes(limit * kMiB);
        source(d, "memory.unified.usable", Basis::measured, "iogpu.wired_limit_mb of this machine");
    } else if (const auto share = default_wired_share(gib)) {
        pool.usable = *share * pool.capacity;
        source(d, "memory.unified.usable", Basis::derived,
               "default GPU limit of recent macOS at this size; older versions allow less");
    }
    pool.limit_command =
        fmt::format("sudo sysctl iogpu.wired_limit_mb={:.0f}", (gib - std::max(6.0, 0.06 * gib)) * 1024.0);
    d.file.machine.memory = {pool};
    d.file.machine.name = fmt::format("this machine ({}, {:.0f} GiB)",
                                      t.chip.empty() ? "Apple" : t.chip.substr(0, t.chip.find('\n')), gib);
}

MemoryPool host_pool(const SystemTexts& t, Detection& d) {
    MemoryPool pool;
    pool.name = "ram";
    pool.processor = host_processor(processor_name(t.cpuinfo));
    pool.capacity = meminfo(t.meminfo, "MemTotal").value_or(Bytes(0.0));
    source(d, "memory.ram.capacity", Basis::measured, "MemTotal of this machine");
    pool.usable = meminfo(t.meminfo, "MemAvailable");
    if (pool.usable)
        source(d, "memory.ram.usable", Basis::measured,
               "MemAvailable of this machine now: page cache counts as free, other processes' memory does not");
    const auto limit = number(t.cgroup_limit); // "max" is no number
    if (limit && (!pool.usable || *limit < pool.usable->value)) {
        pool.usable = Bytes(*limit);
        source(d, "memory.ram.usable", Basis::measured, "memory limit of this container");
    }
    if (pool.usable && *pool.usable > pool.capacity) pool.usable = pool.capacity;
    return pool;
}

// A machine whose GPU shares the RAM: the host pool becomes the one pool, under the GPU's limit.
void make_unified(Detection& d, MemoryPool& pool, Processor processor) {
    pool.name = "unified";
    pool.processor = processor;
    for (Source& s : d.file.sources) {
        if (s.of.rfind("memory.ram", 0) == 0) s.of.replace(0, 10, "memory.unified");
    }
}

// Lines "NAME, MIB" of the vendor's tool. A unified GB10 has no memory of its own to report.
std::vector<MemoryPool> nvidia_pools(const SystemTexts& t, Detection& d, MemoryPool& host) {
    std::vector<MemoryPool> pools;
    std::istringstream lines(t.nvidia_smi);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t comma = line.rfind(',');
        if (comma == std::string::npos) continue;
        const std::string name = line.substr(0, comma);
        if (contains(name, "GB10")) {
            make_unified(d, host, Processor::gb10);
            continue;
        }
        const auto mib = number(std::string_view(line).substr(comma + 1));
        if (!mib) continue;
        MemoryPool pool;
        pool.name = pools.empty() ? "vram" : fmt::format("vram-{}", pools.size() + 1);
        const bool center =
            contains(name, "A100") || contains(name, "H100") || contains(name, "H200") || contains(name, "B200");
        pool.processor = center ? Processor::nvidia_datacenter : Processor::nvidia_gpu;
        pool.capacity = Bytes(*mib * kMiB);
        pool.usable = pool.capacity;
        source(d, fmt::format("memory.{}", pool.name), Basis::measured, name + " as its driver reports it");
        pools.push_back(pool);
    }
    return pools;
}

void detect_amd(const SystemTexts& t, Detection& d, MemoryPool& host, std::vector<MemoryPool>& pools) {
    for (const DrmDevice& device : t.drm) {
        if (device.vendor.rfind("0x1002", 0) != 0) continue;
        const auto vram = number(device.vram_total), gtt = number(device.gtt_total);
        if (contains(processor_name(t.cpuinfo), "RYZEN AI MAX") && gtt) {
            make_unified(d, host, Processor::strix_halo);
            const auto pages = number(t.ttm_pages_limit);
            host.usable = Bytes(*gtt);
            source(d, "memory.unified.usable", Basis::measured, "GTT size of this machine");
            host.limit_command =
                fmt::format("kernel parameter ttm.pages_limit={:.0f}", std::floor(0.97 * host.capacity.value / kPage));
            if (pages && *gtt < 0.6 * *pages * kPage) {
                d.remarks.push_back(fmt::format("the driver reports {:.0f} MiB of GTT where {:.0f} MiB are configured: "
                                                "some driver versions halve it",
                                                *gtt / kMiB, *pages * kPage / kMiB));
            }
        } else if (vram && *vram >= 4.0 * kGiB) { // less is a graphics aperture, not a card
            MemoryPool pool;
            pool.name = pools.empty() ? "vram" : fmt::format("vram-{}", pools.size() + 1);
            pool.processor = Processor::amd_gpu;
            pool.capacity = Bytes(*vram);
            pool.usable = pool.capacity;
            source(d, fmt::format("memory.{}", pool.name), Basis::measured, "VRAM as the kernel reports it");
            pools.push_back(pool);
        }
    }
}

void detect_linux(const SystemTexts& t, Detection& d) {
    MemoryPool host = host_pool(t, d);
    std::vector<MemoryPool> pools = nvidia_pools(t, d, host);
    detect_amd(t, d, host, pools);
    const bool cards = !pools.empty();
    pools.push_back(host);
    d.file.machine.memory = pools;
    const std::string name = processor_name(t.cpuinfo);
    d.file.machine.name =
        fmt::format("this machine ({}, {} threads, {:.0f} GiB)", name.empty() ? "processor unknown" : name,
                    threads(t.cpuinfo), host.capacity.value / kGiB);
    if (cards) d.file.machine.links = {Link{"pcie", std::nullopt, std::nullopt}};
}

} // namespace

Detection detect(const SystemTexts& texts) {
    Detection d;
    d.file = new_file<MachineFile>();
    source(d, "", Basis::measured, "this machine; rates are unknown until measured");
    const bool apple_silicon = texts.darwin && texts.architecture == "arm64";
    if (apple_silicon) {
        detect_apple(texts, d);
    } else {
        detect_linux(texts, d);
    }
    d.file.machine.storage = {Drive{"disk", std::nullopt, {}}};
    return d;
}

} // namespace spillway
