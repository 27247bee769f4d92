// Small cases built in code, with round numbers that can be worked by hand.
#pragma once

#include "inputs/scenario.h"

namespace spillway::synthetic {

// 10 layers of 100 experts, k = 4; one expert has 10^7 parameters and, at 8 bits, 10 MB: a pool of 10 GB and 400 MB
// of expert bytes per token. Every layer has 10^7 other parameters (router 10^5, dense part 9.9 x 10^6): 100 MB in all.
// Embedding and head: 10^6 parameters each, 2 bytes.
inline Model model() {
    Model m;
    m.name = "synthetic";
    m.hidden = 1000;
    m.vocabulary = 1000;
    Block block;
    for (int i = 0; i < 10; ++i) block.layers.numbers.push_back(i);
    block.experts = Experts{100, 4, 2, 1000, 5000};
    block.extra_params = 9'900'000;
    m.blocks = {block};
    return m;
}

inline Quantization eight_bits() {
    Quantization q;
    q.name = "8 bits";
    q.experts = 8.0;
    q.rest = 8.0;
    q.embedding = 16.0;
    return q;
}

inline MemoryPool pool(const char* name, Processor processor, double gigabytes, double gigabytes_per_second) {
    MemoryPool p;
    p.name = name;
    p.processor = processor;
    p.capacity = Bytes(gigabytes * 1e9);
    p.usable = p.capacity;
    p.bandwidth = BytesPerSecond(gigabytes_per_second * 1e9);
    p.sustained = 1.0;
    return p;
}

inline Runtime runtime() {
    Runtime r;
    r.name = "synthetic";
    for (auto& t : r.t_layer.values) t = Seconds(0.0);
    r.working_memory = Bytes(0.0);
    r.micro_batch = 512;
    return r;
}

// One pool of `gigabytes` at 100 GB/s, a flat drive of 5 GB/s, no fixed times. The scratch floor is
// 4 B x 2000 x chunk = 4 MB at a chunk of 512.
inline Case one_pool(double gigabytes = 6.0) {
    Case c;
    c.machine.name = "one pool";
    c.machine.memory = {pool("ram", Processor::apple_gpu, gigabytes, 100.0)};
    Drive drive;
    drive.name = "drive";
    drive.rate = BytesPerSecond(5e9);
    c.machine.storage = {drive};
    c.machine.compute.rate = FlopsPerSecond(1e12);
    c.model = model();
    c.quantization = eight_bits();
    c.scenario.name = "synthetic";
    c.scenario.prompt = 512;
    c.scenario.context = 4096;
    c.scenario.runtime = runtime();
    return c;
}

// A fast pool of `fast` GB at 100 GB/s and a slow one of `slow` GB at 20 GB/s, joined by 10 GB/s.
inline Case two_pools(double fast = 3.0, double slow = 20.0) {
    Case c = one_pool(fast);
    c.machine.memory.push_back(pool("host", Processor::cpu_desktop, slow, 20.0));
    Link link;
    link.name = "link";
    link.rate = BytesPerSecond(10e9);
    c.machine.links = {link};
    c.scenario.runtime.spills = true;
    c.scenario.runtime.policy = Policy::static_heat;
    return c;
}

} // namespace spillway::synthetic
