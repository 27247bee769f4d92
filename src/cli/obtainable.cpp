#include "cli/obtainable.h"

#include "engine/drive.h"
#include "io/load_files.h"

#include <fmt/format.h>

namespace spillway {

namespace {

// The family of a catalogue machine is its name without the size.
std::string family_of(const std::string& id) {
    const std::size_t dash = id.rfind('-');
    const bool sized = dash != std::string::npos && id.size() > dash + 3 && id.substr(id.size() - 2) == "gb";
    return sized ? id.substr(0, dash) : id;
}

} // namespace

RealSteps obtainable(const LoadedCase& loaded, const Catalogue& catalogue) {
    RealSteps steps;
    LoadContext context{catalogue, {}};
    if (const auto formats = load_formats(context)) {
        for (const WeightFormat& format : formats->formats) steps.formats.push_back({format.name, format.bits});
    }
    for (const Quantization& q : loaded.value.model.quantizations) {
        if (q.experts) steps.formats.push_back({q.name, *q.experts});
    }
    for (const std::string& name : catalogue.names(FileKind::part)) {
        const auto found = catalogue.find(FileKind::part, name, context.problems);
        const auto part = found ? load_file<PartFile>(context, *found) : std::nullopt;
        if (!part || part->file.storage.empty()) continue;
        if (const auto rate = ceiling_rate(part->file.storage.front())) steps.drives.push_back({name, rate->value});
    }
    const std::string family = family_of(loaded.machine_id);
    for (const std::string& name : catalogue.names(FileKind::machine)) {
        if (family_of(name) != family || name == family) continue;
        const auto machine = load_machine(context, name);
        if (!machine || machine->file.machine.memory.empty()) continue;
        const MemoryPool& pool = machine->file.machine.memory.front();
        if (pool.usable) steps.memory_sizes.push_back({name, pool.usable->value});
    }
    return steps;
}

} // namespace spillway
