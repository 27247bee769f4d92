// The objects that files hold: what the engine takes plus the sidecar, each described by fields() like everything
// else, so that reading, writing and schemas need no code per kind of file.
#pragma once

#include "inputs/scenario.h"
#include "io/sidecar.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

inline constexpr Count kFormat = 1;

enum class FileKind { model, machine, part, scenario, runtime, locality, formats, measured };
template <>
struct EnumNames<FileKind> {
    static constexpr std::array<std::string_view, 8> names = {"model",   "machine",  "part",    "scenario",
                                                              "runtime", "locality", "formats", "measured"};
};
constexpr std::string_view kind_name(FileKind kind) {
    return EnumNames<FileKind>::names[static_cast<std::size_t>(kind)];
}

// How every file begins. `schema` is for editors and not used.
struct Header {
    Count format = kFormat;
    std::string kind;
    std::string schema;
};
template <class Visitor>
void fields(Visitor& visit, Header& h) {
    visit("$schema", h.schema, optional_field("where an editor finds the schema"));
    visit("format", h.format, FieldInfo{"version of the file format", Presence::required, 1, 1});
    visit("kind", h.kind, FieldInfo{"what the file holds"});
}

struct ModelFile {
    static constexpr FileKind kKind = FileKind::model;
    Header header;
    Model model;
    Published published;
    std::vector<Exception> exceptions;
    std::vector<FileSize> file_sizes;
    std::vector<Quality> quality;
    std::vector<Source> sources;
};
template <class Visitor>
void fields(Visitor& visit, ModelFile& f) {
    fields(visit, f.header);
    fields(visit, f.model);
    visit("published", f.published, optional_field("the vendor's figures"));
    visit("exceptions", f.exceptions, optional_field("what an audit leaves out"));
    visit("file_sizes", f.file_sizes, optional_field("sizes of released files"));
    visit("quality", f.quality, optional_field("quality by quantization"));
    visit("sources", f.sources, optional_field("where the values come from"));
}

// With `parts` the machine's own fields may be left out; what it states beside them replaces or is appended.
struct MachineFile {
    static constexpr FileKind kKind = FileKind::machine;
    Header header;
    std::string family;
    std::vector<std::string> parts;
    Machine machine;
    std::vector<Source> sources;
};
template <class Visitor>
void fields(Visitor& visit, MachineFile& f) {
    fields(visit, f.header);
    visit("family", f.family, optional_field("machines of one chip or board"));
    visit("parts", f.parts, optional_field("parts it is put together from, names or files"));
    fields(visit, f.machine);
    visit("sources", f.sources, optional_field("where the values come from"));
}

// A part of a machine: a card, a host, a drive.
struct PartFile {
    static constexpr FileKind kKind = FileKind::part;
    Header header;
    std::string name;
    std::string family;
    std::vector<MemoryPool> memory;
    std::vector<Drive> storage;
    std::vector<Link> links;
    std::optional<Compute> compute;
    std::vector<Source> sources;
};
template <class Visitor>
void fields(Visitor& visit, PartFile& f) {
    fields(visit, f.header);
    visit("name", f.name, FieldInfo{"name for people"});
    visit("family", f.family, optional_field("parts of one chip or board"));
    visit("memory", f.memory, optional_field("memory pools, fast to slow"));
    visit("storage", f.storage, optional_field("drives"));
    visit("links", f.links, optional_field("links"));
    visit("compute", f.compute, optional_field("arithmetic for prefill"));
    visit("sources", f.sources, optional_field("where the values come from"));
}

// With `base` all fields may be left out: they are then the base's.
struct ScenarioFile {
    static constexpr FileKind kKind = FileKind::scenario;
    Header header;
    std::string base;
    Scenario scenario;
    std::vector<Source> sources;
};
template <class Visitor>
void fields(Visitor& visit, ScenarioFile& f) {
    fields(visit, f.header);
    visit("base", f.base, optional_field("scenario whose fields hold where this one says nothing"));
    fields(visit, f.scenario);
    visit("sources", f.sources, optional_field("where the values come from"));
}

struct RuntimeFile {
    static constexpr FileKind kKind = FileKind::runtime;
    Header header;
    Runtime runtime;
    std::vector<Source> sources;
};
template <class Visitor>
void fields(Visitor& visit, RuntimeFile& f) {
    fields(visit, f.header);
    fields(visit, f.runtime);
    visit("sources", f.sources, optional_field("where the values come from"));
}

struct LocalityFile {
    static constexpr FileKind kKind = FileKind::locality;
    Header header;
    Locality locality;
};
template <class Visitor>
void fields(Visitor& visit, LocalityFile& f) {
    fields(visit, f.header);
    fields(visit, f.locality);
}

// Which weights a weight format replaces in a model's native quantization.
enum class AppliesTo { experts, all };
template <>
struct EnumNames<AppliesTo> {
    static constexpr std::array<std::string_view, 2> names = {"experts", "all"};
};

// A weight format that any model can be converted to.
struct WeightFormat {
    std::string name;
    double bits = 0.0;
    AppliesTo applies_to = AppliesTo::all;
    std::string source;
};
template <class Visitor>
void fields(Visitor& visit, WeightFormat& f) {
    visit("name", f.name, FieldInfo{"name, as given to -q"});
    visit("bits", f.bits, FieldInfo{"bits per weight, scales included", Presence::required, 0.5, 64.0});
    visit("applies_to", f.applies_to, FieldInfo{"which weights it replaces"});
    visit("source", f.source, optional_field("where the width comes from"));
}

struct FormatsFile {
    static constexpr FileKind kKind = FileKind::formats;
    Header header;
    std::vector<WeightFormat> formats;
};
template <class Visitor>
void fields(Visitor& visit, FormatsFile& f) {
    fields(visit, f.header);
    visit("formats", f.formats, FieldInfo{"weight formats"});
}

// A file of a kind with its header filled in, for writers.
template <class File>
File new_file() {
    File file;
    file.header.kind = kind_name(File::kKind);
    return file;
}

} // namespace spillway
