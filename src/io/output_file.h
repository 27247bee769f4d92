// Writes an answer to standard output or to a file, whole or not at all.
#pragma once

#include <string>

namespace spillway {

// Writes `text` to `path`; an empty path or "-" is standard output. A new or regular file is written under a
// temporary name beside it and renamed; devices, pipes and links are written through. Throws InputError, with what the
// system said, if that fails.
void write_output(const std::string& path, const std::string& text);

} // namespace spillway
