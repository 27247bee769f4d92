#include "simulate/text_reader.h"

#include "io/problem.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace spillway {

namespace {

constexpr std::size_t kBufferBytes = 1U << 18U;

[[noreturn]] void fail(const std::string& shown, const std::string& message) {
    throw InputError({{shown, "", "", "a trace file", message}});
}

} // namespace

void TextReader::Close::operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
}

TextReader::TextReader(const std::string& path) : shown_(path == "-" ? "standard input" : path), buffer_(kBufferBytes) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (path != "-" && status.type() == std::filesystem::file_type::not_found) fail(shown_, "there is no such file");
    if (path != "-" && std::filesystem::is_directory(status)) fail(shown_, "is a directory, not a file");
    file_.reset(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
    if (!file_) fail(shown_, "cannot be opened for reading");
}

bool TextReader::refill() {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (end_ == buffer_.size()) {
        if (buffer_.size() >= kMaxLineBytes)
            fail(shown_, "line " + std::to_string(line_ + 1) + " is longer than 16 MiB");
        buffer_.resize(buffer_.size() * 2);
    }
    const std::size_t got = std::fread(buffer_.data() + end_, 1, buffer_.size() - end_, file_.get());
    if (got == 0 && std::ferror(file_.get())) fail(shown_, "cannot be read to its end");
    end_ += got;
    return got > 0;
}

bool TextReader::line(std::string_view& line) {
    std::size_t searched = begin_;
    while (true) {
        const void* found = searched < end_ ? std::memchr(buffer_.data() + searched, '\n', end_ - searched) : nullptr;
        const std::size_t before = end_ - begin_;
        if (!found && refill()) {
            searched = begin_ + before;
            continue;
        }
        if (!found && begin_ == end_) return false;
        const std::size_t stop =
            found ? static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) : end_;
        line = std::string_view(buffer_.data() + begin_, stop - begin_);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        begin_ = found ? stop + 1 : end_;
        ++line_;
        return true;
    }
}

std::string_view TextReader::peek(std::size_t most) {
    while (end_ - begin_ < most && refill()) {
    }
    return {buffer_.data() + begin_, std::min(most, end_ - begin_)};
}

} // namespace spillway
