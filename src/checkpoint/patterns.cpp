#include "checkpoint/patterns.h"

#include "io/json_file.h"
#include "io/load_files.h"
#include "io/read_fields.h"

#include <algorithm>

namespace spillway {

namespace {

constexpr std::string_view kPatternsKind = "tensor-patterns";
constexpr std::string_view kPatternsFile = "models/import/tensor-patterns.json";

constexpr std::string_view kBlock = "{block}";

// In a pattern that is ready for matching: '#' is any whole number, these two say which one it is.
constexpr char kLayer = '\x01', kExpert = '\x02', kNumber = '#';

void replace_all(std::string& text, std::string_view from, char to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) {
        text.replace(at, from.size(), 1, to);
    }
}

std::string compile(std::string pattern) {
    replace_all(pattern, "{layer}", kLayer);
    replace_all(pattern, "{expert}", kExpert);
    replace_all(pattern, "{n}", kNumber);
    return pattern;
}

bool is_number_sign(char c) { return c == kLayer || c == kExpert || c == kNumber; }

// Matches a form against a compiled pattern; on success says at which letters of the form layer and expert stand.
struct FormMatch {
    bool matched = false;
    std::size_t layer = std::string_view::npos, expert = std::string_view::npos;
};

FormMatch match_form(std::string_view form, std::string_view pattern) {
    FormMatch found;
    std::size_t n = 0, p = 0, star = std::string_view::npos, resume = 0;
    while (n < form.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = n;
        } else if (p < pattern.size() &&
                   (pattern[p] == form[n] || (form[n] == kNumber && is_number_sign(pattern[p])))) {
            if (pattern[p] == kLayer) found.layer = n;
            if (pattern[p] == kExpert) found.expert = n;
            ++p;
            ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++resume;
        } else {
            return {};
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    found.matched = p == pattern.size();
    return found.matched ? found : FormMatch{};
}

bool matches_any(std::string_view form, const std::vector<std::string>& patterns) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& p) { return match_form(form, p).matched; });
}

// How many numbers stand before a place of a form.
int ordinal(std::string_view form, std::size_t at) {
    if (at == std::string_view::npos) return -1;
    return static_cast<int>(std::count(form.begin(), form.begin() + static_cast<std::ptrdiff_t>(at), kNumber));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A name with each whole number between dots replaced by '#', and the numbers.
struct SplitName {
    static constexpr int kMost = 8;
    std::string form;
    std::array<int, kMost> numbers{};
};

SplitName split_name(std::string_view name) {
    constexpr int kLargest = 100'000'000;
    SplitName split;
    split.form.reserve(name.size());
    int count = 0;
    for (std::size_t i = 0; i < name.size();) {
        std::size_t end = name.find('.', i);
        if (end == std::string_view::npos) end = name.size();
        const std::string_view word = name.substr(i, end - i);
        if (!word.empty() && count < SplitName::kMost && std::all_of(word.begin(), word.end(), is_digit)) {
            int value = 0;
            for (const char c : word) value = std::min(kLargest, value * 10 + (c - '0'));
            split.numbers[static_cast<std::size_t>(count++)] = value;
            split.form += kNumber;
        } else {
            for (const char c : word) split.form += c == kNumber ? '?' : c;
        }
        if (end < name.size()) split.form += '.';
        i = end + 1;
    }
    return split;
}

template <class T>
void take_first(T& hint, const T& other) {
    if (hint == T{}) hint = other;
}

} // namespace

PatternFile load_patterns(const Catalogue& catalogue) {
    Problems problems;
    const std::string shown(kPatternsFile);
    const std::optional<JsonFile> json = read_json_file(catalogue.root() / shown, shown, problems);
    throw_if_any(problems);
    ReadState state{shown, problems, {}, false};
    PatternFile file = read_file_object<PatternFile>(state, *json->value);
    if (file.header.kind != kPatternsKind) {
        problems.push_back({shown, "/kind", '"' + file.header.kind + '"', "\"tensor-patterns\"",
                            "is not a file of tensor name patterns"});
    }
    throw_if_any(problems);
    return file;
}

Family family_of(const PatternFile& file, const std::string& model_type) {
    Family merged;
    for (const Family& f : file.families) {
        const auto matches = [&](const std::string& glob) { return matches_glob(model_type, glob); };
        if (std::none_of(f.match.begin(), f.match.end(), matches)) continue;
        take_first(merged.name, f.name);
        take_first(merged.full_attention_every, f.full_attention_every);
        take_first(merged.window, f.window);
        take_first(merged.chunked, f.chunked);
        take_first(merged.gate, f.gate);
        take_first(merged.shared_is_ffn, f.shared_is_ffn);
        take_first(merged.dense_first_width, f.dense_first_width);
        take_first(merged.two_matrices, f.two_matrices);
        take_first(merged.mixer_rows, f.mixer_rows);
        take_first(merged.drafter_layers, f.drafter_layers);
        merged.patterns.insert(merged.patterns.end(), f.patterns.begin(), f.patterns.end());
    }
    return merged;
}

NameMatcher::NameMatcher(const PatternFile& file, const Family& family) {
    for (const NamePattern& p : family.patterns) {
        if (!p.name.starts_with(kBlock)) {
            patterns_.push_back({compile(p.name), p.component, p.matrix});
            continue;
        }
        for (const std::string& block : file.blocks) {
            patterns_.push_back({compile(block + p.name.substr(kBlock.size())), p.component, p.matrix});
        }
    }
    for (const std::string& p : file.blocks) blocks_.push_back(compile(p) + '*');
    for (const std::string& p : file.scales) scales_.push_back(compile(p));
    for (const std::string& p : file.drafter) drafter_.push_back(compile(p));
}

NameMatcher::Form NameMatcher::find_form(const std::string& form) const {
    Form found;
    found.match.scale = matches_any(form, scales_);
    found.match.drafter = matches_any(form, drafter_);
    for (const NamePattern& pattern : patterns_) {
        const FormMatch match = match_form(form, pattern.name);
        if (!match.matched) continue;
        found.match.component = pattern.component;
        found.match.matrix = pattern.matrix;
        found.layer_number = ordinal(form, match.layer);
        found.expert_number = ordinal(form, match.expert);
        break;
    }
    // Patterns that hold for any layer and outside them ("*norm*") do not say which number is the layer.
    const bool text_model = found.match.component != TensorPart::vision && found.match.component != TensorPart::audio;
    for (std::size_t i = 0; i < blocks_.size() && found.layer_number < 0 && text_model; ++i) {
        found.layer_number = ordinal(form, match_form(form, blocks_[i]).layer);
    }
    return found;
}

NameMatch NameMatcher::match(std::string_view name) {
    const SplitName split = split_name(name);
    auto entry = forms_.find(split.form);
    if (entry == forms_.end()) entry = forms_.emplace(split.form, find_form(split.form)).first;
    const Form& form = entry->second;
    NameMatch match = form.match;
    const auto number = [&](int ordinal) {
        return ordinal < 0 || ordinal >= SplitName::kMost ? -1 : split.numbers[static_cast<std::size_t>(ordinal)];
    };
    match.layer = number(form.layer_number);
    match.expert = number(form.expert_number);
    return match;
}

} // namespace spillway
