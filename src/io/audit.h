// What a contributor's file is held to beyond being readable: figures that follow from the shapes against the published
// ones, sizes of released files, and whether every quantity says where it comes from. Nothing here changes a value.
#pragma once

#include "io/load_files.h"

#include <optional>
#include <string>
#include <vector>

namespace spillway {

// How far a computed figure may be from the stated one. Vendors round parameters; a cache is a matter of shapes alone;
// formats of one width are exact but for norms, scales and headers; mixes widen single tensors.
inline constexpr double kParamsTolerance = 0.03;
inline constexpr double kKvTolerance = 0.005;
inline constexpr double kUniformSizeTolerance = 0.005;
inline constexpr double kMixSizeTolerance = 0.02;

// holds, fails: judged. excepted: left out for the reason that the file's `exceptions` give. derived: the stated figure
// is what the computed one was derived from, so that it confirms nothing. shown: not judged.
enum class AuditState { holds, fails, excepted, derived, shown };
template <>
struct EnumNames<AuditState> {
    static constexpr std::array<std::string_view, 5> names = {"holds", "fails", "excepted", "derived", "shown"};
};

// One check. `stated` and `computed` are in `unit` (parameters are counts) and empty where there is no such figure or
// it is not known; `tolerance` is a share of `stated`.
struct Audit {
    std::string what;
    AuditState state = AuditState::shown;
    Unit unit = Unit::count;
    std::optional<double> stated, computed, tolerance;
    std::string reason; // why it fails, is excepted, or what is shown

    // (computed - stated) / stated; empty without both.
    std::optional<double> difference() const;
};

struct FileAudit {
    FileKind kind = FileKind::model;
    std::string id, shown;
    std::vector<Audit> audits;

    std::size_t count(AuditState state) const;
    bool passes() const { return count(AuditState::fails) == 0; }
};

// Each audit takes a file that was read without problems. `formats`: the catalogue's weight formats, null if none.
FileAudit audit_model(const LoadedModel& model, const FormatsFile* formats);
FileAudit audit_machine(const LoadedMachine& machine);
FileAudit audit_scenario(const LoadedScenario& scenario);
FileAudit audit_locality(const Loaded<LocalityFile>& locality, const Catalogue& catalogue);

// Reads one file of a kind, name or path, with the rules that tie its fields together, and audits it. Parts and
// runtimes are judged like the machine or scenario that would hold them; weight formats by their sources. Empty where
// it cannot be read: the context then holds all that is wrong.
std::optional<FileAudit> audit_file(LoadContext& context, FileKind kind, const std::string& name);

// The kind of file that a name or path stands for: the file's own `kind`, or the first kind of the catalogue that has
// such a name. Empty, with a problem, if there is none.
std::optional<FileKind> kind_of_file(LoadContext& context, const std::string& name);

} // namespace spillway
