// Every file that is shipped: audits against published figures and released sizes, exceptions with reasons, guesses
// marked as such.
#include "io/audit.h"
#include "io/load_case.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace spillway;

namespace {

using Texts = std::vector<std::string>;

std::string lines(const Texts& texts) { return fmt::format("{}", fmt::join(texts, "\n")); }

// All files of a kind, audited. A file that cannot be read fails the test.
std::vector<FileAudit> audited(FileKind kind) {
    const Catalogue catalogue(data_root(""));
    LoadContext context{catalogue, {}};
    std::vector<FileAudit> files;
    for (const std::string& name : catalogue.names(kind)) {
        if (auto file = audit_file(context, kind, name)) files.push_back(std::move(*file));
    }
    INFO((context.problems.empty() ? std::string() : problems_text(context.problems)));
    REQUIRE(context.problems.empty());
    REQUIRE_FALSE(files.empty());
    return files;
}

const std::vector<FileAudit>& audited_models() {
    static const std::vector<FileAudit> files = audited(FileKind::model);
    return files;
}

// "file: check: reason" of every audit that `wanted` picks.
template <class Wanted>
Texts picked(const std::vector<FileAudit>& files, Wanted wanted) {
    Texts found;
    for (const FileAudit& file : files) {
        for (const Audit& audit : file.audits) {
            if (wanted(audit)) found.push_back(fmt::format("{}: {}: {}", file.id, audit.what, audit.reason));
        }
    }
    return found;
}

// Whether `audit` is within `tolerance`, whatever its own says.
bool within(const Audit& audit, double tolerance) {
    const auto off = audit.difference();
    return off && std::abs(*off) <= tolerance;
}

} // namespace

TEST_CASE("every shipped file passes its audits", "[catalogue]") {
    for (std::size_t i = 0; i < EnumNames<FileKind>::names.size(); ++i) {
        const std::vector<FileAudit> files = audited(static_cast<FileKind>(i));
        const Texts failed = picked(files, [](const Audit& a) { return a.state == AuditState::fails; });
        INFO(lines(failed));
        CHECK(failed.empty());
    }
    CHECK(audited_models().size() >= 45);
}

TEST_CASE("parameters and KV of every model meet the published figures", "[catalogue]") {
    const std::map<std::string, double> limits = {
        {"total parameters", 0.03}, {"active parameters", 0.03}, {"KV bytes per token, 16 bit", 0.005}};
    std::size_t judged = 0;
    for (const FileAudit& file : audited_models()) {
        for (const Audit& audit : file.audits) {
            const auto limit = limits.find(audit.what);
            if (limit == limits.end() || !audit.stated || audit.state == AuditState::excepted) continue;
            INFO(file.id << ": " << audit.what);
            CHECK(within(audit, limit->second));
            ++judged;
        }
    }
    CHECK(judged >= 100);
    const Texts kv = picked(audited_models(), [](const Audit& a) {
        return a.what == "KV bytes per token, 16 bit" && a.state != AuditState::holds;
    });
    INFO(lines(kv));
    CHECK(kv.empty()); // no exceptions here
}

TEST_CASE("exact sizes of released files are met", "[catalogue]") {
    std::size_t uniform = 0, mixes = 0, derived = 0;
    for (const FileAudit& file : audited_models()) {
        for (const Audit& audit : file.audits) {
            if (!audit.what.starts_with("file ") || !audit.tolerance) continue;
            if (audit.state == AuditState::excepted) continue;
            INFO(file.id << ": " << audit.what);
            CHECK(*audit.tolerance <= 0.02);
            CHECK(within(audit, *audit.tolerance));
            derived += audit.state == AuditState::derived ? 1 : 0;
            if (audit.state != AuditState::holds) continue;
            (*audit.tolerance <= 0.005 ? uniform : mixes) += 1;
        }
    }
    CHECK(uniform >= 18); // sizes that no width was derived from
    CHECK(mixes >= 1);
    CHECK(derived >= 1);
}

// The bits of a mix were derived from its size, so that the size confirms nothing. What does: the same recipe takes
// nearly the same bits in every model, so that the median of other models meets a size. It does within 2 % (spread
// 4.837 to 4.899 bits) but where layers are linear: their small tensors stay wider, and the smaller the model, the
// larger their share (0.8 to 4.8 % above the median of the others).
TEST_CASE("Q4_K_M takes nearly the same bits in every model", "[catalogue]") {
    const Catalogue catalogue(data_root(""));
    LoadContext context{catalogue, {}};
    std::map<std::string, double> plain, linear;
    for (const std::string& name : catalogue.names(FileKind::model)) {
        const auto loaded = load_model(context, name);
        REQUIRE(loaded);
        const auto& exceptions = loaded->file.exceptions;
        // Rows that are no multiple of 256 make the quantizer fall back to wider formats; the files say so.
        if (std::any_of(exceptions.begin(), exceptions.end(),
                        [](const Exception& e) { return e.of == "file_sizes.GGUF Q4_K_M"; }))
            continue;
        const Model& model = loaded->file.model;
        const bool has_linear = std::any_of(model.blocks.begin(), model.blocks.end(), [](const Block& b) {
            return b.attention && b.attention->kind == AttentionKind::linear;
        });
        for (const Quantization& q : model.quantizations) {
            if (q.name == "q4-k-m" && q.experts) (has_linear ? linear : plain)[name] = *q.experts;
        }
    }
    REQUIRE(plain.size() >= 5);
    const auto off = [&plain](const std::string& name, double own) {
        std::vector<double> others;
        for (const auto& [other, bits] : plain) {
            if (other != name) others.push_back(bits);
        }
        std::sort(others.begin(), others.end());
        return std::abs(others[others.size() / 2] / own - 1.0);
    };
    for (const auto& [name, bits] : plain) {
        INFO(name << ": " << bits << " bits");
        CHECK(off(name, bits) <= 0.02);
    }
    for (const auto& [name, bits] : linear) {
        INFO(name << ": " << bits << " bits");
        CHECK(off(name, bits) <= 0.05);
    }
}

TEST_CASE("exceptions are few and each has its reason", "[catalogue]") {
    const Texts silent = picked(audited_models(), [](const Audit& a) {
        return a.state == AuditState::excepted && a.reason.size() < 15; // "experts only in this file" is 25
    });
    INFO(lines(silent));
    CHECK(silent.empty());
    // An exact size of a uniform format is left out only where the release differs from the shapes here.
    const Texts exact = picked(audited_models(), [](const Audit& a) {
        return a.state == AuditState::excepted && a.tolerance && *a.tolerance <= 0.005 && a.what.starts_with("file ");
    });
    INFO(lines(exact));
    CHECK(exact.empty());
    const Texts totals = picked(audited_models(), [](const Audit& a) {
        return a.state == AuditState::excepted && a.what == "total parameters";
    });
    CHECK(totals.size() == 1); // inkling-small: published as if all its layers had experts
}

// The structure of these models was seen in part only. A new one belongs here once its guesses are marked in its file.
TEST_CASE("guesses about structure are marked", "[catalogue]") {
    std::set<std::string> models;
    for (const FileAudit& file : audited_models()) {
        for (const Audit& audit : file.audits) {
            if (audit.what == "of these a guess") models.insert(file.id);
        }
    }
    const std::set<std::string> in_part = {"glm-4.7-flash", "hy4-preview"};
    // Known from their rows in the measured set: shapes not looked up, confirmed by file sizes at best.
    const std::set<std::string> from_rows = {"deepseek-coder-v2-lite",
                                             "dots.llm1",
                                             "gemma-3-4b",
                                             "llama-1-13b",
                                             "llama-2-70b",
                                             "llama-2-7b",
                                             "llama-3.2-3b",
                                             "ministral-3-14b",
                                             "mistral-7b",
                                             "olmoe-1b-7b",
                                             "phi-2",
                                             "qwen2.5-14b",
                                             "qwen2.5-7b",
                                             "qwen3-14b",
                                             "qwen3-4b",
                                             "qwen3.5-9b",
                                             "qwen3.8-27b",
                                             "tinyllama-1.1b"};
    std::set<std::string> expected = in_part;
    expected.insert(from_rows.begin(), from_rows.end());
    CHECK(models == expected);

    const LoadedCase loaded = load_case({"hy4-preview", "apple-m3-ultra-512gb"}, Catalogue(data_root("")));
    for (const char* path :
         {"model.blocks.1.attention.heads", "model.blocks.2.attention.q_lora_rank", "model.blocks.0.dense_width",
          "model.drafter.blocks.0.attention.heads", "model.drafter.blocks.0.attention.q_lora_rank"}) {
        INFO(path);
        REQUIRE(loaded.source_of(path) != nullptr);
        CHECK(loaded.source_of(path)->basis == Basis::guess);
    }
    REQUIRE(loaded.source_of("model.hidden") != nullptr);
    CHECK(loaded.source_of("model.hidden")->basis != Basis::guess);
}

// A source that says in words that it guesses must not claim a firmer basis.
TEST_CASE("no guess is shipped as a fact", "[catalogue]") {
    const Catalogue catalogue(data_root(""));
    LoadContext context{catalogue, {}};
    Texts firm;
    const auto look = [&firm](const std::string& file, const Sources& sources) {
        for (const auto& [path, provenance] : sources) {
            const std::string& text = provenance.source;
            const bool guessed = text.starts_with("guess") || text.ends_with("guess") ||
                                 text.find("not seen in the released") != std::string::npos;
            if (guessed && provenance.basis != Basis::guess) firm.push_back(file + ": " + path + ": " + text);
        }
    };
    for (const std::string& name : catalogue.names(FileKind::model)) {
        if (const auto model = load_model(context, name)) look(model->found.shown, model->sources);
    }
    for (const std::string& name : catalogue.names(FileKind::machine)) {
        if (const auto machine = load_machine(context, name)) look(machine->found.shown, machine->sources);
    }
    INFO(lines(firm));
    CHECK(firm.empty());
}

TEST_CASE("audits see what is wrong", "[catalogue]") {
    const Catalogue catalogue(data_root(""));
    LoadContext context{catalogue, {}};
    const auto formats = load_formats(context);
    auto model = load_model(context, "qwen3-30b-a3b");
    REQUIRE(model);
    const auto failing = [&](const LoadedModel& m) {
        return picked({audit_model(m, &*formats)}, [](const Audit& a) { return a.state == AuditState::fails; });
    };
    REQUIRE(failing(*model).empty());

    SECTION("a width") {
        model->file.model.blocks.front().experts->width *= 2;
        const Texts failed = failing(*model);
        INFO(lines(failed));
        CHECK(failed.size() == 4); // total and three files; the active parameters stay excepted
    }
    SECTION("a head less") {
        model->file.model.blocks.front().attention->kv_heads = 3;
        CHECK(failing(*model).size() == 1);
    }
    SECTION("a part that is none") {
        model->file.file_sizes.front().note = "holds backbone, tokenizer";
        CHECK(failing(*model).size() == 1);
    }
    SECTION("an exact size of nothing named") {
        model->file.file_sizes.front().quantization.reset();
        CHECK(failing(*model).size() == 1);
    }
    SECTION("a quantization that does not exist") {
        model->file.file_sizes.front().quantization = "q4-k-n";
        CHECK(failing(*model).size() == 1);
    }
    SECTION("an exception of nothing") {
        model->file.exceptions.push_back({"file_sizes.no such file", "reason"});
        CHECK(failing(*model).size() == 1);
    }
    SECTION("no sources") {
        model->sources.clear();
        const Texts failed = failing(*model);
        REQUIRE(failed.size() >= 1);
        CHECK(failed.back().find("without one") != std::string::npos);
    }
}

TEST_CASE("audits see what is wrong with a machine", "[catalogue]") {
    const Catalogue catalogue(data_root(""));
    LoadContext context{catalogue, {}};
    auto machine = load_machine(context, "rtx-4090-host-128gb");
    REQUIRE(machine);
    std::vector<MemoryPool>& memory = machine->file.machine.memory;
    REQUIRE(memory.size() == 2);
    const auto failures = [&] { return audit_machine(*machine).count(AuditState::fails); };
    REQUIRE(failures() == 0);
    SECTION("slow to fast") {
        std::swap(memory[0], memory[1]);
        CHECK(failures() == 1);
    }
    SECTION("more usable than there is") {
        memory[0].usable = memory[0].capacity + Bytes(1.0);
        CHECK(failures() == 1);
    }
    SECTION("no sustained share") {
        memory[0].sustained.reset();
        CHECK(failures() == 1);
    }
}
