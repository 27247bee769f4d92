#include "report/names.h"

#include <array>
#include <cstddef>

namespace spillway {

namespace {

struct Names {
    std::string_view name, label;
};

// In the order of the enums.
constexpr std::array<Names, kParts> kPartNames = {{{"non_expert", "non-expert weights"},
                                                   {"embedding", "embedding and head"},
                                                   {"drafter", "drafter"},
                                                   {"other_parts", "vision and other parts"},
                                                   {"working_memory", "working memory"},
                                                   {"reserve", "reserve for the OS"},
                                                   {"experts", "experts"},
                                                   {"lookup_tables", "lookup tables"}}};

constexpr std::array<Names, kLimits> kLimitNames = {{{"storage", "storage"},
                                                     {"memory", "memory bandwidth"},
                                                     {"link", "the link"},
                                                     {"compute", "arithmetic"},
                                                     {"overhead", "fixed time per layer and step"}}};

constexpr std::array<std::string_view, 4> kStates = {"holds", "fails", "depends", "unknown"};

constexpr std::array<std::string_view, 5> kAnswers = {"found", "holds_everywhere", "nowhere", "no_effect", "unknown"};

constexpr std::array<std::string_view, 22> kNotes = {"does-not-fit",
                                                     "not-limited-by-storage",
                                                     "unknown-usable",
                                                     "unknown-bandwidth",
                                                     "unknown-sustained",
                                                     "unknown-storage-rate",
                                                     "unknown-compute",
                                                     "unknown-bits",
                                                     "unknown-link-rate",
                                                     "unknown-layer-time",
                                                     "unknown-page-cache-rate",
                                                     "no-storage",
                                                     "forced-pass-below-bound",
                                                     "uniform-routing",
                                                     "prefill-uniform",
                                                     "over-capacity",
                                                     "page-cache-short",
                                                     "fewer-slots-than-active",
                                                     "union-upper-bound",
                                                     "sparse-attention-dense",
                                                     "tables-small-reads",
                                                     "spills-to-storage-in-place"};
static_assert(static_cast<std::size_t>(NoteId::spills_to_storage_in_place) + 1 == kNotes.size(),
              "a note without a code");

template <class Enum>
constexpr std::size_t index(Enum value) {
    return static_cast<std::size_t>(value);
}

Operand divisor(std::string_view name, double value, std::string_view unit) {
    return {name, value, unit, value != 0.0};
}

} // namespace

std::string_view name_of(Part part) { return kPartNames[index(part)].name; }
std::string_view name_of(TermId id) { return info_of(id).name; }
std::string_view name_of(Limit limit) { return kLimitNames[index(limit)].name; }
std::string_view name_of(State state) { return kStates[index(state)]; }
std::string_view name_of(Answer answer) { return kAnswers[index(answer)]; }
std::string_view name_of(NoteId id) { return kNotes[index(id)]; }

std::string_view label_of(Part part) { return kPartNames[index(part)].label; }
std::string_view label_of(TermId id) { return info_of(id).label; }
std::string_view label_of(Limit limit) { return kLimitNames[index(limit)].label; }

std::vector<Operand> operands_of(const Term& term) {
    switch (term.form) {
    case Form::given: return {{"seconds", term.a, "s"}};
    case Form::ratio: {
        std::vector<Operand> list = {{"bytes", term.a, "B"}, divisor("bytes_per_second", term.b, "B/s")};
        if (term.c != 1.0) list.push_back(divisor("share", term.c, ""));
        if (term.d != 1.0) list.push_back({"factor", term.d, ""});
        return list;
    }
    case Form::product: return {{"count", term.a, ""}, divisor("seconds_each", term.b, "s")};
    case Form::work:
        return {{"parameters", term.a, ""},
                {"tokens", term.b, ""},
                {"attention_flops", term.c, "FLOP"},
                divisor("flops_per_second", term.d, "FLOP/s")};
    case Form::negative: return {{"hidden_seconds", term.a, "s"}};
    case Form::scaling: return {{"seconds", term.a, "s"}, {"factor", term.b, ""}};
    }
    return {};
}

} // namespace spillway
