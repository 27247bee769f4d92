#include "inputs/machine.h"

#include <array>

namespace spillway {

BytesPerSecond pcie_bandwidth(double generation, double lanes) {
    struct Row {
        double transfers, coding;
    };
    // Gen6 sends two bits a transfer in flits; 236 of 256 bytes of a flit are payload.
    constexpr std::array<Row, 6> rows = {{{2.5e9, 0.8},
                                          {5e9, 0.8},
                                          {8e9, 128.0 / 130.0},
                                          {16e9, 128.0 / 130.0},
                                          {32e9, 128.0 / 130.0},
                                          {64e9, 236.0 / 256.0}}};
    if (!(generation >= 1.0) || generation > 6.0) return BytesPerSecond(0.0);
    const Row& row = rows[static_cast<std::size_t>(generation) - 1];
    return BytesPerSecond(row.transfers * row.coding * lanes / 8.0);
}

} // namespace spillway
