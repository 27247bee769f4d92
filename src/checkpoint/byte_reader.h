// Reads a header forwards from a file or from memory. Every step is checked against the size of the file before it is
// made; a file is read in blocks of 64 KiB rather than mapped, so that memory stays small whatever the header claims
// and a file that shrinks meanwhile is an error and not a signal.
#pragma once

#include "io/problem.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// The longest GGUF header seen has 40 MB (a vocabulary of a million tokens). Sparse files can claim any length, and
// walking one must end.
inline constexpr std::uint64_t kMaxHeaderBytes = 256u << 20;

// Throws InputError with one problem; `place` is "byte 24" or the name of a tensor.
[[noreturn]] void fail(const std::string& file, std::string place, std::string message, std::string found = "",
                       std::string expected = "");

// Text of a file as it may be shown: at most 80 bytes, whole UTF-8 only, other bytes as \xNN.
std::string shown_text(std::string_view text);

class ByteReader {
public:
    // The first bytes of a file that has `file_bytes`. The bytes must outlive the reader.
    ByteReader(std::string shown, std::span<const std::byte> bytes, std::uint64_t file_bytes);
    // Opens a regular file; throws InputError if that fails.
    ByteReader(std::string shown, const std::filesystem::path& path);
    ByteReader(const ByteReader&) = delete;
    ByteReader& operator=(const ByteReader&) = delete;
    ~ByteReader();

    const std::string& shown() const { return shown_; }
    std::uint64_t file_bytes() const { return file_bytes_; }
    std::uint64_t at() const { return block_end_ - static_cast<std::uint64_t>(end_ - next_); }
    std::uint64_t left() const { return file_bytes_ - at(); }
    // "byte 24", for problems.
    std::string place() const { return "byte " + std::to_string(at()); }

    // The next n bytes, at most kLongestTake; valid until the next call. `what` names them in the problem thrown where
    // the file ends before.
    static constexpr std::size_t kLongestTake = 1u << 16;
    const std::byte* take(std::size_t n, const char* what) {
        if (static_cast<std::size_t>(end_ - next_) < n) refill(n, what);
        const std::byte* bytes = next_;
        next_ += n;
        return bytes;
    }

    // A little-endian number.
    template <class Number>
    Number read(const char* what) {
        std::byte bytes[sizeof(Number)];
        std::memcpy(bytes, take(sizeof(Number), what), sizeof(Number));
        if constexpr (std::endian::native == std::endian::big) {
            for (std::size_t i = 0; i < sizeof(Number) / 2; ++i) std::swap(bytes[i], bytes[sizeof(Number) - 1 - i]);
        }
        return std::bit_cast<Number>(bytes);
    }

    void skip(std::uint64_t n, const char* what) {
        if (n <= static_cast<std::uint64_t>(end_ - next_)) {
            next_ += n;
        } else {
            skip_far(n, what);
        }
    }

    // Copies the next n bytes, of any number that the caller has checked against left().
    void copy(char* to, std::size_t n, const char* what);

    // What the file begins with, at most 4096 bytes, without moving.
    std::string_view peek();

private:
    void refill(std::size_t n, const char* what);
    void skip_far(std::uint64_t n, const char* what);
    void check(std::uint64_t n, const char* what) const;
    std::size_t read_at(std::uint64_t offset, std::byte* to, std::size_t n) const;

    std::string shown_;
    std::uint64_t file_bytes_ = 0;
    std::uint64_t block_end_ = 0; // offset in the file of end_
    const std::byte* next_ = nullptr;
    const std::byte* end_ = nullptr;
    int descriptor_ = -1;
    std::vector<std::byte> block_;
};

} // namespace spillway
