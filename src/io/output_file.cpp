#include "io/output_file.h"

#include "io/problem.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace spillway {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, int error) {
    throw InputError(
        {{"-o", "", path, "a file that can be written", std::string("cannot write: ") + std::strerror(error)}});
}

bool write_all(std::FILE* file, const std::string& text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    return std::fflush(file) == 0 && written;
}

void write_to(const std::string& path, const std::string& shown, const std::string& text) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (!file) fail(shown, errno);
    const bool written = write_all(file, text);
    const int error = errno;
    if (std::fclose(file) != 0 || !written) fail(shown, error);
}

// A link is written through, so that it stays a link.
bool may_be_renamed(const fs::path& path) {
    std::error_code ignored;
    const fs::file_status status = fs::symlink_status(path, ignored);
    return status.type() == fs::file_type::not_found || status.type() == fs::file_type::regular;
}

} // namespace

void write_output(const std::string& path, const std::string& text) {
    if (path.empty() || path == "-") {
        if (!write_all(stdout, text)) fail("standard output", errno);
        return;
    }
    if (!may_be_renamed(path)) {
        write_to(path, path, text);
        return;
    }
    const std::string temporary = path + ".part" + std::to_string(::getpid());
    try {
        write_to(temporary, path, text);
    } catch (...) {
        std::remove(temporary.c_str());
        throw;
    }
    if (std::rename(temporary.c_str(), path.c_str()) != 0) {
        const int error = errno;
        std::remove(temporary.c_str());
        fail(path, error);
    }
}

} // namespace spillway
