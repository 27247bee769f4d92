#include "checkpoint/byte_reader.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace spillway {

namespace {

constexpr std::size_t kBlockBytes = ByteReader::kLongestTake;
constexpr std::size_t kPeekBytes = 4096;

std::string system_text() { return std::generic_category().message(errno); }

} // namespace

void fail(const std::string& file, std::string place, std::string message, std::string found, std::string expected) {
    throw InputError({{file, std::move(place), std::move(found), std::move(expected), std::move(message)}});
}

std::string shown_text(std::string_view text) {
    constexpr std::size_t longest = 80;
    std::string_view head = text.substr(0, longest);
    if (head.size() < text.size()) {
        while (!head.empty() && (static_cast<unsigned char>(text[head.size()]) & 0xc0u) == 0x80u) head.remove_suffix(1);
    }
    std::string shown;
    if (simdjson::validate_utf8(head)) {
        shown = head;
    } else {
        for (const char c : text.substr(0, longest)) {
            const auto byte = static_cast<unsigned char>(c);
            shown += byte >= 0x20 && byte < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
        }
    }
    return head.size() < text.size() ? shown + "..." : shown;
}

ByteReader::ByteReader(std::string shown, std::span<const std::byte> bytes, std::uint64_t file_bytes)
    : shown_(std::move(shown)), file_bytes_(file_bytes), block_end_(bytes.size()), next_(bytes.data()),
      end_(bytes.data() + bytes.size()) {
    assert(bytes.size() <= file_bytes);
}

ByteReader::ByteReader(std::string shown, const std::filesystem::path& path) : shown_(std::move(shown)) {
    // Not blocking, so that a pipe without a writer is refused below instead of waited for.
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) fail(shown_, "", "cannot be opened: " + system_text(), "", "a GGUF or safetensors file");
    struct stat status = {};
    const bool regular = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
    if (!regular) {
        ::close(std::exchange(descriptor_, -1));
        fail(shown_, "", "is not a regular file", "", "a GGUF or safetensors file");
    }
    file_bytes_ = static_cast<std::uint64_t>(status.st_size);
    block_.resize(std::min<std::uint64_t>(kBlockBytes, file_bytes_));
    next_ = end_ = block_.data();
}

ByteReader::~ByteReader() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void ByteReader::check(std::uint64_t n, const char* what) const {
    if (n > left()) {
        fail(shown_, place(), fmt::format("is cut off: {} would end behind the end of the file", what),
             fmt::format("{} bytes left", left()), fmt::format("{} bytes", n));
    }
    if (at() + n > kMaxHeaderBytes) {
        fail(shown_, place(), fmt::format("has a header that does not end within {} MiB", kMaxHeaderBytes >> 20));
    }
    if (descriptor_ < 0 && n > static_cast<std::uint64_t>(end_ - next_)) {
        fail(shown_, place(), fmt::format("{} lies behind the bytes at hand", what));
    }
}

std::size_t ByteReader::read_at(std::uint64_t offset, std::byte* to, std::size_t n) const {
    std::size_t done = 0;
    while (done < n) {
        const ssize_t got = ::pread(descriptor_, to + done, n - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail(shown_, fmt::format("byte {}", offset + done), "cannot be read: " + system_text());
        if (got == 0) fail(shown_, fmt::format("byte {}", offset + done), "became shorter while it was read");
        done += static_cast<std::size_t>(got);
    }
    return done;
}

void ByteReader::refill(std::size_t n, const char* what) {
    assert(n <= kLongestTake);
    check(n, what);
    const auto kept = static_cast<std::size_t>(end_ - next_);
    std::memmove(block_.data(), next_, kept);
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(block_.size() - kept, file_bytes_ - block_end_));
    const std::size_t got = read_at(block_end_, block_.data() + kept, wanted);
    next_ = block_.data();
    end_ = next_ + kept + got;
    block_end_ += got;
}

void ByteReader::skip_far(std::uint64_t n, const char* what) {
    check(n, what);
    block_end_ = at() + n;
    next_ = end_ = block_.data();
}

void ByteReader::copy(char* to, std::size_t n, const char* what) {
    check(n, what);
    const std::size_t ready = std::min(n, static_cast<std::size_t>(end_ - next_));
    std::memcpy(to, next_, ready);
    next_ += ready;
    if (ready == n) return;
    read_at(block_end_, reinterpret_cast<std::byte*>(to) + ready, n - ready);
    block_end_ += n - ready;
    next_ = end_ = block_.data();
}

std::string_view ByteReader::peek() {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kPeekBytes, left()));
    if (descriptor_ >= 0 && static_cast<std::size_t>(end_ - next_) < n) refill(n, "the beginning");
    return {reinterpret_cast<const char*>(next_), std::min(n, static_cast<std::size_t>(end_ - next_))};
}

} // namespace spillway
