// A machine file with the parts that it is put together from.
#include "io/load_files.h"
#include "io/load_sources.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway {

namespace {

// The machine while parts are added to it.
struct Assembly {
    Machine machine;
    Sources sources;
    std::string name; // of the parts, joined
    bool has_compute = false;
};

template <class T>
auto find_named(std::vector<T>& list, const std::string& name) {
    return std::find_if(list.begin(), list.end(), [&](const T& element) { return element.name == name; });
}

// Appends a part's elements; a name that is taken gets a number ("vram-2"), and `renamed` lists old and new paths.
template <class T>
void append(std::vector<T>& list, const std::vector<T>& added, std::string_view list_name,
            std::vector<std::pair<std::string, std::string>>& renamed) {
    for (const T& element : added) {
        T copy = element;
        for (int number = 2; find_named(list, copy.name) != list.end(); ++number)
            copy.name = fmt::format("{}-{}", element.name, number);
        renamed.emplace_back(path_join(list_name, element.name), path_join(list_name, copy.name));
        list.push_back(std::move(copy));
    }
}

void add_part(LoadContext& context, Loaded<PartFile>& part, Assembly& assembly) {
    std::vector<std::pair<std::string, std::string>> renamed;
    append(assembly.machine.memory, part.file.memory, "memory", renamed);
    append(assembly.machine.storage, part.file.storage, "storage", renamed);
    append(assembly.machine.links, part.file.links, "links", renamed);
    if (part.file.compute && !assembly.has_compute) {
        assembly.machine.compute = *part.file.compute;
        assembly.has_compute = true;
        renamed.emplace_back("compute", "compute");
    }
    assembly.name += (assembly.name.empty() ? "" : ", ") + part.file.name;
    Sources sources;
    add_sources(context, part.found.shown, part.file, "", sources);
    // What a part says about itself as a whole, or about a list, holds for its own elements only.
    for (const auto& [of, provenance] : sources) {
        for (const auto& [from, to] : renamed) {
            const auto below = path_after(of, from);
            if (below)
                assembly.sources.emplace_back(path_join("machine", path_join(to, *below)), provenance);
            else if (of.empty() || path_after(from, of))
                assembly.sources.emplace_back(path_join("machine", to), provenance);
        }
    }
}

// Elements of the machine file replace parts' elements of the same name, others are appended.
template <class T>
void replace_or_append(std::vector<T>& list, std::vector<T>& own, std::string_view path, Sources& sources) {
    for (T& element : own) {
        const auto same = find_named(list, element.name);
        if (same == list.end()) {
            list.push_back(std::move(element));
        } else {
            drop_sources(sources, fmt::format("{}.{}", path, element.name));
            *same = std::move(element);
        }
    }
}

// The machine file's own fields over the parts.
void apply_own_fields(Loaded<MachineFile>& loaded, Assembly& assembly) {
    Machine& own = loaded.file.machine;
    replace_or_append(assembly.machine.memory, own.memory, "machine.memory", assembly.sources);
    replace_or_append(assembly.machine.storage, own.storage, "machine.storage", assembly.sources);
    replace_or_append(assembly.machine.links, own.links, "machine.links", assembly.sources);
    if (loaded.json->contains("compute")) {
        drop_sources(assembly.sources, "machine.compute");
        assembly.machine.compute = own.compute;
        assembly.has_compute = true;
    }
    assembly.machine.name = own.name.empty() ? assembly.name : own.name;
    own = std::move(assembly.machine);
}

void add_parts(LoadContext& context, Loaded<MachineFile>& loaded, Sources& sources) {
    const std::size_t before = context.problems.size();
    Assembly assembly;
    for (std::size_t i = 0; i < loaded.file.parts.size(); ++i) {
        const std::string& name = loaded.file.parts[i];
        const Catalogue::Question question{name, loaded.found.shown, fmt::format("/parts/{}", i),
                                           loaded.found.path.parent_path()};
        const std::optional<FoundFile> found = context.catalogue.find(FileKind::part, question, context.problems);
        if (!found) continue;
        auto part = load_file<PartFile>(context, *found);
        if (part && part->clean) add_part(context, *part, assembly);
    }
    apply_own_fields(loaded, assembly);
    if (!assembly.has_compute && context.problems.size() == before) {
        context.problems.push_back({loaded.found.shown, "/compute", "nothing", "an object",
                                    "no part states it; write {\"rate\": null} if unknown"});
    }
    sources = std::move(assembly.sources);
}

// A link that states its generation and lanes but no measured rate carries a known share of what PCIe allows.
void derive_link_rates(LoadedMachine& machine) {
    for (Link& link : machine.file.machine.links) {
        if (link.rate || link.pcie_generation <= 0.0 || link.pcie_lanes <= 0.0) continue;
        link.rate = kPcieShare * pcie_bandwidth(link.pcie_generation, link.pcie_lanes);
        machine.sources.emplace_back(
            fmt::format("machine.links.{}.rate", link.name),
            Provenance{Basis::derived, fmt::format("{} of PCIe Gen{} x{}: pinned copies reach 0.76-0.89, n = 16",
                                                   kPcieShare, link.pcie_generation, link.pcie_lanes)});
    }
}

// The engine takes curves sorted by piece, then reads in flight.
void sort_curve(Drive& drive) {
    std::sort(drive.curve.begin(), drive.curve.end(), [](const RatePoint& a, const RatePoint& b) {
        return a.piece != b.piece ? a.piece < b.piece : a.in_flight < b.in_flight;
    });
}

} // namespace

std::optional<LoadedMachine> load_machine(LoadContext& context, const std::string& name) {
    const std::size_t before = context.problems.size();
    const std::optional<FoundFile> found = find_file(context, FileKind::machine, name);
    if (!found) return std::nullopt;
    const std::optional<JsonFile> json = read_into(context, *found);
    if (!json) return std::nullopt;
    const bool from_parts = json->value->is_object() && json->value->contains("parts");
    auto loaded = load_object<MachineFile>(context, *found, *json, from_parts);
    if (!loaded) return std::nullopt;
    LoadedMachine machine{*found, {}, {}};
    if (from_parts) add_parts(context, *loaded, machine.sources);
    if (context.problems.size() > before) return std::nullopt;
    machine.file = std::move(loaded->file);
    add_sources(context, found->shown, machine.file, "machine", machine.sources);
    if (context.problems.size() > before) return std::nullopt;
    derive_link_rates(machine);
    for (Drive& drive : machine.file.machine.storage) sort_curve(drive);
    return machine;
}

} // namespace spillway
