// spillway compare: two cases, or one case and one or more --set, side by side.
#include "report/compare.h"
#include "cli/answer.h"
#include "cli/commands.h"

#include <nlohmann/json.hpp>

#include <array>
#include <memory>

namespace spillway {

namespace {

struct Options {
    OutputFlags output;
    CaseRequest request;
};

// "A,B" is two values. A list has two members at most; an empty one is a mistake.
std::vector<std::string> split(const char* flag, const std::string& text) {
    std::vector<std::string> values;
    std::size_t start = 0;
    for (std::size_t comma = 0; comma != std::string::npos; start = comma + 1) {
        comma = text.find(',', start);
        values.push_back(text.substr(start, comma == std::string::npos ? comma : comma - start));
    }
    if (values.size() > 2) throw UsageError(std::string(flag) + ": two cases are compared: at most two values, as A,B");
    for (const std::string& value : values) {
        if (value.empty()) throw UsageError(std::string(flag) + ": a value is empty");
    }
    return values;
}

struct Requests {
    CaseRequest left, right;
};

// Flags with two values tell the cases apart, the settings then hold for both; else the settings do.
Requests requests_of(const CaseRequest& given) {
    Requests both{given, given};
    bool two = false;
    constexpr std::array<std::pair<const char*, std::string CaseRequest::*>, 4> members = {
        {{"--model", &CaseRequest::model},
         {"--machine", &CaseRequest::machine},
         {"--quant", &CaseRequest::quantization},
         {"--scenario", &CaseRequest::scenario}}};
    for (const auto& [flag, member] : members) {
        const std::vector<std::string> values = split(flag, given.*member);
        both.left.*member = values.front();
        both.right.*member = values.back();
        two = two || values.size() == 2;
    }
    if (two) return both;
    if (given.settings.empty())
        throw UsageError("compare: needs two cases: two values for one of -m, -d, -q, -s, as A,B, or --set");
    both.left.settings.clear();
    return both;
}

// Loads both; what is wrong with either is shown together, each problem once.
std::vector<LoadedCase> load_both(const Requests& requests, const OutputFlags& output) {
    std::vector<LoadedCase> cases;
    Problems problems;
    for (const CaseRequest* request : {&requests.left, &requests.right}) {
        try {
            cases.push_back(load_requested(*request, output));
        } catch (const InputError& error) {
            for (const Problem& problem : error.problems()) {
                bool known = false;
                for (const Problem& p : problems) known = known || problems_text({p}) == problems_text({problem});
                if (!known) problems.push_back(problem);
            }
        }
    }
    throw_if_any(problems);
    return cases;
}

Report report_of(const LoadedCase& loaded) {
    return Report{loaded, evaluate(loaded.value), residency_line(loaded.value), influences(loaded.value),
                  SPILLWAY_VERSION};
}

int run(const Requests& requests, const OutputFlags& output) {
    const std::vector<LoadedCase> cases = load_both(requests, output);
    const Report left = report_of(cases.front()), right = report_of(cases.back());
    const Comparison comparison{left, right};
    write_answer(output, {[&] { return compare_json(comparison); }, [&] { return compare_document(comparison); }});
    return 0;
}

} // namespace

Command compare_command() {
    const auto o = std::make_shared<Options>();
    return {.name = "compare",
            .help = "two cases side by side: -m, -d, -q or -s as A,B, or with and without --set",
            .flags = joined({case_flags(o->request), output_flags(o->output)}),
            .run = [o] { return run(requests_of(o->request), o->output); }};
}

} // namespace spillway
