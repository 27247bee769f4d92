// Any bytes as model.safetensors.index.json, as config.json and as the beginning of a file whose kind is looked for.
#include "checkpoint/parts.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/sniff.h"
#include "io/json_file.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

template <class Call>
void guarded(Call call) {
    try {
        call();
    } catch (const spillway::InputError& error) {
        require(!error.problems().empty());
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    guarded([&] {
        const spillway::SafetensorsIndex index = spillway::read_safetensors_index(text, "fuzz");
        require(nlohmann::json::accept(text));
        for (const auto& [name, file] : index.tensors) require(file < index.files.size());
        for (const std::string& file : index.files) require(file.find('/') == std::string::npos);
    });
    guarded([&] {
        spillway::Problems problems;
        const auto value = spillway::parse_json(text, "fuzz", problems);
        require(value.has_value() || !problems.empty());
    });
    guarded([&] { spillway::sniff(text.substr(0, 4096), size, "fuzz"); });
    guarded([&] { spillway::refuse_placeholder(text.substr(0, 4096), "fuzz"); });
    if (const auto part = spillway::part_name(text))
        require(part->before.size() + part->digits + part->after.size() == size);
    return 0;
}
