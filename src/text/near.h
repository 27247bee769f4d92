// "Did you mean": the names nearest to a mistyped word. Used wherever a user gives a name: catalogue entries,
// paths, keys of a file, values of an enumeration.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// Candidates within a third of the word's length in edits (insert, delete, replace, swap neighbours; case does not
// count), and those that begin with a word of two letters or contain one of three. Nearest first, at most `most`.
std::vector<std::string> near_matches(std::string_view word, const std::vector<std::string>& candidates,
                                      std::size_t most = 3);

// `did you mean "a" or "b"?`; empty if nothing is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

// "a, b, c"; beyond `most` names the rest is counted: "a, b and 7 more".
std::string name_list(const std::vector<std::string>& names, std::size_t most = 12);

} // namespace spillway
