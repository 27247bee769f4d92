#include "text/paths.h"

#include "text/near.h"
#include "text/path_walk.h"

namespace spillway {

// A Case has no file of its own; this is its shape for paths. `alternatives` are files' values, not a user's.
template <class Visitor>
static void fields(Visitor& visit, Case& c) {
    visit("machine", c.machine, FieldInfo{"machine"});
    visit("model", c.model, FieldInfo{"model"});
    visit("quantization", c.quantization, FieldInfo{"chosen quantization"});
    visit("scenario", c.scenario, FieldInfo{"scenario"});
}

namespace {

constexpr std::string_view kNamedQuantizations = "model.quantizations";
constexpr std::string_view kRuntimeShares = "scenario.runtime.sustained";

bool lies_in(std::string_view path, std::string_view group) { return path_after(path, group).has_value(); }

NumberField field_at(const FoundLeaf& leaf) {
    return {.minimum = leaf.kind.info.minimum,
            .maximum = leaf.kind.info.maximum,
            .unit = leaf.kind.unit,
            .whole = leaf.kind.unit == Unit::count,
            .empty_is_unknown = leaf.kind.info.empty_is_unknown(),
            .leaf = leaf.at,
            .read = leaf.type.read,
            .write = leaf.type.write};
}

// Values that load_case has already turned into others, or that only describe: turning them in a loaded case would do
// nothing.
std::optional<PathProblem> without_effect(std::string_view path) {
    if (lies_in(path, kNamedQuantizations)) {
        return PathProblem{'"' + std::string(path) + '"', "quantization.FIELD",
                           "only the chosen quantization counts; write \"quantization.\" and its field"};
    }
    for (const std::string_view slot : {".pcie_generation", ".pcie_lanes"}) {
        if (!path.ends_with(slot)) continue;
        return PathProblem{'"' + std::string(path) + '"', "the rate of the drive or link",
                           "describes a slot, against which the rate was checked; vary the rate"};
    }
    if (path.ends_with(".usable_default")) {
        return PathProblem{'"' + std::string(path) + '"', "machine.memory.NAME.usable",
                           "is only shown beside the limit that counts; vary \"machine.memory.NAME.usable\""};
    }
    if (lies_in(path, kRuntimeShares)) {
        return PathProblem{'"' + std::string(path) + '"', "machine.memory.NAME.sustained",
                           "is copied into the memory pools; vary \"machine.memory.NAME.sustained\""};
    }
    return std::nullopt;
}

PathProblem not_one_value(const PathResult& result) {
    const std::string below =
        result.below.empty() ? "a path to one value" : "one of " + name_list(result.below, 40) + " after it";
    return {'"' + result.canonical + '"', below, "is not one value"};
}

// Collects the paths of numeric leaves.
struct NumberPaths {
    std::vector<std::string>& paths;
    std::string at;

    template <class T>
    void operator()(std::string_view name, T& member, const FieldInfo&) {
        visit_member(member, path_join(at, name));
    }

    template <class T>
    void visit_member(T& member, const std::string& path) {
        if constexpr (is_number<T>()) {
            if (!without_effect(path)) paths.push_back(path);
        } else if constexpr (kIsList<T>) {
            for (std::size_t i = 0; i < member.size(); ++i)
                visit_member(member[i], path_join(path, element_word(member, i)));
        } else if constexpr (kIsOptional<T>) {
            if (member) visit_member(*member, path);
        } else if constexpr (!Leaf<T>) {
            NumberPaths below{paths, path};
            fields(below, member);
        }
    }
};

} // namespace

std::optional<NumberField> number_field(Case& c, std::string_view path) {
    const PathResult result = resolve_path(c, path);
    if (!result.found.is_number() || without_effect(result.canonical)) return std::nullopt;
    return field_at(result.found);
}

std::optional<PathProblem> number_problem(Case& c, std::string_view path) {
    const PathResult result = resolve_path(c, path);
    if (result.problem) return result.problem;
    if (result.end == PathEnd::group) return not_one_value(result);
    if (auto problem = without_effect(result.canonical)) return problem;
    if (!number_field(c, path))
        return PathProblem{'"' + result.canonical + '"', "a path to a number", "is not a number"};
    return std::nullopt;
}

std::optional<PathProblem> set_field(Case& c, std::string_view path, std::string_view text) {
    const PathResult result = resolve_path(c, path);
    if (result.problem) return result.problem;
    if (result.end == PathEnd::group) return not_one_value(result);
    if (lies_in(result.canonical, kNamedQuantizations)) return without_effect(result.canonical);
    return result.found.type.set(result.found.at, text, result.found.kind);
}

std::vector<std::string> number_paths(Case& c) {
    std::vector<std::string> paths;
    NumberPaths collect{paths, {}};
    fields(collect, c);
    return paths;
}

std::string canonical_path(Case& c, std::string_view path) {
    const PathResult result = resolve_path(c, path);
    return result.end == PathEnd::failed ? std::string() : result.canonical;
}

} // namespace spillway
