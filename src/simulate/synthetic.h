// Routing that nobody measured, for what-ifs: independent uniform choices, or Zipf popularity with temporal reuse.
// Seeded, and the same on every compiler (rng.h). Everything made from it is labelled synthetic.
#pragma once

#include "inputs/fields.h"
#include "simulate/rng.h"
#include "simulate/routes.h"

#include <array>
#include <string_view>
#include <vector>

namespace spillway {

enum class SyntheticKind { uniform, zipf };
template <>
struct EnumNames<SyntheticKind> {
    static constexpr std::array<std::string_view, 2> names = {"uniform", "zipf"};
};

// The popularity of the expert at rank i (from 1) is proportional to i^-exponent, the ranks drawn anew for each layer;
// with probability `reuse` an expert is one of those that the layer chose for the token before. uniform is exponent 0
// and reuse 0: the process is stationary from the second token on in either case.
struct SyntheticRouting {
    SyntheticKind kind = SyntheticKind::uniform;
    std::uint32_t layers = 1;  // 1 to kMaxTraceLayers
    std::uint32_t experts = 0; // E, 1 to kMaxTraceExperts
    std::uint32_t top_k = 0;   // 1 to E
    std::uint64_t tokens = 0;
    double exponent = 1.0; // 0 to 4
    double reuse = 0.5;    // 0 to below 1
    std::uint64_t seed = 1;
};

class SyntheticSource final : public RouteSource {
public:
    // The values have to be in the ranges above.
    explicit SyntheticSource(const SyntheticRouting& routing);
    bool next(Route& route) override;

private:
    struct Layer {
        std::vector<std::uint32_t> by_rank; // expert at each rank
        std::vector<std::uint32_t> chosen;  // for the token before
    };

    std::uint32_t draw(const Layer& layer);
    std::uint32_t popular_rank();

    SyntheticRouting routing_;
    Rng rng_;
    std::vector<std::uint64_t> cumulative_; // of the weights by rank; empty if uniform
    std::vector<Layer> layers_;
    std::vector<std::uint32_t> experts_;
    std::uint64_t token_ = 0;
    std::uint32_t layer_ = 0;
};

} // namespace spillway
