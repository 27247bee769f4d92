// Reads a text file of any size through one buffer, by lines or by bytes, and knows the line it is in.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// Longest line that is read as one; a longer one is a problem of the file, not a reason to take all memory.
inline constexpr std::size_t kMaxLineBytes = 16U << 20U;

class TextReader {
public:
    // "-" is standard input. Throws InputError if the file cannot be opened.
    explicit TextReader(const std::string& path);

    // The next line without its end; false at the end of the file. Throws InputError for a line beyond the limit.
    bool line(std::string_view& line);
    // The next byte, -1 at the end.
    int byte() {
        if (begin_ == end_ && !refill()) return -1;
        const char c = buffer_[begin_++];
        if (c == '\n') ++line_;
        return static_cast<unsigned char>(c);
    }
    // What the file starts with, without consuming it; at most `most` bytes. Only before anything else is read.
    std::string_view peek(std::size_t most);

    // Number of the line returned last or, after byte(), of the one the next byte is in; from 1.
    std::uint64_t line_number() const { return line_; }
    const std::string& shown() const { return shown_; }

private:
    bool refill();

    struct Close {
        void operator()(std::FILE* file) const;
    };
    std::string shown_;
    std::unique_ptr<std::FILE, Close> file_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;
    std::uint64_t line_ = 0;
};

} // namespace spillway
