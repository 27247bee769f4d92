// The key-values of a GGUF header: short ones as JSON text, long arrays walked over.
#pragma once

#include "checkpoint/byte_reader.h"
#include "io/problem.h"

#include <cstdint>
#include <map>
#include <string>

namespace spillway {

struct GgufValues {
    std::map<std::string, std::string> metadata; // as in Checkpoint
    std::uint64_t alignment = 0;                 // 0: not given
    Problems warnings;
};

// Reads `count` pairs. Throws InputError on an empty or repeated key (unless it repeats the same value), on an unknown
// value type, on what would end behind the file, on arrays nested deeper than 8, and on a general.alignment that is
// not a u32 and a power of two from 8 to 1 MiB.
GgufValues read_gguf_values(ByteReader& reader, std::uint64_t count);

// A length and that many bytes of UTF-8, 1 to 65536 of them; `what` names it in problems.
std::string read_gguf_name(ByteReader& reader, const char* what);

} // namespace spillway
