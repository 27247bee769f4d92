// Output of llama-bench (-o json, jsonl, csv or md) as figures of a case. In: the text and the case that ran. Out: a
// figure per test of a prompt or of generation, and the rows that are not of the case, each with its reason.
#pragma once

#include "calibrate/own_run.h"

#include <string>
#include <vector>

namespace spillway {

struct BenchRow {
    std::string model_type;            // "llama 7B Q4_0"
    std::optional<double> model_bytes; // of its tensors
    double prompt = 0.0, generated = 0.0, depth = 0.0;
    std::optional<double> micro_batch, gpu_layers;
    std::string kv_type; // of keys; empty: not said
    double tokens_per_second = 0.0;
    std::string date;
};

// Throws InputError if the text is none of the four formats or holds no test.
std::vector<BenchRow> read_llama_bench(const std::string& text, const std::string& shown);

struct BenchFigures {
    std::vector<OwnFigure> figures;
    std::vector<std::string> left_out; // "pp512+tg128: mixes prompt and generation"
    std::string date;                  // of the last test
};

// Weights whose size is further from the case's than this are another model or format.
inline constexpr double kSameSize = 0.05;
BenchFigures figures_of(const std::vector<BenchRow>& rows, const Case& c);

} // namespace spillway
