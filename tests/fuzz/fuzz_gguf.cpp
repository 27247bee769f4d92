// Any bytes as the first bytes of a GGUF file, of that size and of a larger one. What is accepted must keep its
// promises.
#include "checkpoint/gguf.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

void read(std::span<const std::byte> bytes, std::uint64_t file_bytes, const spillway::ReadOptions& options) {
    try {
        const spillway::Checkpoint checkpoint = spillway::read_gguf(bytes, file_bytes, "fuzz", options);
        for (const spillway::Tensor& tensor : checkpoint.tensors) {
            require(!tensor.name.empty() && tensor.bytes > 0 && tensor.elements > 0 && tensor.shape.size() <= 4);
            require(tensor.offset >= checkpoint.data_start[0]);
            if (!options.allow_incomplete) require(tensor.offset + tensor.bytes <= file_bytes);
        }
    } catch (const spillway::InputError& error) {
        require(!error.problems().empty() && error.problems().size() <= 21);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    read(bytes, size, {});
    read(bytes, size + (std::uint64_t{1} << 40), {.strict = true});
    read(bytes, size, {.allow_incomplete = true});
    return 0;
}
