#include "cli/obtainable.h"

#include "engine/drive.h"
#include "io/load_files.h"

namespace spillway {

namespace {

// Usable memory of the machines of the family that the machine's file names.
void add_memory_sizes(const LoadedCase& loaded, LoadContext& context, Obtainables& list) {
    if (loaded.machine_family.empty()) return;
    for (const std::string& name : context.catalogue.names(FileKind::machine)) {
        const auto machine = load_machine(context, name);
        if (!machine || machine->file.family != loaded.machine_family) continue;
        const std::vector<MemoryPool>& memory = machine->file.machine.memory;
        if (!memory.empty() && memory.front().usable) {
            list.memory_sizes.push_back({name, memory.front().usable->value});
        }
    }
}

} // namespace

Obtainables obtainable(const LoadedCase& loaded, const Catalogue& catalogue) {
    Obtainables steps;
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
    add_memory_sizes(loaded, context, steps);
    return steps;
}

} // namespace spillway
