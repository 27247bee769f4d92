// Where data files are found: one directory with models/, hardware/ and scenarios/, and the names of what lies in it.
// A name with a '/' or ending in ".json" is a path; any other is looked up here.
#pragma once

#include "io/files.h"
#include "io/json_file.h"
#include "io/problem.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// A file that was named: where it lies, how to show it, and the name that stands for it (the file's stem).
struct FoundFile {
    std::filesystem::path path;
    std::string shown;
    std::string id;
};

// The data directory: `data_option` (--data) if not empty, else the environment's SPILLWAY_DATA, else the source tree
// that the program was built in, else where it was installed. Empty if none exists. A directory that was asked for
// and does not exist throws InputError.
std::filesystem::path data_root(const std::string& data_option);

class Catalogue {
public:
    explicit Catalogue(std::filesystem::path root) : root_(std::move(root)) {}

    const std::filesystem::path& root() const { return root_; }

    // Names of a kind, sorted. Machine parts are not machines; sets of scenarios are not scenarios.
    std::vector<std::string> names(FileKind kind) const;

    // The file that a name or path stands for. `asked_by` is shown as the problem's file (a flag or another file),
    // `pointer` as its place there. Paths are relative to `base`, which is empty for the working directory.
    struct Question {
        std::string name, asked_by, pointer;
        std::filesystem::path base;
    };
    std::optional<FoundFile> find(FileKind kind, const Question& question, Problems& problems) const;
    std::optional<FoundFile> find(FileKind kind, const std::string& name_or_path, Problems& problems) const;

    // Names that match a pattern with '*' and '?'; a pattern without these, or a path, stands for itself. A pattern
    // that matches nothing is a problem.
    std::vector<std::string> expand(FileKind kind, const std::string& pattern, Problems& problems) const;

    // The file of weight formats, if the catalogue has one.
    std::optional<FoundFile> formats() const;

private:
    std::filesystem::path root_;
};

// Directory of a kind below the root: "models", "hardware/parts".
std::string_view kind_directory(FileKind kind);
// Flag that names a file of this kind, for problems: "-m".
std::string_view kind_flag(FileKind kind);
bool is_path(std::string_view name_or_path);
// Whether `name` matches a pattern of '*' (any letters) and '?' (one letter).
bool matches_glob(std::string_view name, std::string_view pattern);

} // namespace spillway
