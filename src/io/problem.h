// What is wrong with the input, as data: all problems of a call are gathered and thrown once, as one InputError, and
// shown together by main (exit code 3), as text or as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <exception>
#include <string>
#include <vector>

namespace spillway {

inline constexpr int kInputErrorExit = 3;

// One problem. `file` is shown as the user gave it or relative to the catalogue ("models/x.json"); for a value from
// the command line it is the flag ("--set"). `pointer` is a JSON pointer, or the path of a --set. `found`, `expected`
// and `pointer` may be empty.
struct Problem {
    std::string file, pointer, found, expected, message;
};
using Problems = std::vector<Problem>;

// Carries every problem that was found; never none.
class InputError : public std::exception {
public:
    explicit InputError(Problems problems);
    const Problems& problems() const { return problems_; }
    const char* what() const noexcept override { return text_.c_str(); }

private:
    Problems problems_;
    std::string text_;
};

// "spillway: 2 problems", then per problem `file: pointer: message` and an indented line with what was found and what
// belongs there. Ends with a newline. Control characters of the input are shown as '?', so that a file cannot steer
// the terminal.
std::string problems_text(const Problems& problems);

// {"format":1,"error":{"exit":3,"problems":[{"file","pointer","found","expected","message"}]}}
nlohmann::ordered_json problems_json(const Problems& problems);

// Does nothing without problems.
void throw_if_any(const Problems& problems);

} // namespace spillway
