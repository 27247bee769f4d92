// A dense model of published shape on a machine of one pool, as a Case: for fits to published decode figures.
#pragma once

#include "calibrate/observation.h"
#include "support/synthetic.h"

#include <string>

namespace spillway::synthetic {

// 36 layers of 3,633,315,840 parameters in all and a tied embedding of 151,936 x 2,560: Qwen3-4B as its config.json
// gives it (hidden 2560, heads 32 of 128, 8 KV heads, dense width 9728).
inline Model qwen3_4b() {
    Model m;
    m.name = "qwen3-4b";
    m.hidden = 2560;
    m.vocabulary = 151'936;
    m.tied_embedding = true;
    Block block;
    for (int i = 0; i < 36; ++i) block.layers.numbers.push_back(i);
    block.extra_params = 100'925'440;
    m.blocks = {block};
    return m;
}

// A model of 32 layers with the given parameters read per token, all of them in the layers but 1,000.
inline Model dense(const char* name, int layers, double params) {
    Model m;
    m.name = name;
    m.hidden = 1;
    m.vocabulary = 1000;
    m.tied_embedding = true;
    Block block;
    for (int i = 0; i < layers; ++i) block.layers.numbers.push_back(i);
    block.extra_params = static_cast<Count>((params - 1000.0) / layers);
    m.blocks = {block};
    return m;
}

// Everything at one width, an empty cache, no fixed time per layer; `t_pass` is what a fit turns.
inline Observation decode_row(const Model& model, double bits, double gigabytes_per_second, double tokens_per_second) {
    Observation row;
    Case& c = row.value;
    c.machine.name = "one pool";
    c.machine.memory = {pool("unified", Processor::apple_gpu, 192.0, gigabytes_per_second)};
    c.machine.compute.rate = FlopsPerSecond(1e13);
    c.model = model;
    c.quantization.name = "one width";
    c.quantization.experts = c.quantization.rest = c.quantization.embedding = bits;
    c.scenario.context = 4096;
    c.scenario.prompt = 512;
    c.scenario.runtime = runtime();
    c.scenario.runtime.t_pass = Seconds(1e-3);
    row.id = row.quantization = std::to_string(bits);
    row.labels = {"one pool", model.name, "engine", "table"};
    row.measured = tokens_per_second;
    return row;
}

} // namespace spillway::synthetic
