// The estimator. Read estimate.cpp first: the program is a few lines there, and each room of it is a header here, in
// the order in which a case walks through them:
//
//     sizes -> placement -> traffic -> terms -> decode, prefill (chunk by chunk) -> verdict
//
// In: a Case, resolved and in range (io/load_case.h). Out: an Estimate: plain numbers in base units, enums and note
// codes with values, no text. An empty optional is "unknown" or "not reached"; a note says which. Pure: no I/O, no
// clock, no exceptions.
#pragma once

#include "engine/verdict.h"

namespace spillway {

struct Estimate {
    Placement placement;
    Decode decode;
    Prefill prefill;
    Verdict verdict;
    std::optional<double> cost_ratio; // bytes of memory that one byte of storage costs in time
    Alternatives alternatives;        // in the order of Case::alternatives
    Notes notes;
};

Estimate evaluate(const Case& c);

// The same with the sizes of the case's model and format at hand, for many cases that share them.
Estimate evaluate(const Case& c, const Sizes& sizes);

} // namespace spillway
