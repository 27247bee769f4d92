// A command line as data: what a command is called, which flags it takes and what it does.
// In: nothing. Out: the types of which every command is one value, read by bind.h.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace spillway {

// What was asked for does not parse. The text is the whole sentence.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Where the value of a flag goes; a bool is a flag without a value, a vector takes every value that follows.
using FlagTarget = std::variant<bool*, std::string*, std::vector<std::string>*, double*, std::uint32_t*, std::uint64_t*,
                                std::optional<double>*, std::optional<std::uint32_t>*, std::optional<std::uint64_t>*>;

// Inclusive; exact for every whole number below 2^53.
struct FlagRange {
    double lowest = 0.0, highest = 0.0;
};

struct FlagRules {
    bool required = false;
    bool shows_default = false; // the initial value of the target stands in the help
    bool one_per_use = false;   // a list that takes one value each time, so that what follows is not swallowed
    std::vector<std::string> choices = {};
    std::optional<FlagRange> range = {};
};

// `names` as they are typed, "-m,--model"; a name without dashes is a positional. `type_name` is what the help shows
// for the value; empty: the type's own.
struct Flag {
    std::string names;
    FlagTarget target;
    std::string help;
    std::string type_name = "";
    FlagRules rules = {};
};

// Long names of the flags that stood on the command line.
using GivenFlags = std::set<std::string>;

// Either `run` or `subcommands` is set. `run` returns the exit code and may throw UsageError and InputError; it keeps
// alive what the flags point to. `given` is filled before it is called.
struct Command {
    std::string name, help;
    std::vector<Flag> flags = {};
    std::function<int()> run = {};
    GivenFlags* given = nullptr;
    std::string footer = {};
    std::vector<Command> subcommands = {};
};

// Lists of flags, one after the other, in the order of the help.
inline std::vector<Flag> joined(std::initializer_list<std::vector<Flag>> lists) {
    std::vector<Flag> all;
    for (const std::vector<Flag>& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
}

} // namespace spillway
