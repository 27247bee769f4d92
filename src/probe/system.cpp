#include "probe/system.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace spillway {

namespace {

namespace fs = std::filesystem;

std::string file_text(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Standard output of a fixed command of ours; empty if it fails.
std::string command_text(const char* command) {
    std::FILE* pipe = ::popen(command, "r");
    if (!pipe) return {};
    std::string text;
    char block[4096];
    for (std::size_t n; (n = std::fread(block, 1, sizeof block, pipe)) > 0;) text.append(block, n);
    return ::pclose(pipe) == 0 ? text : std::string{};
}

std::vector<DrmDevice> drm_devices() {
    std::vector<DrmDevice> devices;
    std::error_code error;
    std::vector<fs::path> cards;
    for (const auto& entry : fs::directory_iterator("/sys/class/drm", error)) {
        const std::string name = entry.path().filename();
        // "card0" is a device, "card0-HDMI-A-1" one of its outputs.
        if (name.rfind("card", 0) == 0 && name.find('-') == std::string::npos) cards.push_back(entry.path() / "device");
    }
    std::sort(cards.begin(), cards.end());
    for (const fs::path& card : cards) {
        devices.push_back({file_text(card / "vendor"), file_text(card / "mem_info_vram_total"),
                           file_text(card / "mem_info_gtt_total")});
    }
    return devices;
}

} // namespace

SystemTexts read_system() {
    SystemTexts texts;
    utsname names{};
    if (::uname(&names) == 0) {
        texts.darwin = std::string(names.sysname) == "Darwin";
        texts.architecture = names.machine;
    }
    if (texts.darwin) {
        texts.chip = command_text("sysctl -n machdep.cpu.brand_string 2>/dev/null");
        texts.memsize = command_text("sysctl -n hw.memsize 2>/dev/null");
        texts.wired_limit = command_text("sysctl -n iogpu.wired_limit_mb 2>/dev/null");
        return texts;
    }
    texts.meminfo = file_text("/proc/meminfo");
    texts.cpuinfo = file_text("/proc/cpuinfo");
    texts.cgroup_limit = file_text("/sys/fs/cgroup/memory.max");
    texts.ttm_pages_limit = file_text("/sys/module/ttm/parameters/pages_limit");
    texts.nvidia_smi =
        command_text("nvidia-smi --query-gpu=name,memory.total --format=csv,noheader,nounits 2>/dev/null");
    texts.drm = drm_devices();
    return texts;
}

} // namespace spillway
