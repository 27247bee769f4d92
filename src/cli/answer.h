// How a command hands over its answer: its JSON or its document, printed in the format that was asked for.
#pragma once

#include "cli/app.h"
#include "report/document.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>

namespace spillway {

// Only the one that the format needs is made.
struct Answering {
    std::function<nlohmann::ordered_json()> json;
    std::function<Document()> document;
};

// To standard output, or to the file that was named.
void write_answer(const OutputFlags& output, const Answering& answer);

} // namespace spillway
