// Audits of a model: published totals, KV bytes per token, sizes of released files.
#include "engine/kv.h"
#include "engine/params.h"
#include "engine/sizes.h"
#include "io/audit_sources.h"
#include "io/choose_quantization.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace spillway {

namespace {

constexpr std::string_view kFileSizes = "file_sizes";

const Exception* exception_for(const ModelFile& file, std::string_view of) {
    const auto found =
        std::find_if(file.exceptions.begin(), file.exceptions.end(), [&](const Exception& e) { return e.of == of; });
    return found == file.exceptions.end() ? nullptr : &*found;
}

// Judges by the difference, unless the file has an exception for `of`.
void settle(const ModelFile& file, std::string_view of, Audit& audit) {
    if (const Exception* const exception = exception_for(file, of)) {
        audit.state = AuditState::excepted;
        audit.reason = exception->reason;
        return;
    }
    const auto off = audit.difference();
    if (!audit.stated || !audit.tolerance) return;
    const bool holds = off && std::abs(*off) <= *audit.tolerance;
    if (holds) {
        if (audit.state != AuditState::derived) audit.state = AuditState::holds;
        return;
    }
    audit.state = AuditState::fails;
    audit.reason = off ? "correct the shapes or bits, or say in `exceptions` why the two differ"
                       : "cannot be computed: bits or parameters of a part are not known";
}

// Bytes that the cache grows by per token of context, once all windows are full.
double kv_bytes_per_token(const Model& model) {
    constexpr double context = 1e6; // above every window
    const Scenario scenario;        // f16, one sequence, one position
    const Bytes growth = kv_cache_bytes(model, scenario, 2.0 * context) - kv_cache_bytes(model, scenario, context);
    return growth.value / context;
}

void add_published(const ModelFile& file, FileAudit& result) {
    const Published& p = file.published;
    const auto add = [&](const char* what, std::string_view of, std::optional<double> stated, double computed,
                         double tolerance, Unit unit) {
        Audit audit{what, AuditState::shown, unit, stated, computed, tolerance, ""};
        if (!stated) audit.reason = "nothing published to compare with";
        settle(file, of, audit);
        result.audits.push_back(std::move(audit));
    };
    add("total parameters", "published.total_params", p.total_params, total_params(file.model), kParamsTolerance,
        Unit::count);
    add("active parameters", "published.active_params", p.active_params, active_params(file.model), kParamsTolerance,
        Unit::count);
    add("KV bytes per token, 16 bit", "published.kv_bytes_per_token_16bit", p.kv_bytes_per_token_16bit,
        kv_bytes_per_token(file.model), kKvTolerance, Unit::bytes);
}

// The parts in a file: its note begins with "holds backbone, drafter, ...". A file that says nothing holds all.
struct Held {
    bool backbone = false, drafter = false, copies = false, other = false, tables = false;
    std::string unknown; // a word that stands for no part
};

Held held_parts(const FileSize& size, const Model& model) {
    constexpr std::string_view begins = "holds ";
    if (!size.note.starts_with(begins)) {
        const bool drafter = model.drafter && model.drafter->in_checkpoint;
        return {true, drafter, drafter, true, true, ""};
    }
    Held held;
    std::string_view rest = std::string_view(size.note).substr(begins.size());
    rest = rest.substr(0, rest.find(';'));
    while (!rest.empty()) {
        const std::size_t comma = rest.find(", ");
        const std::string_view word = rest.substr(0, comma);
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 2);
        if (word == "backbone")
            held.backbone = true;
        else if (word == "drafter")
            held.drafter = true;
        else if (word == "copies of embedding and head")
            held.copies = true;
        else if (word == "vision" || word == "other parts")
            held.other = true;
        else if (word == "lookup tables")
            held.tables = true;
        else
            held.unknown = word;
    }
    return held;
}

std::optional<double> held_bytes(Model model, const Quantization& quantization, const Held& held) {
    if (model.drafter) model.drafter->embedding_copies = model.drafter->embedding_copies && held.copies;
    const ModelBytes sizes = model_bytes(model, quantization);
    std::optional<double> total = 0.0;
    const auto add = [&total](bool is_held, const std::optional<Bytes>& part) {
        if (is_held) total = total && part ? std::optional(*total + part->value) : std::nullopt;
    };
    add(held.backbone, sizes.layers);
    add(held.backbone, sizes.outside);
    add(held.backbone, sizes.table);
    add(held.backbone, sizes.head);
    add(held.backbone, sizes.experts);
    add(held.drafter, sizes.drafter);
    add(held.other, sizes.other);
    add(held.tables, sizes.tables);
    return total;
}

// Whether all tensors of a part have one width, so that nothing but norms and headers is left out.
bool is_uniform(std::string_view quantization) {
    constexpr std::array<std::string_view, 5> words = {"mxfp4", "nvfp4", "fp8", "q8_0", "bf16"};
    return quantization == "native" || std::any_of(words.begin(), words.end(), [&](std::string_view word) {
               return quantization.find(word) != std::string_view::npos;
           });
}

// Whether the bits of a quantization were derived from this very size: its source then cites the bytes.
bool derived_from(const FileSize& size, const Sources& sources, const std::string& quantization) {
    const Provenance* const source = source_of(sources, "model.quantizations." + quantization);
    return source != nullptr && source->source.find(fmt::format("{:.0f}", size.bytes.value)) != std::string::npos;
}

// What the file should weigh; a reason in place of it where the entry itself is wrong.
void compute_size(const LoadedModel& loaded, const FormatsFile* formats, const FileSize& size, Audit& audit) {
    const Model& model = loaded.file.model;
    Problems problems;
    const auto chosen = choose_quantization(model, loaded.sources, formats, *size.quantization, problems);
    const Held held = held_parts(size, model);
    audit.state = AuditState::fails;
    if (!chosen) {
        audit.reason = problems.front().message;
    } else if (!held.unknown.empty()) {
        audit.reason = fmt::format("its note names \"{}\", which is no part; write backbone, drafter, copies of "
                                   "embedding and head, vision, other parts, lookup tables",
                                   held.unknown);
    } else {
        audit.state = AuditState::shown;
        audit.computed = held_bytes(model, chosen->quantization, held);
    }
}

void judge_size(const LoadedModel& loaded, const FileSize& size, Audit& audit) {
    if (audit.state == AuditState::fails) return;
    if (!size.exact) {
        audit.reason = "the size is rounded, so it is not judged";
        return;
    }
    audit.tolerance = is_uniform(*size.quantization) ? kUniformSizeTolerance : kMixSizeTolerance;
    if (!derived_from(size, loaded.sources, *size.quantization)) return;
    audit.state = AuditState::derived;
    audit.reason = "the bits were derived from this size: it confirms nothing";
}

void add_size(const LoadedModel& loaded, const FormatsFile* formats, const FileSize& size, FileAudit& result) {
    Audit audit{"file " + size.format, AuditState::shown, Unit::bytes, size.bytes.value, {}, {}, ""};
    if (size.quantization) {
        compute_size(loaded, formats, size, audit);
        judge_size(loaded, size, audit);
    } else {
        audit.state = size.exact ? AuditState::fails : AuditState::shown;
        audit.reason = size.exact ? "name its quantization, or say in `exceptions` why none has it"
                                  : "the size is rounded and of no quantization named here";
    }
    settle(loaded.file, fmt::format("{}.{}", kFileSizes, size.format), audit);
    result.audits.push_back(std::move(audit));
}

// An exception that excepts nothing, or gives no reason, is a mistake.
void add_exceptions(ModelFile file, FileAudit& result) {
    for (const Exception& exception : file.exceptions) {
        const auto size = path_after(exception.of, kFileSizes);
        const bool known = size ? std::any_of(file.file_sizes.begin(), file.file_sizes.end(),
                                              [&](const FileSize& s) { return s.format == *size; })
                                : resolve_path(file, exception.of).end == PathEnd::leaf;
        if (known && !exception.reason.empty()) continue;
        result.audits.push_back({"exception " + exception.of,
                                 AuditState::fails,
                                 Unit::count,
                                 {},
                                 {},
                                 {},
                                 known ? "gives no reason" : "is of nothing that this file states"});
    }
}

} // namespace

FileAudit audit_model(const LoadedModel& model, const FormatsFile* formats) {
    FileAudit result{FileKind::model, model.found.id, model.found.shown, {}};
    add_published(model.file, result);
    for (const FileSize& size : model.file.file_sizes) add_size(model, formats, size, result);
    add_exceptions(model.file, result);
    add_source_audits(cover_of(model.file, "model", model.sources), result);
    return result;
}

} // namespace spillway
