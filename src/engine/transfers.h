// Adding the terms of bytes that are moved. In: a list of terms, a transfer. Out: the list with one more, or as it was.
#pragma once

#include "engine/terms.h"

namespace spillway {

// Most transfers of a step move nothing (pools that hold nothing, no misses): those cost no term.
inline void add_transfer(Terms& terms, TermId id, int pool, const Transfer& transfer) {
    if (transfer.bytes.value > 0.0) add(terms, transfer_time(id, pool, transfer));
}

} // namespace spillway
