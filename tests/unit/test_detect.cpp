// `-d this`: what a system says, and what becomes of it (docs/faults.md: D02, D03, D05, D07, D08).
#include "probe/detect.h"

#include <catch2/catch.hpp>

using namespace spillway;

namespace {

const std::string kMemory = "MemTotal:       134217728 kB\nMemFree:         7790000 kB\nMemAvailable:   118751520 kB\n";

SystemTexts linux_box(const std::string& cpu) {
    SystemTexts t;
    t.architecture = "x86_64";
    t.meminfo = kMemory;
    t.cpuinfo = "processor\t: 0\nmodel name\t: " + cpu + "\nprocessor\t: 1\nmodel name\t: " + cpu + "\n";
    t.cgroup_limit = "max\n";
    return t;
}

SystemTexts mac(const std::string& chip, double gib, const std::string& limit) {
    SystemTexts t;
    t.darwin = true;
    t.architecture = "arm64";
    t.chip = chip + "\n";
    t.memsize = std::to_string(static_cast<long long>(gib * 1073741824.0)) + "\n";
    t.wired_limit = limit;
    return t;
}

} // namespace

TEST_CASE("a wired limit is in MiB, and 0 is the default, not no memory", "[detect]") {
    const MemoryPool set = detect(mac("Apple M2 Max", 32, "26000\n")).file.machine.memory.at(0);
    CHECK(set.usable->value == 26000.0 * kMiB); // 25.39 GiB
    const MemoryPool unset = detect(mac("Apple M4 Max", 64, "0\n")).file.machine.memory.at(0);
    CHECK(unset.usable->value == Approx(0.81 * 64 * kGiB));
    // No default was ever seen at this size: unknown, not a guess.
    CHECK_FALSE(detect(mac("Apple M2 Ultra", 192, "0\n")).file.machine.memory.at(0).usable.has_value());
}

TEST_CASE("every Apple chip is unified, by its architecture and not by its name", "[detect]") {
    const auto memory = detect(mac("Apple A18 Pro", 8, "0\n")).file.machine.memory;
    REQUIRE(memory.size() == 1);
    CHECK(memory[0].name == "unified");
    CHECK(memory[0].capacity.value == 8 * kGiB);
}

TEST_CASE("page cache is free memory, other processes' memory is not", "[detect]") {
    const MemoryPool ram = detect(linux_box("AMD Ryzen 9 9950X")).file.machine.memory.at(0);
    CHECK(ram.capacity.value == 134217728.0 * 1024);
    CHECK(ram.usable->value == 118751520.0 * 1024);
    CHECK(ram.processor == Processor::cpu_desktop);
    CHECK(detect(linux_box("AMD EPYC 9454")).file.machine.memory.at(0).processor == Processor::cpu_server);
}

TEST_CASE("a container's limit bounds what is usable", "[detect]") {
    SystemTexts t = linux_box("AMD Ryzen 9 9950X");
    t.cgroup_limit = "17179869184\n";
    CHECK(detect(t).file.machine.memory.at(0).usable->value == 16 * kGiB);
}

TEST_CASE("an integrated GPU without memory of its own gets none", "[detect]") {
    SystemTexts t = linux_box("Intel Core i7-8700");
    t.drm = {DrmDevice{"0x8086\n", "", ""}, DrmDevice{"0x1002\n", "536870912\n", "33285996544\n"}};
    const auto memory = detect(t).file.machine.memory;
    REQUIRE(memory.size() == 1);
    CHECK(memory[0].name == "ram");
}

TEST_CASE("cards come before the RAM, and rates are unknown", "[detect]") {
    SystemTexts t = linux_box("AMD Ryzen 9 9950X");
    t.nvidia_smi = "NVIDIA GeForce RTX 4090, 24564\n";
    const Machine m = detect(t).file.machine;
    REQUIRE(m.memory.size() == 2);
    CHECK(m.memory[0].name == "vram");
    CHECK(m.memory[0].capacity.value == 24564 * kMiB);
    CHECK(m.memory[1].name == "ram");
    CHECK_FALSE(m.memory[0].bandwidth.has_value());
    CHECK_FALSE(m.storage.at(0).rate.has_value());
    CHECK_FALSE(m.links.at(0).rate.has_value());
    CHECK_FALSE(m.compute.rate.has_value());
}

TEST_CASE("unified memory is one pool, never counted twice", "[detect]") {
    SECTION("GB10") {
        SystemTexts t = linux_box("Cortex-X925");
        t.nvidia_smi = "NVIDIA GB10, [N/A]\n";
        const auto memory = detect(t).file.machine.memory;
        REQUIRE(memory.size() == 1);
        CHECK(memory[0].processor == Processor::gb10);
    }
    SECTION("Strix Halo: GTT pages of 4096 bytes, and a driver that halves them") {
        SystemTexts t = linux_box("AMD RYZEN AI MAX+ 395 w/ Radeon 8060S");
        t.ttm_pages_limit = "32505856\n"; // 124 GiB
        t.drm = {DrmDevice{"0x1002\n", "536870912\n", "133143986176\n"}};
        Detection d = detect(t);
        REQUIRE(d.file.machine.memory.size() == 1);
        CHECK(d.file.machine.memory[0].usable->value == 126976 * kMiB);
        CHECK(d.remarks.empty());
        t.drm[0].gtt_total = "67166535680\n"; // 64055 MiB
        CHECK(detect(t).remarks.size() == 1);
    }
}
