// What a router did, one layer of one token at a time, wherever it comes from: a trace file of any format
// (read_trace.h) or a synthetic router (synthetic.h). Consumers see a stream; nothing is kept but what they keep.
#pragma once

#include "io/problem.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace spillway {

// Limits of what is believed to be a trace. The largest model known has 896 experts in a layer and 94 layers.
inline constexpr std::uint32_t kMaxTraceExperts = 16384;
inline constexpr std::uint32_t kMaxTraceLayers = 4096;

enum class RoutePhase { prefill, decode };

// The experts that one layer chose for one token: distinct, in the order of the trace (heaviest first where it says
// so). `turn` separates sequences. The span is valid until the next call of the source.
struct Route {
    std::uint64_t turn = 0;
    RoutePhase phase = RoutePhase::decode;
    std::uint64_t token = 0;
    std::uint32_t layer = 0;
    std::span<const std::uint32_t> experts;
};

// What a source says about itself. Unknown is empty. `expert_bytes` has one entry per layer, 0 where unknown.
struct TraceInfo {
    std::string name;   // file as given, or what was drawn
    std::string format; // "route_trace v1", ..., "synthetic"
    std::string model;
    bool synthetic = false;
    std::optional<std::uint32_t> experts; // E
    std::optional<std::uint32_t> top_k;
    std::vector<std::uint64_t> expert_bytes;
};

// Lines that could not be used: all are counted, the first few are kept as problems with their line numbers.
struct Malformed {
    static constexpr std::size_t kShown = 10;
    std::uint64_t count = 0;
    Problems first;

    void add(Problem problem) {
        if (++count <= kShown) first.push_back(std::move(problem));
    }
};

class RouteSource {
public:
    RouteSource() = default;
    RouteSource(const RouteSource&) = delete;
    RouteSource& operator=(const RouteSource&) = delete;
    virtual ~RouteSource() = default;

    // False at the end. Throws InputError where the file cannot be read further.
    virtual bool next(Route& route) = 0;

    const TraceInfo& info() const { return info_; }
    const Malformed& malformed() const { return malformed_; }

protected:
    TraceInfo info_;
    Malformed malformed_;
};

// Throws InputError with the malformed lines if there were any.
void refuse_malformed(const RouteSource& source);

} // namespace spillway
