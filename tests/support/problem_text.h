// What a call reports as InputError, for tests about messages.
#pragma once

#include "io/problem.h"

#include <string>
#include <string_view>

namespace spillway::synthetic {

// The text of the InputError that `call` throws; empty if it throws none.
template <class Call>
std::string problem_text_of(Call call) {
    try {
        call();
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

inline bool mentions(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

} // namespace spillway::synthetic
