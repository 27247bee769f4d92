// Any bytes as a safetensors file; half of the inputs are taken as the JSON alone, with the length put before it. What
// is accepted must be JSON to a second parser and fill its file.
#include "checkpoint/safetensors.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

void read(const std::string& text, std::uint64_t file_bytes, const spillway::ReadOptions& options) {
    try {
        const spillway::Checkpoint checkpoint =
            spillway::read_safetensors(std::as_bytes(std::span(text)), file_bytes, "fuzz", options);
        require(nlohmann::json::accept(text.substr(8, checkpoint.data_start[0] - 8)));
        std::uint64_t bytes = checkpoint.data_start[0];
        for (const spillway::Tensor& tensor : checkpoint.tensors) bytes += tensor.bytes;
        require(options.allow_incomplete ? bytes >= file_bytes : bytes == file_bytes);
    } catch (const spillway::InputError& error) {
        require(!error.problems().empty() && error.problems().size() <= 21);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string text(reinterpret_cast<const char*>(data), size);
    if (!text.empty() && text.front() == '{') {
        std::string length;
        for (int i = 0; i < 8; ++i) length += static_cast<char>(static_cast<std::uint64_t>(size) >> (8 * i) & 0xff);
        text.insert(0, length);
        read(text, text.size(), {.allow_incomplete = true});
    }
    read(text, text.size(), {});
    read(text, text.size() + 64, {.strict = true});
    return 0;
}
