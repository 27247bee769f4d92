// What the running system says about itself, as plain text: read once here, interpreted in detect.h, so that every
// rule of interpretation can be tested without the machine it is about.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace spillway {

// One AMD or Intel graphics device as the Linux kernel shows it (bytes as text; empty where there is no such file).
struct DrmDevice {
    std::string vendor; // "0x1002" AMD, "0x8086" Intel
    std::string vram_total;
    std::string gtt_total;
};

// Empty text or optional: the system has no such answer.
struct SystemTexts {
    bool darwin = false;
    std::string architecture; // uname -m
    // Linux
    std::string meminfo;         // /proc/meminfo
    std::string cpuinfo;         // /proc/cpuinfo
    std::string cgroup_limit;    // memory.max
    std::string ttm_pages_limit; // module parameter of the GPU memory manager, in pages of 4096 bytes
    std::string nvidia_smi;      // name, memory.total in MiB, one line a card, without units
    std::vector<DrmDevice> drm;
    // macOS
    std::string chip;        // machdep.cpu.brand_string
    std::string memsize;     // hw.memsize, bytes
    std::string wired_limit; // iogpu.wired_limit_mb, MiB; 0: the system's default
};

// Reads the above from this system. Never fails: what cannot be read stays empty.
SystemTexts read_system();

} // namespace spillway
