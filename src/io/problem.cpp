#include "io/problem.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cassert>
#include <utility>

namespace spillway {

namespace {

std::string printable(std::string text) {
    for (char& c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) c = '?';
    }
    return text;
}

std::string found_and_expected(const Problem& problem) {
    std::string text;
    if (!problem.found.empty()) text += "found " + printable(problem.found);
    if (!problem.found.empty() && !problem.expected.empty()) text += ", ";
    if (!problem.expected.empty()) text += "expected " + printable(problem.expected);
    return text;
}

} // namespace

InputError::InputError(Problems problems) : problems_(std::move(problems)), text_(problems_text(problems_)) {
    assert(!problems_.empty());
}

std::string problems_text(const Problems& problems) {
    std::string text = fmt::format("spillway: {} {}\n", problems.size(), problems.size() == 1 ? "problem" : "problems");
    for (const Problem& problem : problems) {
        for (const std::string* place : {&problem.file, &problem.pointer}) {
            if (!place->empty()) text += printable(*place) + ": ";
        }
        text += printable(problem.message) + '\n';
        const std::string detail = found_and_expected(problem);
        if (!detail.empty()) text += "    " + detail + '\n';
    }
    return text;
}

nlohmann::ordered_json problems_json(const Problems& problems) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Problem& problem : problems) {
        list.push_back({{"file", problem.file},
                        {"pointer", problem.pointer},
                        {"found", problem.found},
                        {"expected", problem.expected},
                        {"message", problem.message}});
    }
    return {{"format", 1}, {"error", {{"exit", kInputErrorExit}, {"problems", std::move(list)}}}};
}

void throw_if_any(const Problems& problems) {
    if (!problems.empty()) throw InputError(problems);
}

} // namespace spillway
